package testbed.support.discovery;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;
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

  private static final int PATIENCE_SECONDS = 20;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Service {}

  @Test
  void servesOnAndIsNotReadyUntilTheTimeIsOver() throws Exception {
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
                "--management.endpoint.health.probes.enabled=true",
                "--management.health.rabbit.enabled=false");
    int port = service.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    int management =
        service.getEnvironment().getRequiredProperty("local.management.port", Integer.class);
    assertThat(readiness(management)).startsWith("HTTP/1.1 200");
    assertThat(connectionAfter(port)).isEmpty();

    var stop = Thread.ofVirtual().start(service::close);
    var timeIsOver = waiting.poll(PATIENCE_SECONDS, SECONDS);
    assertThat(timeIsOver).isNotNull();
    // A new connection, which an answer ends.
    assertThat(connectionAfter(port)).hasValue("close");
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

  /** What an answer says of the connection. */
  private static Optional<String> connectionAfter(int port) throws Exception {
    try (var http = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(URI.create("http://localhost:%d/".formatted(port)));
      var answer = http.send(request.version(Version.HTTP_1_1).build(), BodyHandlers.discarding());
      assertThat(answer.statusCode()).isEqualTo(404);
      return answer.headers().firstValue("Connection");
    }
  }

  private static String readiness(int management) {
    return RawHttp.answer(management, "GET /actuator/health/readiness HTTP/1.1");
  }
}
