#!/usr/bin/env bash
# mongo-java-server 1.47.0 with mongodb-driver-sync 5.6.1.
# Guess: a view is either supported, or creating one is refused, as capped collections are.
# What happens: createView succeeds and makes an ordinary, empty collection. Reads give nothing, and an insert
# into the "view" is stored. A validator is accepted in the same way, and lets everything pass.
# Why it matters: a read model in a view is measured as very fast, because it finds nothing.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries de.bwaldvogel:mongo-java-server:1.47.0 org.mongodb:mongodb-driver-sync:5.6.1 org.slf4j:slf4j-nop:2.0.17

cat > View.java <<'END'
import static org.bson.Document.parse;

import com.mongodb.*;
import com.mongodb.client.*;
import com.mongodb.client.model.*;
import java.util.*;
import org.bson.Document;

public class View extends MongoJavaServer {
  public static void main(String[] arguments) throws Exception {
    var database = database();
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
    System.exit(0);
  }
}
END
run_java View MongoJavaServer
