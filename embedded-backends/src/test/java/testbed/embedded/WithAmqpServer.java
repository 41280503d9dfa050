package testbed.embedded;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** For tests of services that need an AMQP server. */
abstract class WithAmqpServer {

  static EmbeddedBackends backends;

  @BeforeAll
  static void startServer() {
    backends =
        EmbeddedBackends.start(Map.of("EMBEDDED_MONGODB_PORT", "off", "EMBEDDED_AMQP_PORT", "0"));
  }

  /**
   * A service that is connected to the server; the caller closes it.
   *
   * @param arguments of its command line
   */
  static ConfigurableApplicationContext started(Class<?> service, String... arguments) {
    var port = "--spring.rabbitmq.port=" + backends.amqpPort().orElseThrow();
    return new SpringApplicationBuilder(service)
        .web(WebApplicationType.NONE)
        .run(Stream.concat(Stream.of(port), Stream.of(arguments)).toArray(String[]::new));
  }

  @AfterAll
  static void stopServer() {
    backends.close();
  }
}
