package testbed.broker.operation;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import testbed.broker.operation.RequestChannel.Delivery;
import testbed.contracts.CinemaName;
import testbed.contracts.Page;
import testbed.contracts.ReservationRequest;
import testbed.contracts.message.CinemaRequest;
import testbed.contracts.message.CinemaResponse;
import testbed.support.presence.KnownCinemas;
import testbed.support.presence.Presence;
import testbed.support.problem.ProblemException;

/** Starts operations, collects their answers and hands them out. */
public final class Operations {

  private final Correlations correlations;
  private final KnownCinemas cinemas;
  private final RequestChannel requests;
  private final Supplier<Origin> origins;
  private final Catalogues catalogues = new Catalogues();

  /**
   * @param origins the request that is being handled
   */
  public Operations(
      Correlations correlations,
      KnownCinemas cinemas,
      RequestChannel requests,
      Supplier<Origin> origins) {
    this.correlations = correlations;
    this.cinemas = cinemas;
    this.requests = requests;
    this.origins = origins;
  }

  /**
   * Asks every cinema for its movies.
   *
   * @return where the answer will be; the request has been handed over
   * @throws ProblemException if the request is not accepted; then it has no id
   */
  public CorrelationId listMovies() {
    return start(new Operation.ListMovies(), cinemas.presence(), new CinemaRequest.ListMovies());
  }

  /** Asks one cinema for a reservation; otherwise as {@link #listMovies()}. */
  public CorrelationId makeReservation(CinemaName cinema, ReservationRequest reservation) {
    return start(
        new Operation.MakeReservation(cinema), new CinemaRequest.MakeReservation(reservation));
  }

  /** Asks one cinema for a page of its reservations; otherwise as {@link #listMovies()}. */
  public CorrelationId listReservations(CinemaName cinema, Page page) {
    return start(new Operation.ListReservations(cinema), new CinemaRequest.ListReservations(page));
  }

  /**
   * Fetches an answer, as often as the client likes.
   *
   * @param operation what the id was issued for
   * @param wait for how long to wait for everybody's answer; not longer than the deadline
   * @throws ProblemException if there is no such operation or it has failed
   */
  public Answer fetch(CorrelationId id, Operation operation, Duration wait) {
    var correlation = correlations.require(id, operation);
    correlation.origin().fetched();
    correlation.await(Math.min(wait.toNanos(), correlations.nanosLeft(correlation)));
    return correlation.answer(correlations.nanosLeft(correlation) <= 0);
  }

  /** Collects a response from a cinema, whenever and however often it comes. */
  public Reception receive(CorrelationId id, CinemaResponse response) {
    return correlations
        .find(id)
        .map(correlation -> receive(correlation, response))
        .orElse(Reception.UNKNOWN);
  }

  private Reception receive(Correlation correlation, CinemaResponse response) {
    var reception = correlation.collect(catalogues.shared(response));
    if (reception != Reception.ACCEPTED) {
      return reception;
    }
    if (correlation.isComplete()) {
      correlations.settle(correlation);
    }
    return correlations.nanosLeft(correlation) <= 0 ? Reception.LATE : Reception.ACCEPTED;
  }

  private CorrelationId start(Operation.AtOneCinema operation, CinemaRequest.WithResponse request) {
    return start(operation, Presence.of(List.of(operation.cinema()), List.of()), request);
  }

  private CorrelationId start(
      Operation operation, Presence asked, CinemaRequest.WithResponse request) {
    // Before the request leaves, because an answer may be faster than the confirmation.
    var correlation = correlations.open(operation, asked, origins.get());
    var delivery = Delivery.UNCONFIRMED;
    try {
      delivery = requests.send(correlation.id(), operation, request);
    } finally {
      if (delivery != Delivery.CONFIRMED) {
        correlations.discard(correlation);
      }
    }
    return switch (delivery) {
      case CONFIRMED -> correlation.id();
      case UNCONFIRMED -> throw Unavailable.notConfirmed();
      case REFUSED -> throw refused(operation);
    };
  }

  private ProblemException refused(Operation operation) {
    return switch (operation) {
      case Operation.AtOneCinema one when !cinemas.knows(one.cinema()) ->
          new CinemaUnknown(one.cinema().value());
      default -> Unavailable.noQueue();
    };
  }
}
