package testbed.support.discovery;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import testbed.support.testing.RawHttp;

class DrainTest {

  private static final int PATIENCE_SECONDS = 60;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Service {}

  @Test
  void servesOnAndIsNotReadyUntilTheTimeIsOver() throws InterruptedException {
    var waiting = new LinkedBlockingQueue<Runnable>();
    var service =
        new SpringApplicationBuilder(Service.class)
            .initializers(
                context ->
                    ((GenericApplicationContext) context)
                        .registerBean(Drain.class, () -> new Drain(waiting::add)))
            .run(
                "--server.port=0",
                "--management.server.port=0",
                "--management.endpoint.health.probes.enabled=true");
    int port = service.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    int management =
        service.getEnvironment().getRequiredProperty("local.management.port", Integer.class);
    assertThat(readiness(management)).startsWith("HTTP/1.1 200");

    var stop = Thread.ofVirtual().start(service::close);
    var timeIsOver = waiting.poll(PATIENCE_SECONDS, SECONDS);
    assertThat(timeIsOver).isNotNull();
    // A new connection, and an answer.
    assertThat(RawHttp.answer(port, "GET / HTTP/1.1")).startsWith("HTTP/1.1 404");
    assertThat(readiness(management)).startsWith("HTTP/1.1 503");
    assertThat(stop.isAlive()).isTrue();

    timeIsOver.run();
    stop.join();
    assertThatThrownBy(() -> RawHttp.answer(port, "GET / HTTP/1.1"))
        .hasRootCauseInstanceOf(ConnectException.class);
    assertThatThrownBy(() -> readiness(management)).hasRootCauseInstanceOf(ConnectException.class);
  }

  @Test
  void isForServicesThatHaveATimeForIt() {
    var context =
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(Draining.class));

    context
        .withPropertyValues("testbed.discovery.drain=10ms")
        .run(started -> assertThat(started.getBean(Drain.class).isRunning()).isTrue());
    context.run(started -> assertThat(started).doesNotHaveBean(Drain.class));
  }

  private static String readiness(int management) {
    return RawHttp.answer(management, "GET /actuator/health/readiness HTTP/1.1");
  }
}
