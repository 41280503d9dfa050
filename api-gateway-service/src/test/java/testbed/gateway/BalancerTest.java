package testbed.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.http.HttpHeaders.encodeBasicAuth;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.test.context.TestPropertySource;

/** A rule other than the default one. */
@TestPropertySource(properties = "gateway.route.balancer=least-in-flight")
class BalancerTest extends RunningGateway {

  @Test
  void asksNoInstanceThatOwesAnAnswer() throws InterruptedException {
    service.answersAsCinema("forum");
    try (var silent = RawService.stoppingAfter("");
        var client = HttpClient.newHttpClient()) {
      registerCinema("forum", silent.address());
      registerCinema("forum");
      var request =
          HttpRequest.newBuilder(
                  URI.create("http://localhost:%d/cinema/forum/movie/list".formatted(port)))
              .header("Authorization", "Basic " + encodeBasicAuth("admin", "secret", UTF_8))
              .build();
      // One for each; that of the other instance is answered.
      var first = client.sendAsync(request, BodyHandlers.discarding());
      var second = client.sendAsync(request, BodyHandlers.discarding());
      assertThat(silent.asked().await(60, TimeUnit.SECONDS)).isTrue();
      CompletableFuture.anyOf(first, second).orTimeout(30, TimeUnit.SECONDS).join();

      for (int i = 0; i < 4; i++) {
        get("/cinema/forum/movie/list").expectStatus().isOk();
      }

      assertThat(service.requests()).hasSize(5);
      client.shutdownNow();
    }
  }
}
