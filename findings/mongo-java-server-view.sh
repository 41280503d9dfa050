#!/usr/bin/env bash
# mongo-java-server 1.47.0 with mongodb-driver-sync 5.6.1.
# Guess: a view is either supported, or creating one is refused, as capped collections are.
# What happens: createView succeeds and makes an ordinary, empty collection. Reads give nothing, and an insert
# into the "view" is stored. A validator is accepted in the same way, and lets everything pass.
# Why it matters: a read model in a view is measured as very fast, because it finds nothing.
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

cat > View.java <<'END'
import static org.bson.Document.parse;

import com.mongodb.*;
import com.mongodb.client.*;
import com.mongodb.client.model.*;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.*;
import org.bson.Document;

public class View {
  public static void main(String[] arguments) throws Exception {
    var server = new MongoServer(new MemoryBackend());
    var port = server.bind().getPort();
    try (var client = MongoClients.create("mongodb://127.0.0.1:" + port)) {
      var database = client.getDatabase("finding");
      var movies = database.getCollection("movies");
      movies.insertMany(List.of(parse("{_id: 1, shown: true}"), parse("{_id: 2, shown: false}")));
      database.createView("shown", "movies", List.of(parse("{$match: {shown: true}}")));
      var view = database.getCollection("shown");
      long before = view.countDocuments();
      view.insertOne(parse("{_id: 9, shown: false}"));
      System.out.printf(
          "the view holds %d of 1 document; after an insert into it, %d%n", before, view.countDocuments());
      expect(before == 0, "a view is empty");
      expect(view.countDocuments() == 1, "an insert into a view is stored");
      var valid = new ValidationOptions().validator(parse("{seats: {$gt: 0}}"));
      database.createCollection("halls", new CreateCollectionOptions().validationOptions(valid));
      var halls = database.getCollection("halls");
      halls.insertOne(parse("{_id: 1, seats: -1}"));
      System.out.println("stored in spite of the validator seats > 0: " + halls.find().first().toJson());
      expect(halls.countDocuments() == 1, "a validator has no effect");
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
java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp 'lib/*' View.java
