package testbed.bare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BareServersTest {

  @TempDir Path folder;

  private List<String> declared;

  @BeforeEach
  void declareAnswers() throws IOException {
    var file = Files.writeString(folder.resolve("list.json"), "[1]");
    declared = List.of("GET /list|200||" + file + "|Colour: red", "POST /make|201|{\"id\":\"1\"}|");
  }

  @ParameterizedTest
  @ValueSource(strings = {"netty", "spring"})
  void answersAsDeclared(String server) throws Exception {
    var port = BareServers.start(server, new Answers(false, declared));

    var listed = ask(port, "GET", "/list", "");
    var made = ask(port, "POST", "/make", "{\"name\":\"x\"}");

    assertThat(listed.statusCode()).isEqualTo(200);
    assertThat(listed.body()).isEqualTo("[1]");
    assertThat(listed.headers().firstValue("Colour")).contains("red");
    assertThat(made.statusCode()).isEqualTo(201);
    assertThat(made.body()).isEqualTo("{\"id\":\"1\",\"name\":\"x\"}");
    assertThat(made.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(ask(port, "GET", "/other", "").statusCode()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"netty", "spring"})
  void acknowledgesAndGivesEachResultOnce(String server) throws Exception {
    var port = BareServers.start(server, new Answers(true, declared));

    var id = ask(port, "GET", "/list", "");

    assertThat(id.statusCode()).isEqualTo(202);
    assertThat(ask(port, "GET", "/list/" + id.body(), "").body()).isEqualTo("[1]");
    assertThat(ask(port, "GET", "/list", "").body()).isNotEqualTo(id.body());
  }

  private static HttpResponse<String> ask(int port, String method, String path, String body)
      throws IOException, InterruptedException {
    try (var client = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
              .header("Content-Type", "application/json")
              .method(method, BodyPublishers.ofString(body))
              .build();
      return client.send(request, BodyHandlers.ofString());
    }
  }
}
