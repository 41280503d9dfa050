import com.mongodb.client.*;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;

/** A mongo-java-server in this JVM, on a free port; it ends with the JVM. */
abstract class MongoJavaServer extends Finding {

  /** Starts the server, and returns a database of it. */
  static MongoDatabase database() {
    var port = new MongoServer(new MemoryBackend()).bind().getPort();
    return MongoClients.create("mongodb://127.0.0.1:" + port).getDatabase("finding");
  }
}
