#!/usr/bin/env bash
# mongo-java-server 1.47.0 with mongodb-driver-sync 5.6.1.
# Guess: without a sort, documents come in the order of insertion, as MongoDB's storage engine gives them as
# long as nothing moves; {$natural: -1} gives the newest first.
# What happens: a new document takes the place of a deleted one, the first deleted first, so the newest
# document comes out in the middle, and {$natural: -1} with limit 1 is an old one.
# Why it matters: a test or a poll that reads "the last entry" by natural order works until the first deletion.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > pom.xml <<'END'
<project>
<modelVersion>4.0.0</modelVersion>
<groupId>finding</groupId><artifactId>finding</artifactId><version>1</version>
<dependencies>
<dependency><groupId>de.bwaldvogel</groupId><artifactId>mongo-java-server</artifactId><version>1.47.0</version></dependency>
<dependency><groupId>org.mongodb</groupId><artifactId>mongodb-driver-sync</artifactId><version>5.6.1</version></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-nop</artifactId><version>2.0.17</version></dependency>
</dependencies>
</project>
END
mvn -B -ntp -q org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
  -DoutputDirectory=lib > maven.log 2>&1 || { cat maven.log; exit 1; }

cat > NaturalOrder.java <<'END'
import static org.bson.Document.parse;

import com.mongodb.*;
import com.mongodb.client.*;
import com.mongodb.client.model.*;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.*;
import org.bson.Document;

public class NaturalOrder {
  public static void main(String[] arguments) throws Exception {
    var server = new MongoServer(new MemoryBackend());
    var port = server.bind().getPort();
    try (var client = MongoClients.create("mongodb://127.0.0.1:" + port)) {
      var database = client.getDatabase("finding");
      var events = database.getCollection("events");
      for (int id = 0; id < 5; id++) {
        events.insertOne(new Document("_id", id));
      }
      events.deleteOne(parse("{_id: 1}"));
      events.deleteOne(parse("{_id: 3}"));
      events.insertOne(parse("{_id: 5}"));
      var order = new ArrayList<Object>();
      events.find().forEach(event -> order.add(event.get("_id")));
      var newest = events.find().sort(parse("{$natural: -1}")).limit(1).first().get("_id");
      System.out.println("inserted 0 to 4, deleted 1 and 3, inserted 5");
      System.out.println("found without a sort: " + order + "; first by {$natural: -1}: " + newest);
      expect(!order.get(order.size() - 1).equals(5), "a new document takes a deleted one's place");
      expect(!newest.equals(5), "$natural: -1 is not the newest first");
    } finally {
      server.shutdownNow();
    }
  }

  static void expect(boolean asStated, String what) {
    if (!asStated) {
      System.out.println("NO LONGER SO: " + what);
      System.exit(1);
    }
  }
}
END
java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp 'lib/*' NaturalOrder.java
