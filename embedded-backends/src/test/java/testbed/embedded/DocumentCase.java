package testbed.embedded;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoServerException;
import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.Collation;
import com.mongodb.client.model.CollationStrength;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndReplaceOptions;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.bson.types.Decimal128;

/**
 * What is asked of each server of MongoDB's protocol, and what it does: first what cinemas rely on.
 * Where servers differ, ADR 7 says so.
 */
enum DocumentCase {
  SECOND_OF_AN_ID("a second document with an `_id`", "duplicate key", "duplicate key") {
    @Override
    String outcome(MongoClient client) {
      var stored = collection(client);
      stored.insertOne(new Document("_id", "1"));
      return refusal(() -> stored.insertOne(new Document("_id", "1")));
    }
  },
  UNORDERED(
      "an unordered bulk write, the second of three refused",
      "2 stored, error at 1",
      "2 stored, error at 1") {
    @Override
    String outcome(MongoClient client) {
      var stored = collection(client);
      var inserts =
          List.of("1", "1", "2").stream()
              .map(id -> new InsertOneModel<>(new Document("_id", id)))
              .toList();
      try {
        stored.bulkWrite(inserts, new BulkWriteOptions().ordered(false));
        return "no error";
      } catch (MongoBulkWriteException refused) {
        return "%d stored, error at %d"
            .formatted(stored.countDocuments(), refused.getWriteErrors().getFirst().getIndex());
      }
    }
  },
  LAST_SEATS("50 upserts at once that take one of 10 seats each", "10 taken", "10 taken") {
    @Override
    String outcome(MongoClient client) throws Exception {
      var stored = collection(client);
      var free = Filters.and(Filters.eq("_id", "1"), Filters.lte("taken", 9));
      try (var buyers = Executors.newFixedThreadPool(10)) {
        for (int buyer = 0; buyer < 50; buyer++) {
          buyers.submit(
              () ->
                  stored.updateOne(
                      free, Updates.inc("taken", 1), new UpdateOptions().upsert(true)));
        }
        buyers.shutdown();
        buyers.awaitTermination(1, TimeUnit.MINUTES);
      }
      return "%s taken".formatted(stored.find().first().get("taken"));
    }
  },
  DOES_NOT_FIT(
      "an upsert whose document is there and does not match", "duplicate key", "duplicate key") {
    @Override
    String outcome(MongoClient client) {
      var stored = collection(client);
      stored.insertOne(new Document("_id", "1").append("taken", 10));
      var free = Filters.and(Filters.eq("_id", "1"), Filters.lte("taken", 9));
      return refusal(
          () -> stored.updateOne(free, Updates.inc("taken", 1), new UpdateOptions().upsert(true)));
    }
  },
  WITHDRAWN(
      "a replacement with upsert, then an insert of its `_id`", "duplicate key", "duplicate key") {
    @Override
    String outcome(MongoClient client) {
      var stored = collection(client);
      var used = new Document("_id", "1");
      var before =
          stored.findOneAndReplace(used, used, new FindOneAndReplaceOptions().upsert(true));
      return before == null
          ? refusal(() -> stored.insertOne(new Document("_id", "1").append("movieId", "UCD001")))
          : "found " + before;
    }
  },
  NOTED_TWICE("`$addToSet` of the same twice, with upsert", "[1]", "[1]") {
    @Override
    String outcome(MongoClient client) {
      var stored = collection(client);
      Document noted = new Document();
      for (int time = 0; time < 2; time++) {
        noted =
            stored.findOneAndUpdate(
                Filters.eq("_id", "1"),
                Updates.addToSet("seen", "1"),
                new FindOneAndUpdateOptions().upsert(true).returnDocument(ReturnDocument.AFTER));
      }
      return noted.getList("seen", String.class).toString();
    }
  },
  AMOUNT("an amount of 29.90", "29.90", "29.90") {
    @Override
    String outcome(MongoClient client) {
      var stored = collection(client);
      stored.insertOne(new Document("amount", new Decimal128(new BigDecimal("29.90"))));
      return stored.find().first().get("amount").toString();
    }
  },
  PAGE("a page: sorted by `_id`, one skipped, two wanted", "[2, 3]", "[2, 3]") {
    @Override
    String outcome(MongoClient client) {
      var stored = collection(client);
      for (var id : List.of("3", "1", "4", "2")) {
        stored.insertOne(new Document("_id", id));
      }
      var page = new ArrayList<String>();
      stored
          .find()
          .sort(new Document("_id", 1))
          .skip(1)
          .limit(2)
          .forEach(document -> page.add(document.getString("_id")));
      return page.toString();
    }
  },
  HELLO("the command `hello`", "answered", "no such command") {
    @Override
    String outcome(MongoClient client) {
      try {
        client.getDatabase(DATABASE).runCommand(new Document("hello", 1));
        return "answered";
      } catch (MongoCommandException refused) {
        return "no such command";
      }
    }
  },
  EXPIRING_INDEX("a document older than the `expireAfterSeconds` of an index", "deleted", "stays") {
    @Override
    String outcome(MongoClient client) throws Exception {
      long secondsToWait = 60;
      try {
        client
            .getDatabase("admin")
            .runCommand(new Document("setParameter", 1).append("ttlMonitorSleepSecs", 1));
      } catch (MongoCommandException noMonitor) {
        secondsToWait = 3;
      }
      var stored = collection(client);
      stored.createIndex(
          Indexes.ascending("last"), new IndexOptions().expireAfter(1L, TimeUnit.DAYS));
      stored.insertOne(new Document("last", new Date(0)));
      for (long second = 0; second < secondsToWait && stored.countDocuments() > 0; second++) {
        TimeUnit.SECONDS.sleep(1);
      }
      return stored.countDocuments() == 0 ? "deleted" : "stays";
    }
  },
  PARTIAL_INDEX("two documents outside of a partial unique index", "stored", "duplicate key") {
    @Override
    String outcome(MongoClient client) {
      var stored = collection(client);
      stored.createIndex(
          Indexes.ascending("seat"),
          new IndexOptions().unique(true).partialFilterExpression(Filters.eq("sold", true)));
      stored.insertOne(new Document("seat", 1).append("sold", false));
      return refusal(() -> stored.insertOne(new Document("seat", 1).append("sold", false)));
    }
  },
  COLLATION(
      "`ada` with a collation that ignores case, where `Ada` is stored", "found", "not found") {
    @Override
    String outcome(MongoClient client) {
      var stored = collection(client);
      stored.insertOne(new Document("name", "Ada"));
      var ignoringCase =
          Collation.builder().locale("en").collationStrength(CollationStrength.SECONDARY).build();
      return stored.find(Filters.eq("name", "ada")).collation(ignoringCase).first() == null
          ? "not found"
          : "found";
    }
  },
  LARGEST_NUMBER("`$inc` of the largest 64-bit number", "refused", "-9223372036854775808") {
    @Override
    String outcome(MongoClient client) {
      var stored = collection(client);
      stored.insertOne(new Document("count", Long.MAX_VALUE));
      try {
        stored.updateOne(new Document(), Updates.inc("count", 1));
      } catch (MongoWriteException tooLarge) {
        return "refused";
      }
      return stored.find().first().get("count").toString();
    }
  };

  private static final String DATABASE = "cases";

  final String asked;
  final String onMongoDb;
  final String onMongoJavaServer;

  DocumentCase(String asked, String onMongoDb, String onMongoJavaServer) {
    this.asked = asked;
    this.onMongoDb = onMongoDb;
    this.onMongoJavaServer = onMongoJavaServer;
  }

  /** What the server does. */
  abstract String outcome(MongoClient client) throws Exception;

  /** An empty collection of its own. */
  MongoCollection<Document> collection(MongoClient client) {
    var own = client.getDatabase(DATABASE).getCollection(name());
    own.drop();
    return own;
  }

  private static String refusal(Runnable write) {
    try {
      write.run();
      return "stored";
    } catch (MongoWriteException refused) {
      return refused.getError().getCategory().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    } catch (MongoServerException refused) {
      return refused.getMessage();
    }
  }
}
