package testbed.cinema.reservation;

import com.mongodb.client.model.FindOneAndReplaceOptions;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Supplier;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Sort;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.stereotype.Component;
import testbed.cinema.CinemaSettings;
import testbed.cinema.Work;
import testbed.cinema.movie.MovieUnknown;
import testbed.cinema.movie.Movies;
import testbed.cinema.movie.ShowingUnknown;
import testbed.contracts.CinemaName;
import testbed.contracts.IdempotencyKey;
import testbed.contracts.Page;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.contracts.ReservationPage;
import testbed.contracts.ReservationRequest;
import testbed.support.deadline.Deadline;
import testbed.support.handicap.Handicap;
import testbed.support.problem.ProblemException;

/** The cinema's reservations. */
@Component
public class Reservations {

  static final String COLLECTION = "reservations";
  // The property's name: "_id" is no property, which costs an exception for each query.
  private static final Sort BY_ID = Sort.by("id");

  /** A withdrawn reservation leaves its id in the collection, and nothing else. */
  private static final Criteria NOT_WITHDRAWN = Criteria.where("movieId").exists(true);

  private final CinemaName cinema;
  private final Movies movies;
  private final Seats seats;
  private final Insertions insertions;
  private final MongoOperations database;
  private final Work making;

  Reservations(
      CinemaSettings settings,
      Movies movies,
      Seats seats,
      Insertions insertions,
      MongoOperations database,
      MeterRegistry meters,
      Handicap handicap) {
    this.cinema = settings.cinemaName();
    this.movies = movies;
    this.seats = seats;
    this.insertions = insertions;
    this.database = database;
    this.making = new Work(meters, handicap, "reserve");
  }

  /**
   * Stores a reservation once for each request: under its client's key, or under an id of its own.
   *
   * @param key what the client calls the request, if anything
   * @param id of the reservation if there is no key
   * @throws ProblemException if there is no reservation
   */
  public Reservation make(
      @Nullable IdempotencyKey key, Supplier<ReservationId> id, ReservationRequest request) {
    return key == null ? make(id.get(), request) : make(key, request);
  }

  /**
   * Stores a reservation once: under an id that has been used, the first one is answered again.
   *
   * @throws MovieUnknown if the cinema does not have the movie
   * @throws ShowingUnknown if it is not shown at that time
   * @throws IdempotencyKeyReused if another request of the same key has the seats
   * @throws SoldOut if too few seats are left
   * @throws ReservationUnknown if the first one was withdrawn
   * @throws testbed.support.deadline.DeadlinePassed if the caller may not wait for the end of it
   */
  public Reservation make(ReservationId id, ReservationRequest request) {
    var wanted = Reservation.of(id, request);
    return making.measured(
        () -> {
          movies.requireShowing(request.movieId(), request.showTime());
          Deadline.requireMargin();
          seats.take(wanted);
          insertions.insert(wanted);
          return wanted;
        },
        alreadyMade -> first(wanted));
  }

  /** The reservation that was made before under the same id. */
  private Reservation first(Reservation wanted) {
    var made = find(wanted.id());
    if (made == null || !Seats.areOfOneShowing(made, wanted)) {
      seats.giveBack(wanted);
    }
    return existing(made, wanted.id());
  }

  /**
   * Stores a reservation once for each key: the same request is answered with the reservation that
   * it has made, even if the showing has left the catalogue or is sold out since.
   *
   * @throws IdempotencyKeyReused if another request has used the key
   * @throws MovieUnknown if the cinema does not have the movie
   * @throws ShowingUnknown if it is not shown at that time
   * @throws SoldOut if too few seats are left
   * @throws ReservationUnknown if the first one was withdrawn
   * @throws testbed.support.deadline.DeadlinePassed if the caller may not wait for the end of it
   */
  public Reservation make(IdempotencyKey key, ReservationRequest request) {
    var reservation = makeOrFind(key.reservationId(), request);
    if (!reservation.fulfils(request)) {
      throw new IdempotencyKeyReused();
    }
    return reservation;
  }

  /** Looks for one that was made before only if there cannot be another. */
  private Reservation makeOrFind(ReservationId id, ReservationRequest request) {
    try {
      return make(id, request);
    } catch (MovieUnknown | ShowingUnknown | SoldOut refused) {
      var made = find(id);
      if (made == null) {
        throw refused;
      }
      return made;
    }
  }

  /**
   * The reservation with this id.
   *
   * @throws ReservationUnknown if there is none, or it was withdrawn
   */
  public Reservation get(ReservationId id) {
    return existing(find(id), id);
  }

  private Reservation existing(@Nullable Reservation reservation, ReservationId id) {
    if (reservation == null) {
      throw new ReservationUnknown(cinema, id);
    }
    return reservation;
  }

  private @Nullable Reservation find(ReservationId id) {
    var wanted = Query.query(Criteria.where("id").is(id)).addCriteria(NOT_WITHDRAWN);
    return database.findOne(wanted, Reservation.class, COLLECTION);
  }

  /** A page of the reservations, by id. For administrators; the front door checks that. */
  public ReservationPage list(Page page) {
    var wanted = new Query(NOT_WITHDRAWN).with(BY_ID).skip(page.offset()).limit(page.size());
    return new ReservationPage(
        database.find(wanted, Reservation.class, COLLECTION),
        page,
        database.count(new Query(NOT_WITHDRAWN), COLLECTION));
  }

  /**
   * Takes a reservation back. The id stays used, so that one that is delivered later is not stored:
   * its insertion meets the same id.
   */
  public void withdraw(ReservationId id) {
    var used = new Document("_id", id.toString());
    // At once: no insertion may come between a look and the replacement.
    var before =
        database.execute(
            COLLECTION,
            stored ->
                stored.findOneAndReplace(used, used, new FindOneAndReplaceOptions().upsert(true)));
    if (before != null && before.containsKey("movieId")) {
      seats.giveBack(database.getConverter().read(Reservation.class, before));
    }
  }
}
