#!/usr/bin/env bash
# mongo-java-server 1.47.0 with mongodb-driver-sync 5.6.1.
# Guess: {tags: {$all: [5]}} finds 5 and [5, 6], as in MongoDB, where $all: [5] is the same as equality; $group
# keeps [5] and 5 apart; the positional projection gives the element that matched.
# What happens: $all finds arrays alone, $group puts 5, [5, 6] and [5] into one group, and {"tags.$": 1} after
# {tags: {$gt: 5}} gives an empty array. Nothing is refused or logged.
# Why it matters: a query answers less than it would, so it is faster and its answer smaller than what is deployed.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries de.bwaldvogel:mongo-java-server:1.47.0 org.mongodb:mongodb-driver-sync:5.6.1 org.slf4j:slf4j-nop:2.0.17

cat > Arrays.java <<'END'
import static org.bson.Document.parse;

import com.mongodb.*;
import com.mongodb.client.*;
import com.mongodb.client.model.*;
import java.util.*;
import org.bson.Document;

public class Arrays extends MongoJavaServer {
  public static void main(String[] arguments) throws Exception {
    var database = database();
    var items = database.getCollection("items");
    items.insertMany(
        List.of(parse("{_id: 1, tags: 5}"), parse("{_id: 2, tags: [5, 6]}"), parse("{_id: 3, tags: [5]}")));
    long equal = items.countDocuments(parse("{tags: 5}"));
    long all = items.countDocuments(parse("{tags: {$all: [5]}}"));
    var groups = items.aggregate(List.of(parse("{$group: {_id: '$tags', n: {$sum: 1}}}"))).into(new ArrayList<>());
    var element = items.find(parse("{_id: 2, tags: {$gt: 5}}")).projection(parse("{'tags.$': 1}")).first();
    System.out.printf("of 3 documents {tags: 5} finds %d, {tags: {$all: [5]}} %d%n", equal, all);
    System.out.println("groups of 5, [5, 6] and [5]: " + groups);
    System.out.println("the element of [5, 6] that is greater than 5: " + element.toJson());
    expect(equal == 3 && all == 2, "$all finds arrays alone");
    expect(groups.size() == 1, "5, [5, 6] and [5] are one group");
    expect(element.getList("tags", Object.class).isEmpty(), "the positional projection is empty");
    System.exit(0);
  }
}
END
run_java Arrays MongoJavaServer
