package testbed.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import testbed.support.preset.InvalidSetting;

class StartTest {

  @Test
  void startsWithoutAMessageServerAndSaysThatItIsNotReady() {
    // Port 1 is reserved: nothing answers there.
    try (var broker = start("--RABBITMQ_PORT=1")) {
      var http = new HttpClient(port(broker, "server"));
      var management = new HttpClient(port(broker, "management"));

      assertThat(management.get("/actuator/health/liveness").getStatusCode().value())
          .isEqualTo(200);
      assertThat(management.get("/actuator/health/readiness").getStatusCode().value())
          .isEqualTo(503);
      assertThat(http.get("/actuator/health/liveness").getStatusCode().value()).isEqualTo(404);
      assertThat(http.get("/api/movie/list").getStatusCode().value()).isEqualTo(503);
      assertThat(http.reserve("ucd", "Jane").getStatusCode().value()).isEqualTo(503);
    }
  }

  @Test
  void doesNotWaitMinutesForAMessageServerThatIsSilent() {
    try (var broker = start("--RABBITMQ_PORT=1")) {
      var server = broker.getBean(CachingConnectionFactory.class).getRabbitConnectionFactory();

      assertThat(server.getChannelRpcTimeout()).isEqualTo(10_000);
      assertThat(server.getRequestedHeartbeat()).isEqualTo(10);
    }
  }

  @Test
  void refusesAPresetThatIsNone() {
    assertThatThrownBy(() -> start("--testbed.preset=fast")).isInstanceOf(InvalidSetting.class);
  }

  @Test
  void refusesAnExpiryBeforeTheDeadline() {
    assertThatThrownBy(() -> start("--broker.deadline=60s"))
        .hasRootCauseInstanceOf(InvalidSetting.class)
        .rootCause()
        .hasMessage("BROKER_STORE_EXPIRY is 'PT1M'");
  }

  @ParameterizedTest
  @CsvSource({
    "--broker.store.max-bytes=64, BROKER_STORE_MAX_BYTES",
    "--broker.store.fetched-expiry=0s, BROKER_STORE_FETCHED_EXPIRY"
  })
  void refusesAStoreThatHoldsNothing(String setting, String name) {
    assertThatThrownBy(() -> start(setting))
        .hasRootCauseInstanceOf(InvalidSetting.class)
        .rootCause()
        .hasMessageStartingWith(name);
  }

  @ParameterizedTest
  @CsvSource({"thesis, PT60S", "tuned, PT5S"})
  void keepsFetchedAnswersAsThePresetSays(String preset, Duration fetchedExpiry) {
    try (var broker = start("--RABBITMQ_PORT=1", "--testbed.preset=" + preset)) {
      assertThat(broker.getBean(BrokerSettings.class).store().fetchedExpiry())
          .isEqualTo(fetchedExpiry);
    }
  }

  private static ConfigurableApplicationContext start(String... settings) {
    var given =
        Stream.of(
            "--server.port=0",
            "--management.server.port=0",
            "--access.administrators=" + HttpClient.ACCOUNT);
    var arguments = Stream.concat(given, Arrays.stream(settings));
    return SpringApplication.run(BrokerServiceApplication.class, arguments.toArray(String[]::new));
  }

  private static int port(ConfigurableApplicationContext broker, String server) {
    return broker
        .getEnvironment()
        .getRequiredProperty("local.%s.port".formatted(server), Integer.class);
  }
}
