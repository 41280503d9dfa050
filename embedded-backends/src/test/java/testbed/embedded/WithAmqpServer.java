package testbed.embedded;

import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** For tests of services that need an AMQP server. */
abstract class WithAmqpServer {

  static EmbeddedBackends backends;

  @BeforeAll
  static void startServer() {
    backends =
        EmbeddedBackends.start(Map.of("EMBEDDED_MONGODB_PORT", "off", "EMBEDDED_AMQP_PORT", "0"));
  }

  @AfterAll
  static void stopServer() {
    backends.close();
  }
}
