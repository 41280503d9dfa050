package testbed.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClients;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same as {@link MongoDbIT} asks MongoDB. */
@Timeout(120)
class MongoJavaServerTest {

  private static final Path DECISION = Path.of("..", "docs", "adr", "0007-embedded-backends.md");

  private static EmbeddedBackends backends;

  @BeforeAll
  static void start() {
    backends =
        EmbeddedBackends.start(Map.of("EMBEDDED_MONGODB_PORT", "0", "EMBEDDED_AMQP_PORT", "off"));
  }

  @AfterAll
  static void stop() {
    backends.close();
  }

  @ParameterizedTest
  @EnumSource
  void doesAsTheDecisionSays(DocumentCase asked) throws Exception {
    var uri = "mongodb://127.0.0.1:%d".formatted(backends.mongoDbPort().orElseThrow());
    try (var client = MongoClients.create(uri)) {
      assertThat(asked.outcome(client)).isEqualTo(asked.onMongoJavaServer);
    }

    var row = "| %s | %s | %s |".formatted(asked.asked, asked.onMongoDb, asked.onMongoJavaServer);
    assertThat(Files.readString(DECISION).contains(row))
        .as("the table of differences has %s", row)
        .isEqualTo(!asked.onMongoDb.equals(asked.onMongoJavaServer));
  }
}
