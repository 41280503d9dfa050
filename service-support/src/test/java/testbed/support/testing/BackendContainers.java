package testbed.support.testing;

import java.time.Duration;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.rabbitmq.RabbitMQContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The real backends in containers. The image names come from the environment, so that a machine
 * without an image registry can serve its own.
 */
public final class BackendContainers {

  private static final int MONGODB_PORT = 27017;
  private static final Duration ON_A_BUSY_MACHINE = Duration.ofMinutes(4);

  private BackendContainers() {}

  /** RabbitMQ, image {@code TESTBED_RABBITMQ_IMAGE}; user and password guest. */
  public static RabbitMQContainer rabbitMq() {
    return new RabbitMQContainer(
            DockerImageName.parse(image("TESTBED_RABBITMQ_IMAGE", "rabbitmq:4.1.4-management"))
                .asCompatibleSubstituteFor("rabbitmq"))
        .withStartupTimeout(ON_A_BUSY_MACHINE);
  }

  /**
   * MongoDB, image {@code TESTBED_MONGODB_IMAGE}: a plain container, because the MongoDB module
   * starts a replica set with tools that a stand-in does not have.
   */
  public static GenericContainer<?> mongoDb() {
    return new GenericContainer<>(
            DockerImageName.parse(image("TESTBED_MONGODB_IMAGE", "mongo:8.0.12")))
        // As in docker/compose.shared.yml: MongoDB 8 ends on some kernels.
        .withEnv("GLIBC_TUNABLES", "glibc.pthread.rseq=1")
        .withExposedPorts(MONGODB_PORT)
        .waitingFor(Wait.forListeningPort());
  }

  /** The connection string of a running {@link #mongoDb()}. */
  public static String mongoDbUri(GenericContainer<?> mongoDb) {
    return "mongodb://%s:%d".formatted(mongoDb.getHost(), mongoDb.getMappedPort(MONGODB_PORT));
  }

  private static String image(String variable, String published) {
    return System.getenv().getOrDefault(variable, published);
  }
}
