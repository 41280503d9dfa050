package testbed.broker.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static testbed.broker.Examples.UCD;
import static testbed.broker.Examples.moviesOf;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.support.converter.MessageConversionException;
import org.springframework.amqp.support.converter.SimpleMessageConverter;
import testbed.broker.operation.Answer;
import testbed.broker.operation.Client;
import testbed.broker.operation.Correlations;
import testbed.broker.operation.Correlations.Limits;
import testbed.broker.operation.Operation;
import testbed.broker.operation.Operations;
import testbed.broker.operation.Origin;
import testbed.broker.operation.RequestChannel.Delivery;
import testbed.cinemas.KnownCinemas;
import testbed.contracts.message.CinemaMessage.ListMovies;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;

/** Responses reach the operation whose id they carry, without an AMQP server. */
class ResponseListenerTest {

  private static final Operation<MoviesListed> MOVIES = Operation.atEveryCinema(MoviesListed.class);

  private int read;
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final KnownCinemas cinemas =
      new KnownCinemas(Duration.ofSeconds(60), Duration.ofHours(1), InstantSource.system());
  private final Correlations store =
      new Correlations(
          new Limits(
              10,
              Long.MAX_VALUE,
              Duration.ofSeconds(60),
              Duration.ofSeconds(90),
              Duration.ofSeconds(90)),
          InstantSource.system(),
          System::nanoTime);
  private final Operations operations =
      new Operations(
          store,
          cinemas,
          (id, operation, request, answered) -> Delivery.CONFIRMED,
          () -> Client.ANONYMOUS,
          () -> Origin.UNTRACED);
  private final ResponseListener listener =
      new ResponseListener(
          new SimpleMessageConverter() {
            @Override
            public Object fromMessage(Message message) {
              read++;
              return moviesOf(UCD);
            }
          },
          operations,
          meters);

  @Test
  void givesAnAnswerToTheOperationWhoseIdItCarriesAndToNoOther() {
    cinemas.seen(UCD);
    var first = operations.start(MOVIES, new ListMovies());
    var second = operations.start(MOVIES, new ListMovies());

    listener.onMessage(under(first.toString()));

    assertThat(operations.fetch(first, MOVIES, Duration.ZERO))
        .contains(new Answer<>(List.of(moviesOf(UCD)), List.of()));
    assertThat(operations.fetch(second, MOVIES, Duration.ZERO)).isEmpty();
    assertThat(received("accepted")).isEqualTo(1);
  }

  @Test
  void passesOnHowLargeAnAnswerIs() {
    cinemas.seen(UCD);
    var id = operations.start(MOVIES, new ListMovies());
    long before = store.bytes();

    listener.onMessage(under(id.toString()));

    assertThat(store.bytes()).isGreaterThan(before);
  }

  @Test
  void readsAListOnceAsLongAsItsMessageIsTheSame() {
    listener.onMessage(under(UUID.randomUUID().toString()));
    listener.onMessage(under(UUID.randomUUID().toString()));
    assertThat(read).isEqualTo(1);

    var otherBody = under(UUID.randomUUID().toString());
    otherBody.getBody()[0]++;
    var otherType = under(UUID.randomUUID().toString());
    otherType.getMessageProperties().setHeader("__TypeId__", "java.util.ArrayList");
    var otherContent = under(UUID.randomUUID().toString());
    otherContent.getMessageProperties().setContentType("application/x-java-serialized-object");
    var otherEncoding = under(UUID.randomUUID().toString());
    otherEncoding.getMessageProperties().setContentEncoding("UTF-16");

    List.of(otherBody, otherType, otherContent, otherEncoding).forEach(listener::onMessage);

    assertThat(read).isEqualTo(5);
  }

  @Test
  void countsWhatNobodyWaitsFor() {
    listener.onMessage(under(UUID.randomUUID().toString()));

    assertThat(received("unknown")).isEqualTo(1);
  }

  @Test
  void cannotReadAnAnswerWithoutAnId() {
    assertThatThrownBy(() -> listener.onMessage(under(null)))
        .isInstanceOf(MessageConversionException.class);
  }

  private double received(String reception) {
    return meters.get("broker.responses").tag("reception", reception).counter().count();
  }

  private static Message under(String correlationId) {
    var properties = new MessageProperties();
    properties.setCorrelationId(correlationId);
    return new Message(new byte[500], properties);
  }
}
