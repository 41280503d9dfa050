package testbed.contracts.message;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeName;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.contracts.IdempotencyKey;
import testbed.contracts.Page;
import testbed.contracts.ProblemType;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.contracts.ReservationPage;
import testbed.contracts.ReservationRequest;

/**
 * What the broker, the cinemas and the ticket service send each other. A message travels as a JSON
 * body under the stable id that it declares here.
 *
 * <p>An operation is a {@link Question} with its answer inside. A new one also needs a case in the
 * cinema's request listener and an endpoint of the broker, and nothing else.
 */
public sealed interface CinemaMessage {

  /** What the broker asks of cinemas. The AMQP correlation id is the request's identity. */
  sealed interface Request extends CinemaMessage {}

  /** What a cinema answers with an {@code A} or a {@link RequestRejected}. */
  sealed interface Question<A extends Response> extends Request {

    /** Whether it waits for a cinema that is away. Others expire when nobody waits any more. */
    default boolean lasting() {
      return false;
    }

    /** What takes it back, under its correlation id; empty if that is not worth a message. */
    default Optional<Request> withdrawal() {
      return Optional.empty();
    }
  }

  /** What a cinema answers, under the correlation id of the request. */
  sealed interface Response extends CinemaMessage {

    /** The cinema that answers. */
    CinemaName cinema();
  }

  /** Asks for the catalogue. */
  @JsonTypeName("list-movies")
  record ListMovies() implements Question<ListMovies.MoviesListed> {

    @JsonTypeName("movies-listed")
    public record MoviesListed(CinemaName cinema, Cinema catalogue) implements Response {}
  }

  /** Asks for a page of the stored reservations. */
  @JsonTypeName("list-reservations")
  record ListReservations(Page page) implements Question<ListReservations.ReservationsListed> {

    @JsonTypeName("reservations-listed")
    public record ReservationsListed(CinemaName cinema, ReservationPage reservations)
        implements Response {}
  }

  /**
   * Asks for a reservation; its constraints were checked by the sender and are checked again.
   *
   * @param key what the client calls the request; absent on the wire if it calls it nothing
   */
  @JsonTypeName("make-reservation")
  record MakeReservation(
      ReservationRequest reservation,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable IdempotencyKey key)
      implements Question<MakeReservation.ReservationMade> {

    public MakeReservation(ReservationRequest reservation) {
      this(reservation, null);
    }

    @Override
    public boolean lasting() {
      return true;
    }

    /** None with a key: its client can send the request again and gets the same reservation. */
    @Override
    public Optional<Request> withdrawal() {
      return key == null ? Optional.of(new WithdrawReservation()) : Optional.empty();
    }

    /** The reservation as stored. */
    @JsonTypeName("reservation-made")
    public record ReservationMade(CinemaName cinema, Reservation reservation) implements Response {}
  }

  /**
   * Takes the reservation of this correlation id back, made or yet to be made: its client was told
   * that the request was not accepted. There is no response.
   */
  @JsonTypeName("withdraw-reservation")
  record WithdrawReservation() implements Request {}

  /** The request was understood and refused, or failed for good; nothing was stored. */
  @JsonTypeName("request-rejected")
  record RequestRejected(CinemaName cinema, ProblemType problem, String detail)
      implements Response {}

  /** Asks for a sign of presence now; there is no response. */
  @JsonTypeName("announce-presence")
  record AnnouncePresence() implements Request {}

  /**
   * A sign of presence. Every AMQP cinema sends it when it starts, periodically and when asked: how
   * the broker knows whom it asks.
   */
  @JsonTypeName("cinema-present")
  record CinemaPresent(CinemaName cinema) implements CinemaMessage {}

  /**
   * Wants the ticket of a stored reservation: what a cinema asks of the ticket service. There is no
   * response; the ticket is fetched.
   */
  @JsonTypeName("ticket-wanted")
  record TicketWanted(@NotNull ReservationId id, @NotNull @Valid ReservationRequest reservation)
      implements CinemaMessage {}
}
