package testbed.cinema.web;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;
import testbed.cinema.CinemaServiceApplication;
import testbed.cinema.Examples;
import testbed.contracts.ProblemType;
import testbed.support.deadline.Deadline;
import testbed.support.testing.LongLimits;

/** A database that takes commands and does not answer them. */
class SilentDatabaseTest {

  private static final int PATIENCE_SECONDS = 300;

  private final CountDownLatch over = new CountDownLatch(1);
  private volatile String silentOn = "find";
  private final MongoServer database = new MongoServer(new Silent());

  @AfterEach
  void stopDatabase() {
    over.countDown();
    database.shutdownNow();
  }

  @Test
  @Timeout(PATIENCE_SECONDS)
  void isAsUnavailableAsOneThatCannotBeReached() {
    try (var cinema = start("500ms")) {
      var answer = movies(cinema, new HttpHeaders());

      assertThat(answer.getStatusCode().value()).isEqualTo(ProblemType.UNAVAILABLE.status());
      assertThat(answer.getBody())
          .contains(ProblemType.UNAVAILABLE.uri().toString())
          .contains("The cinema's database does not answer.");
    }
  }

  @Test
  @Timeout(PATIENCE_SECONDS)
  void isUnavailableBeforeTheCallerGivesUpThoughNothingElseLimitsACommand() {
    var headers = new HttpHeaders();
    headers.set(Deadline.HEADER, "2000");

    try (var cinema = start("0s")) {
      assertThat(movies(cinema, headers).getStatusCode().value())
          .isIn(ProblemType.UNAVAILABLE.status(), ProblemType.TIME_LIMIT.status());
    }
  }

  @Test
  @Timeout(PATIENCE_SECONDS)
  void isNotSaidToHaveRefusedWhatItMayHaveStored() {
    silentOn = "insert";
    try (var cinema = start("500ms")) {
      // On a busy machine the time may be over before the command is sent.
      await()
          .untilAsserted(
              () -> {
                var answer =
                    client(cinema)
                        .post()
                        .uri("/cinema/ucd/reservation/make")
                        .body(Examples.reservation("UCD001", "10:15"))
                        .retrieve()
                        .toEntity(String.class);

                assertThat(answer.getStatusCode().value())
                    .isEqualTo(ProblemType.NO_ANSWER.status());
                assertThat(answer.getBody()).contains(ProblemType.NO_ANSWER.uri().toString());
              });
    }
  }

  private ConfigurableApplicationContext start(String commandTimeout) {
    return new SpringApplicationBuilder(CinemaServiceApplication.class)
        .run(
            "--cinema.name=ucd",
            "--cinema.transport=http",
            "--cinema.database.command-timeout=" + commandTimeout,
            "--server.port=0",
            "--management.server.port=0",
            "--eureka.client.enabled=false",
            "--" + LongLimits.OFF,
            "--MONGODB_URI=mongodb://localhost:" + database.bind().getPort());
  }

  private static ResponseEntity<String> movies(
      ConfigurableApplicationContext cinema, HttpHeaders headers) {
    return client(cinema)
        .get()
        .uri("/cinema/ucd/movie/list")
        .headers(sent -> sent.addAll(headers))
        .retrieve()
        .toEntity(String.class);
  }

  private static RestClient client(ConfigurableApplicationContext cinema) {
    var port = cinema.getEnvironment().getRequiredProperty("local.server.port");
    return RestClient.builder()
        .baseUrl("http://localhost:" + port)
        .defaultStatusHandler(status -> true, (request, response) -> {})
        .build();
  }

  private final class Silent extends MemoryBackend {

    @Override
    public Document handleMessage(MongoMessage message) {
      if (message.getDocument().containsKey(silentOn)) {
        silence();
      }
      return super.handleMessage(message);
    }

    private void silence() {
      try {
        // Longer than the test runs.
        over.await(2 * PATIENCE_SECONDS, SECONDS);
      } catch (InterruptedException stopping) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
