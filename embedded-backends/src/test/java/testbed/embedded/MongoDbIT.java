package testbed.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import testbed.messaging.testing.BackendContainers;

/** The same as {@link MongoJavaServerTest} asks the embedded server. */
@Timeout(600)
@Testcontainers(disabledWithoutDocker = true)
class MongoDbIT {

  @Container static final GenericContainer<?> MONGODB = BackendContainers.mongoDb();

  @ParameterizedTest
  @EnumSource
  void doesAsTheDecisionSays(DocumentCase asked) throws Exception {
    try (var client = MongoClients.create(BackendContainers.mongoDbUri(MONGODB))) {
      var server = client.getDatabase("admin").runCommand(new Document("buildInfo", 1));
      assumeTrue(server.containsKey("storageEngines"), "the image is a stand-in's");

      assertThat(asked.outcome(client)).isEqualTo(asked.onMongoDb);
    }
  }
}
