#!/usr/bin/env bash
# mongo-java-server 1.47.0 with mongodb-driver-sync 5.6.1.
# Guess: when insertMany fails at a duplicate, the exception's getInsertedCount() and getInserts() name what was
# stored: one document if ordered, two if not.
# What happens: the count is 3 of 3 in both cases, and getInserts() names a document after the duplicate that an
# ordered insert left out. The server answers how many documents were sent, stored or not.
# Why it matters: a service that counts its writes by the driver's result reports a throughput that no
# database had, and a repeat "of the rest" leaves out documents that were never stored.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries de.bwaldvogel:mongo-java-server:1.47.0 org.mongodb:mongodb-driver-sync:5.6.1 org.slf4j:slf4j-nop:2.0.17

cat > InsertCount.java <<'END'
import static org.bson.Document.parse;

import com.mongodb.*;
import com.mongodb.client.*;
import com.mongodb.client.model.*;
import java.util.*;
import org.bson.Document;

public class InsertCount extends MongoJavaServer {
  public static void main(String[] arguments) throws Exception {
    var database = database();
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
    System.exit(0);
  }
}
END
run_java InsertCount MongoJavaServer
