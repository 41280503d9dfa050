#!/usr/bin/env bash
# mongo-java-server 1.47.0 with mongodb-driver-sync 5.6.1.
# Guess: as in MongoDB, 1 and 1.0 are equal, yet an update stores the type that it is given: `$set` of 1.0 on 1
# modifies one document. For a set or a removal they are the same: `$addToSet` of 1.0 leaves [1].
# What happens: `$set` of 1.0 or of a long 1 on 1 stores nothing. `replaceOne` stores it and counts 0 modified. 2.50 on
# the decimal 2.5 is lost. `$addToSet` makes [1, 1.0], and `$pull` of 1.0 then removes both.
# Why it matters: a migration of a field's type passes its test without having changed anything, or is counted as
# having changed nothing; a set of seat numbers sent by two clients holds a seat twice.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries de.bwaldvogel:mongo-java-server:1.47.0 org.mongodb:mongodb-driver-sync:5.6.1 org.slf4j:slf4j-nop:2.0.17

cat > NumberTypes.java <<'END'
import com.mongodb.client.MongoCollection;
import java.util.List;
import org.bson.Document;
import org.bson.types.Decimal128;

public class NumberTypes extends MongoJavaServer {

  static final MongoCollection<Document> SEATS = database().getCollection("seats");

  /** Begins again, with one document. */
  static void begin(Object number) {
    SEATS.drop();
    SEATS.insertOne(new Document("number", number));
  }

  static Object stored() {
    return SEATS.find().first().get("number");
  }

  /** How many documents an update modifies. */
  static long update(String operator, Object number) {
    return SEATS.updateOne(new Document(), new Document(operator, new Document("number", number))).getModifiedCount();
  }

  static void set(Object before, Object after) {
    begin(before);
    long modified = update("$set", after);
    System.out.printf(
        "$set of %s (%s) on %s: modified %d, stored %s (%s)%n",
        after, after.getClass().getSimpleName(), before, modified, stored(), stored().getClass().getSimpleName());
    expect(modified == 0 && stored().equals(before), "$set stores nothing");
  }

  public static void main(String[] arguments) {
    set(1, 1.0);
    set(1, 1L);
    set(Decimal128.parse("2.5"), Decimal128.parse("2.50"));

    begin(1);
    long replaced = SEATS.replaceOne(new Document(), new Document("number", 1.0)).getModifiedCount();
    System.out.printf("replaceOne: modified %d, stored %s%n", replaced, stored());
    expect(replaced == 0 && stored().equals(1.0), "replaceOne stores, and counts 0");

    begin(List.of(1));
    long added = update("$addToSet", 1.0);
    System.out.printf("$addToSet of 1.0 on [1]: modified %d, stored %s%n", added, stored());
    expect(added == 1 && stored().equals(List.of(1, 1.0)), "a set has 1 and 1.0");
    update("$pull", 1.0);
    System.out.printf("$pull of 1.0: %s%n", stored());
    expect(stored().equals(List.of()), "$pull removes both");
    System.exit(0);
  }
}
END
run_java NumberTypes MongoJavaServer
