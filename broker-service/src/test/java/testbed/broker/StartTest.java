package testbed.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import testbed.support.preset.InvalidSetting;

class StartTest {

  @Test
  void startsWithoutAMessageServerAndSaysThatItIsNotReady() {
    // Port 1 is reserved: nothing answers there.
    try (var broker = start("--RABBITMQ_PORT=1")) {
      var http = new HttpClient(port(broker));

      assertThat(http.get("/actuator/health/liveness").getStatusCode().value()).isEqualTo(200);
      assertThat(http.get("/actuator/health/readiness").getStatusCode().value()).isEqualTo(503);
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

  private static ConfigurableApplicationContext start(String setting) {
    return SpringApplication.run(BrokerServiceApplication.class, "--server.port=0", setting);
  }

  private static int port(ConfigurableApplicationContext broker) {
    return broker.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
  }
}
