package testbed.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.support.converter.MessageConversionException;
import org.springframework.amqp.support.converter.MessageConverter;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.contracts.IdempotencyKey;
import testbed.contracts.MovieId;
import testbed.contracts.Page;
import testbed.contracts.ProblemType;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.contracts.ReservationPage;
import testbed.contracts.ReservationRequest;
import testbed.contracts.ShowTime;
import testbed.contracts.message.CinemaMessage.AnnouncePresence;
import testbed.contracts.message.CinemaMessage.CinemaPresent;
import testbed.contracts.message.CinemaMessage.ListMovies;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;
import testbed.contracts.message.CinemaMessage.ListReservations;
import testbed.contracts.message.CinemaMessage.ListReservations.ReservationsListed;
import testbed.contracts.message.CinemaMessage.MakeReservation;
import testbed.contracts.message.CinemaMessage.MakeReservation.ReservationMade;
import testbed.contracts.message.CinemaMessage.RequestRejected;
import testbed.contracts.message.CinemaMessage.WithdrawReservation;
import tools.jackson.databind.json.JsonMapper;

class MessageFormatTest {

  private static final CinemaName UCD = new CinemaName("ucd");
  private static final ReservationRequest WANTED =
      new ReservationRequest(
          "Jane Doe",
          "jane.doe@ucd.ie",
          new MovieId("UCD001"),
          LocalDate.of(2022, 4, 15),
          ShowTime.parse("18:15"),
          2,
          "Gold",
          new BigDecimal("30.00"));
  private static final Reservation MADE =
      Reservation.of(new ReservationId(UUID.randomUUID()), WANTED);

  private final MessageConverter format =
      new MessageFormat().messageConverter(JsonMapper.builder().build());

  static Stream<Arguments> messages() {
    return Stream.of(
        Arguments.of("announce-presence", new AnnouncePresence()),
        Arguments.of("list-movies", new ListMovies()),
        Arguments.of("list-reservations", new ListReservations(new Page(2, 20))),
        Arguments.of("make-reservation", new MakeReservation(WANTED)),
        Arguments.of("withdraw-reservation", new WithdrawReservation()),
        Arguments.of("make-reservation", new MakeReservation(WANTED, new IdempotencyKey("one"))),
        Arguments.of("movies-listed", new MoviesListed(UCD, Cinema.of(UCD, List.of()))),
        Arguments.of("reservation-made", new ReservationMade(UCD, MADE)),
        Arguments.of(
            "reservations-listed",
            new ReservationsListed(UCD, new ReservationPage(List.of(MADE), Page.FIRST, 1))),
        Arguments.of(
            "request-rejected",
            new RequestRejected(UCD, ProblemType.SHOWING_UNKNOWN, "Not shown.")),
        Arguments.of("cinema-present", new CinemaPresent(UCD)));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void carriesEveryMessageUnderAStableId(String id, Object message) {
    var written = format.toMessage(message, new MessageProperties());

    assertThat(written.getMessageProperties().getHeaders()).containsEntry("__TypeId__", id);
    assertThat(new String(written.getBody())).doesNotContain("testbed.");
    assertThat(format.fromMessage(written)).isEqualTo(message);
  }

  @Test
  void writesNoKeyWhereThereIsNone() {
    var written = format.toMessage(new MakeReservation(WANTED), new MessageProperties());

    // As it was written before there were keys: each side may be the older one.
    assertThat(new String(written.getBody())).startsWith("{\"reservation\":{").endsWith("}}");
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "delete-everything",
        "testbed.contracts.Cinema",
        "java.io.File",
        // What the library would build: it trusts java.lang and java.util.
        "java.lang.ProcessBuilder",
        "java.lang.String",
        "java.util.Locale",
        "[Ljava.lang.String;"
      })
  void buildsNoOtherTypes(@Nullable String id) {
    var message = format.toMessage(new CinemaPresent(UCD), new MessageProperties());
    message.getMessageProperties().setHeader("__TypeId__", id);

    assertThatThrownBy(() -> format.fromMessage(message))
        .isInstanceOf(MessageConversionException.class)
        .hasMessage("no message has this type id");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"application/x-java-serialized-object", "application/x-anything", "text/plain"})
  void readsNothingButJson(String contentType) throws IOException {
    var bytes = new ByteArrayOutputStream();
    new ObjectOutputStream(bytes).writeObject(new Hostile());
    var message =
        MessageBuilder.withBody(bytes.toByteArray())
            .setContentType(contentType)
            .setHeader("__TypeId__", "cinema-present")
            .build();

    assertThat(format.fromMessage(message)).isEqualTo(bytes.toByteArray());
    assertThat(Hostile.READ).isFalse();
  }

  private static final class Hostile implements Serializable {

    private static final AtomicBoolean READ = new AtomicBoolean();

    private void readObject(ObjectInputStream ignored) {
      READ.set(true);
    }
  }
}
