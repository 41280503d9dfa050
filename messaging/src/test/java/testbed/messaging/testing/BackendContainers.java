package testbed.messaging.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.rabbitmq.RabbitMQContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The real backends in containers, of the images in {@code .env}. The environment can name others,
 * so that a machine without an image registry can serve its own.
 */
public final class BackendContainers {

  /** Tests run in the folder of their module. */
  private static final Path COMPOSE_SETTINGS = Path.of("..", ".env");

  private static final int MONGODB_PORT = 27017;
  private static final Duration ON_A_BUSY_MACHINE = Duration.ofMinutes(4);

  private BackendContainers() {}

  /** RabbitMQ, image {@code TESTBED_RABBITMQ_IMAGE}; user and password guest. */
  public static RabbitMQContainer rabbitMq() {
    return new RabbitMQContainer(image("RABBITMQ_IMAGE").asCompatibleSubstituteFor("rabbitmq"))
        .withStartupTimeout(ON_A_BUSY_MACHINE);
  }

  /**
   * MongoDB, image {@code TESTBED_MONGODB_IMAGE}: a plain container, because the MongoDB module
   * starts a replica set with tools that a stand-in does not have.
   */
  public static GenericContainer<?> mongoDb() {
    return new GenericContainer<>(image("MONGODB_IMAGE"))
        // As in docker/compose.shared.yml: MongoDB 8 ends on some kernels.
        .withEnv("GLIBC_TUNABLES", "glibc.pthread.rseq=1")
        .withExposedPorts(MONGODB_PORT)
        .waitingFor(Wait.forListeningPort());
  }

  /** The connection string of a running {@link #mongoDb()}. */
  public static String mongoDbUri(GenericContainer<?> mongoDb) {
    return "mongodb://%s:%d".formatted(mongoDb.getHost(), mongoDb.getMappedPort(MONGODB_PORT));
  }

  private static DockerImageName image(String variable) {
    var chosen = System.getenv("TESTBED_" + variable);
    return DockerImageName.parse(chosen != null ? chosen : published(variable));
  }

  private static String published(String variable) {
    var settings = new Properties();
    try (var file = Files.newBufferedReader(COMPOSE_SETTINGS)) {
      settings.load(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    return settings.getProperty(variable);
  }
}
