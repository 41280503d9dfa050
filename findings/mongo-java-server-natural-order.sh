#!/usr/bin/env bash
# mongo-java-server 1.47.0 with mongodb-driver-sync 5.6.1.
# Guess: without a sort, documents come in the order of insertion, as MongoDB's storage engine gives them as
# long as nothing moves; {$natural: -1} gives the newest first.
# What happens: a new document takes the place of a deleted one, the first deleted first, so the newest
# document comes out in the middle, and {$natural: -1} with limit 1 is an old one.
# Why it matters: a test or a poll that reads "the last entry" by natural order works until the first deletion.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries de.bwaldvogel:mongo-java-server:1.47.0 org.mongodb:mongodb-driver-sync:5.6.1 org.slf4j:slf4j-nop:2.0.17

cat > NaturalOrder.java <<'END'
import static org.bson.Document.parse;

import com.mongodb.*;
import com.mongodb.client.*;
import com.mongodb.client.model.*;
import java.util.*;
import org.bson.Document;

public class NaturalOrder extends MongoJavaServer {
  public static void main(String[] arguments) throws Exception {
    var database = database();
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
    System.exit(0);
  }
}
END
run_java NaturalOrder MongoJavaServer
