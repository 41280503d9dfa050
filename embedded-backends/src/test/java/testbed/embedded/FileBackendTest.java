package testbed.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileBackendTest {

  @TempDir private Path folder;

  @Test
  void hasInItsFileWhatItHasAnswered() throws Exception {
    var file = folder.resolve("data");
    var asKilled = folder.resolve("as-killed");
    try (var backends = start(file);
        var client = connect(backends)) {
      var reservations = reservations(client);
      reservations.insertOne(new Document("_id", "1").append("tickets", 2));
      reservations.insertOne(new Document("_id", "2").append("tickets", 2));
      reservations.updateOne(Filters.eq("_id", "2"), Updates.set("tickets", 3));

      // At once, and without an end: as after kill -9.
      Files.copy(file, asKilled);
    }
    try (var backends = start(asKilled);
        var client = connect(backends)) {
      var reservations = reservations(client);

      assertThat(reservations.find(Filters.eq("_id", "1")).first()).containsEntry("tickets", 2);
      assertThat(reservations.find(Filters.eq("_id", "2")).first()).containsEntry("tickets", 3);
      assertThatExceptionOfType(MongoWriteException.class)
          .isThrownBy(() -> reservations.insertOne(new Document("_id", "1")))
          .withMessageContaining("E11000");
    }
  }

  @Test
  void namesAFileThatItCannotUse() throws Exception {
    var notAStore = Files.writeString(folder.resolve("notes.txt"), "not a store".repeat(1_000));

    assertThatExceptionOfType(CannotStart.class)
        .isThrownBy(() -> start(notAStore))
        .withMessageContainingAll("EMBEDDED_MONGODB_FILE", notAStore.toString());
  }

  @Test
  void namesAFileInAFolderThatIsNotThere() {
    var nowhere = folder.resolve("none").resolve("data");

    assertThatExceptionOfType(CannotStart.class)
        .isThrownBy(() -> start(nowhere))
        .withMessageContainingAll("EMBEDDED_MONGODB_FILE", nowhere.toString());
  }

  private EmbeddedBackends start(Path file) {
    return EmbeddedBackends.start(
        Map.of(
            "EMBEDDED_MONGODB_PORT",
            "0",
            "EMBEDDED_AMQP_PORT",
            "off",
            "EMBEDDED_MONGODB_FILE",
            file.toString()));
  }

  private MongoClient connect(EmbeddedBackends backends) {
    return MongoClients.create(
        "mongodb://127.0.0.1:%d".formatted(backends.mongoDbPort().orElseThrow()));
  }

  private MongoCollection<Document> reservations(MongoClient client) {
    return client.getDatabase("cinema-ucd").getCollection("reservations");
  }
}
