package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient.ResponseSpec;
import reactor.core.publisher.Flux;
import testbed.contracts.ProblemType;
import testbed.support.testing.StandInServer;

/** Bodies whose length is not told. */
class UploadTest extends RunningGateway {

  @Test
  void isPassedOnWhole() {
    var body = new AtomicReference<String>();
    service.does(
        request -> {
          body.set(new String(request.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          StandInServer.respond(request, 200, "application/json", "[]");
        });
    registerCinema("abbey");

    chunked("/cinema/abbey/reservation/make", "{\"tickets\"", ":2}").expectStatus().isOk();

    assertThat(body).hasValue(BODY);
  }

  @Test
  void isRefusedWhenItTurnsOutTooLarge() {
    registerCinema("olympia");

    expectProblem(
        chunked("/cinema/olympia/reservation/make", "a".repeat(64 * 1024), "b"),
        ProblemType.TOO_LARGE,
        "The body is larger than 65536 bytes.");
    assertThat(service.requests()).isEmpty();
  }

  private ResponseSpec chunked(String path, String... parts) {
    return http.post()
        .uri(path)
        .contentType(MediaType.APPLICATION_JSON)
        .body(Flux.just(parts), String.class)
        .exchange();
  }
}
