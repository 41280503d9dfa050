package testbed.embedded;

import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.bson.Document;
import io.netty.channel.Channel;

/** Keeps data in a file. As with MongoDB, what was answered survives a kill of the process. */
final class FileBackend extends H2Backend {

  FileBackend(String file) {
    super(file);
  }

  @Override
  public Document handleCommand(
      Channel channel, String database, String command, Document arguments) {
    var answer = super.handleCommand(channel, database, command, arguments);
    // By itself the store writes once a second. Without changes nothing is written.
    commit();
    return answer;
  }
}
