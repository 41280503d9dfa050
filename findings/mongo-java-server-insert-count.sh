#!/usr/bin/env bash
# mongo-java-server 1.47.0 with mongodb-driver-sync 5.6.1.
# Guess: when insertMany fails at a duplicate, the exception's getInsertedCount() and getInserts() name what was
# stored: one document if ordered, two if not.
# What happens: the count is 3 of 3 in both cases, and getInserts() names a document after the duplicate that an
# ordered insert left out. The server answers how many documents were sent, stored or not.
# Why it matters: a service that counts its writes by the driver's result reports a throughput that no
# database had, and a repeat "of the rest" leaves out documents that were never stored.
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

cat > InsertCount.java <<'END'
import static org.bson.Document.parse;

import com.mongodb.*;
import com.mongodb.client.*;
import com.mongodb.client.model.*;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.*;
import org.bson.Document;

public class InsertCount {
  public static void main(String[] arguments) throws Exception {
    var server = new MongoServer(new MemoryBackend());
    var port = server.bind().getPort();
    try (var client = MongoClients.create("mongodb://127.0.0.1:" + port)) {
      var database = client.getDatabase("finding");
      for (boolean ordered : new boolean[] {true, false}) {
        var movies = database.getCollection("movies-" + ordered);
        movies.insertOne(parse("{_id: 1}"));
        try {
          movies.insertMany(
              List.of(parse("{_id: 0}"), parse("{_id: 1}"), parse("{_id: 2}")),
              new InsertManyOptions().ordered(ordered));
          expect(false, "a duplicate is refused");
        } catch (MongoBulkWriteException duplicate) {
          int reported = duplicate.getWriteResult().getInsertedCount();
          var named =
              duplicate.getWriteResult().getInserts().stream()
                  .map(insert -> insert.getId().asInt32().getValue())
                  .toList();
          long stored = movies.countDocuments() - 1;
          System.out.printf(
              "ordered %s: sent 0, 1, 2; reported %d, named %s; stored %d%n",
              ordered, reported, named, stored);
          expect(reported == 3, "getInsertedCount() counts what was sent");
          expect(named.equals(List.of(0, 2)), "getInserts() names what was left out");
          expect(stored == (ordered ? 1 : 2), "an ordered insert stops at the duplicate");
        }
      }
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
java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp 'lib/*' InsertCount.java
