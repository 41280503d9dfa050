package testbed.broker.operation;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import testbed.broker.operation.RequestChannel.Delivery;
import testbed.cinemas.KnownCinemas;
import testbed.cinemas.Presence;
import testbed.contracts.CinemaName;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;
import testbed.contracts.message.CinemaMessage.Question;
import testbed.contracts.message.CinemaMessage.Response;
import testbed.support.json.LastMade;
import testbed.support.problem.ProblemException;

/** Starts operations, collects their answers and hands them out. */
public final class Operations {

  private final Correlations correlations;
  private final KnownCinemas cinemas;
  private final RequestChannel requests;
  private final Supplier<Client> clients;
  private final Supplier<Origin> origins;

  /** Equal catalogues are one object: thousands of answers are held at a time. */
  private final LastMade<CinemaName, MoviesListed, MoviesListed> catalogues =
      new LastMade<>(MoviesListed::equals, Function.identity());

  /**
   * @param clients the client whose request is being handled
   * @param origins the request that is being handled
   */
  public Operations(
      Correlations correlations,
      KnownCinemas cinemas,
      RequestChannel requests,
      Supplier<Client> clients,
      Supplier<Origin> origins) {
    this.correlations = correlations;
    this.cinemas = cinemas;
    this.requests = requests;
    this.clients = clients;
    this.origins = origins;
  }

  /**
   * Asks the cinemas.
   *
   * @return the id of the answer; the AMQP server has taken the request over
   * @throws ProblemException if the request is not accepted, or may be carried out without its
   *     client getting an id
   */
  public <A extends Response> CorrelationId start(Operation<A> operation, Question<A> request) {
    var asked =
        operation
            .cinema()
            .map(cinema -> Presence.of(List.of(cinema), List.of()))
            .orElseGet(cinemas::presence);
    // Before the request leaves, because an answer may be faster than the confirmation.
    var correlation = correlations.open(operation, asked, clients.get(), origins.get());
    var delivery = Delivery.UNCONFIRMED;
    try {
      delivery = requests.send(correlation.id(), operation, request, correlation.completion());
    } finally {
      if (delivery != Delivery.CONFIRMED) {
        correlations.discard(correlation);
      }
    }
    return switch (delivery) {
      case CONFIRMED -> correlation.id();
      case UNCONFIRMED -> throw Unavailable.notConfirmed();
      case UNKNOWN -> throw new MayBeCarriedOut();
      case REFUSED -> throw refused(operation);
    };
  }

  /**
   * Fetches an answer, for the client that asked. A complete one can be fetched again for a while.
   *
   * @param operation what the id was issued for
   * @param wait for how long to wait for everybody's answer; not longer than the deadline
   * @return nothing while cinemas that were asked may still answer
   * @throws ProblemException if there is no such operation or it has failed
   */
  public <A extends Response> Optional<Answer<A>> fetch(
      CorrelationId id, Operation<A> operation, Duration wait) {
    var correlation = correlations.require(id, operation, clients.get());
    correlation.origin().fetched();
    correlation.await(Math.min(wait.toNanos(), correlations.nanosLeft(correlation)));
    if (correlation.isComplete()) {
      correlations.fetched(correlation);
    }
    return correlation.answer(operation.answer(), correlations.nanosLeft(correlation) <= 0);
  }

  /**
   * Collects a response from a cinema, whenever and however often it comes.
   *
   * @param body the size of its message's body, in bytes
   */
  public Reception receive(CorrelationId id, Response response, int body) {
    return correlations
        .find(id)
        .map(correlation -> receive(correlation, response, body))
        .orElse(Reception.UNKNOWN);
  }

  private Reception receive(Correlation correlation, Response response, int body) {
    var shared =
        response instanceof MoviesListed listed ? catalogues.of(listed.cinema(), listed) : response;
    var reception = correlation.collect(shared);
    if (reception != Reception.ACCEPTED) {
      return reception;
    }
    correlations.collected(correlation, shared == response ? body : 0);
    return correlations.nanosLeft(correlation) <= 0 ? Reception.LATE : Reception.ACCEPTED;
  }

  private ProblemException refused(Operation<?> operation) {
    return operation
        .cinema()
        .filter(cinema -> !cinemas.knows(cinema))
        .<ProblemException>map(unknown -> new CinemaUnknown(unknown.value()))
        .orElseGet(Unavailable::noQueue);
  }
}
