package testbed.cinema.reservation;

import static org.springframework.data.mongodb.core.query.Criteria.where;

import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Date;
import java.util.HashMap;
import java.util.Map.Entry;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.Document;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.stereotype.Component;
import testbed.cinema.Joining;
import testbed.contracts.Reservation;

/**
 * The seats of each showing, where they are limited. One document for each showing counts the seats
 * that are taken and names the reservations that have them: one conditional update takes seats, and
 * takes them once for each reservation.
 *
 * <p>Seats are taken before the reservation is stored. If storing fails, the seats stay taken for a
 * while: when the showing is found sold out, older seats without a stored reservation are given
 * back.
 */
@Component
class Seats {

  static final String COLLECTION = "showings";

  /** Longer than a reservation takes to be stored, whatever the preset. */
  static final Duration GRACE = Duration.ofMinutes(3);

  private static final UpdateOptions UPSERT = new UpdateOptions().upsert(true);

  private static final String TAKEN = "taken";
  private static final String HOLDERS = "holders";
  private static final String TICKETS = "tickets";
  private static final String AT = "at";

  /** The time up to which every holder is known to have a reservation. */
  private static final String CHECKED = "checked";

  private final int limit;
  private final MongoOperations database;
  private final WriteQueue showings;
  private final InstantSource clock;

  @Autowired
  Seats(SeatSettings settings, MongoOperations database, Joining joining) {
    this(settings, database, joining, InstantSource.system());
  }

  Seats(SeatSettings settings, MongoOperations database, Joining joining, InstantSource clock) {
    this.limit = settings.seats();
    this.database = database;
    this.showings = new WriteQueue(COLLECTION, database, joining);
    this.clock = clock;
  }

  /**
   * Takes seats for a reservation that is about to be stored, unless it has them already.
   *
   * @throws IdempotencyKeyReused if its id has seats for another number of tickets, which only
   *     happens with a key
   * @throws SoldOut if there are too few
   */
  void take(Reservation wanted) {
    if (limit == 0) {
      return;
    }
    if (wanted.tickets() > limit) {
      throw new SoldOut(wanted);
    }
    var showing = showing(wanted);
    while (!taken(showing, wanted)) {
      var stored = database.findById(showing, Document.class, COLLECTION);
      if (stored == null) {
        // Removed meanwhile.
        continue;
      }
      if (holders(stored).get(wanted.id().toString()) instanceof Document holder) {
        if (holder.getInteger(TICKETS) != wanted.tickets()) {
          throw new IdempotencyKeyReused();
        }
        if (kept(showing, wanted)) {
          return;
        }
      } else if (stored.getInteger(TAKEN) + wanted.tickets() > limit
          && !freed(showing, stored, wanted)) {
        throw new SoldOut(wanted);
      }
    }
  }

  /** Gives back the seats of a reservation that is no longer stored, if it has any. */
  void giveBack(Reservation withdrawn) {
    if (limit > 0) {
      var id = withdrawn.id().toString();
      giveBack(where(holder(id)).exists(true), showing(withdrawn), id, withdrawn.tickets());
    }
  }

  /** False if too few seats are free, or the reservation has some already. */
  private boolean taken(String showing, Reservation wanted) {
    var tickets = wanted.tickets();
    var holder = holder(wanted.id().toString());
    var fits =
        new Document("_id", showing)
            .append(TAKEN, new Document("$lte", limit - tickets))
            .append(holder, new Document("$exists", false));
    var taking =
        new Document("$inc", new Document(TAKEN, tickets))
            .append(
                "$set",
                new Document(
                    holder, new Document(TICKETS, tickets).append(AT, Date.from(clock.instant()))));
    try {
      // Makes the showing's document if there is none. Where it does not fit, that would be a
      // second one, which the database refuses.
      showings.write(new UpdateOneModel<>(fits, taking, UPSERT));
      return true;
    } catch (DuplicateKeyException refused) {
      return false;
    } catch (MayBeStored unsure) {
      // The seats may be taken; the reservation is not stored.
      throw new DataAccessResourceFailureException("The reservation is not stored", unsure);
    }
  }

  /** Renews the time of its seats; false if they were given back meanwhile. */
  private boolean kept(String showing, Reservation wanted) {
    var holder = holder(wanted.id().toString());
    return updates(
        where("_id").is(showing).and(holder + "." + TICKETS).is(wanted.tickets()),
        new Update().set(holder + "." + AT, Date.from(clock.instant())));
  }

  /** Whether any seats could be given back. */
  private boolean freed(String showing, Document stored, Reservation wanted) {
    var until = Date.from(clock.instant().minus(GRACE));
    var since = stored.getDate(CHECKED);
    var unchecked =
        holders(stored).entrySet().stream()
            .filter(
                holder -> at(holder).before(until) && (since == null || !at(holder).before(since)))
            .collect(Collectors.toMap(Entry::getKey, Seats::tickets));
    if (unchecked.isEmpty()) {
      return false;
    }
    var orphans = new HashMap<>(unchecked);
    orphans.keySet().removeAll(booked(unchecked.keySet(), wanted));
    // Except those that were renewed since they were read.
    orphans.forEach(
        (id, tickets) -> giveBack(where(holder(id) + "." + AT).lt(until), showing, id, tickets));
    updates(where("_id").is(showing), new Update().set(CHECKED, until));
    return !orphans.isEmpty();
  }

  /** The ids of stored reservations for the same showing. */
  private Set<String> booked(Set<String> ids, Reservation sameShowing) {
    var query =
        Query.query(
            where("_id")
                .in(ids)
                .and("movieId")
                .is(sameShowing.movieId().value())
                .and("date")
                .is(sameShowing.date().toString())
                .and("showTime")
                .is(sameShowing.showTime().toString()));
    query.fields().include("_id");
    return database.find(query, Document.class, Reservations.COLLECTION).stream()
        .map(stored -> stored.getString("_id"))
        .collect(Collectors.toSet());
  }

  private void giveBack(Criteria criteria, String showing, String id, int tickets) {
    updates(criteria.and("_id").is(showing), new Update().inc(TAKEN, -tickets).unset(holder(id)));
  }

  private boolean updates(Criteria which, Update update) {
    return database.updateFirst(Query.query(which), update, COLLECTION).getMatchedCount() == 1;
  }

  private static Document holders(Document stored) {
    return stored.get(HOLDERS, Document.class);
  }

  private static String holder(String id) {
    return HOLDERS + "." + id;
  }

  private static Date at(Entry<String, Object> holder) {
    return ((Document) holder.getValue()).getDate(AT);
  }

  private static Integer tickets(Entry<String, Object> holder) {
    return ((Document) holder.getValue()).getInteger(TICKETS);
  }

  /** Whether two reservations take seats of the same showing. */
  static boolean areOfOneShowing(Reservation first, Reservation second) {
    return showing(first).equals(showing(second));
  }

  private static String showing(Reservation of) {
    return "%s %s %s".formatted(of.movieId(), of.date(), of.showTime());
  }
}
