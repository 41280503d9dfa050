package testbed.broker.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static testbed.broker.Examples.CINEWORLD;
import static testbed.broker.Examples.UCD;
import static testbed.broker.Examples.reservationFor;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.AmqpConnectException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionBlockedEvent;
import org.springframework.amqp.rabbit.connection.ConnectionUnblockedEvent;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.connection.CorrelationData.Confirm;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import testbed.broker.operation.CorrelationId;
import testbed.broker.operation.Operation;
import testbed.broker.operation.RequestChannel.Delivery;
import testbed.cinemas.KnownCinemas;
import testbed.contracts.IdempotencyKey;
import testbed.contracts.message.CinemaMessage.ListMovies;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;
import testbed.contracts.message.CinemaMessage.MakeReservation;
import testbed.contracts.message.CinemaMessage.MakeReservation.ReservationMade;
import testbed.contracts.message.CinemaMessage.Question;
import testbed.contracts.message.CinemaMessage.Response;
import testbed.contracts.message.Topology;
import testbed.messaging.BlockedConnection;

/** How a request is addressed and what becomes of it, without an AMQP server. */
class RequestPublisherTest {

  private static final Operation<MoviesListed> MOVIES = Operation.atEveryCinema(MoviesListed.class);
  private static final Operation<ReservationMade> AT_UCD =
      Operation.at("ucd", ReservationMade.class);
  private static final Confirm ACK = new Confirm(true, null);
  private static final Confirm NACK = new Confirm(false, null);
  private static final Consumer<CompletableFuture<Confirm>> UNREACHABLE =
      confirm -> {
        throw new AmqpConnectException(new IllegalStateException("refused"));
      };

  private final CorrelationId id = new CorrelationId(UUID.randomUUID());
  private final CompletableFuture<Void> answered = new CompletableFuture<>();
  private final List<String> keys = new ArrayList<>();
  private MessageProperties sent = new MessageProperties();
  private Consumer<CompletableFuture<Confirm>> server = confirm -> confirm.complete(ACK);
  private final RabbitTemplate template =
      new RabbitTemplate(new CachingConnectionFactory()) {
        @Override
        public void convertAndSend(
            String exchange,
            String routingKey,
            Object request,
            MessagePostProcessor addressed,
            CorrelationData confirmation) {
          keys.add(routingKey);
          sent = addressed.postProcessMessage(new Message(new byte[0])).getMessageProperties();
          server.accept(confirmation.getFuture());
        }
      };
  private final BlockedConnection connection = new BlockedConnection();
  private final KnownCinemas cinemas =
      new KnownCinemas(Duration.ofHours(1), Duration.ofHours(1), InstantSource.system());
  private final Withdrawals withdrawals = new Withdrawals(template, connection);
  private int broker = 1;

  @Test
  void sendsAListToEveryCinemaAndLetsItExpireAtTheDeadline() {
    assertThat(listMovies()).isEqualTo(Delivery.CONFIRMED);

    assertThat(keys).containsExactly("request.to.cinema");
    assertThat(sent.getCorrelationId()).isEqualTo(id.toString());
    assertThat(sent.getDeliveryMode()).isEqualTo(MessageDeliveryMode.NON_PERSISTENT);
    assertThat(sent.getExpiration()).isEqualTo("5000");
  }

  @Test
  void sendsAReservationToOneCinemaAndLetsItLast() {
    assertThat(reserve()).isEqualTo(Delivery.CONFIRMED);

    assertThat(keys).containsExactly("request.to.cinema.ucd");
    assertThat(sent.getCorrelationId()).isEqualTo(id.toString());
    assertThat(sent.getDeliveryMode()).isEqualTo(MessageDeliveryMode.PERSISTENT);
    assertThat(sent.getExpiration()).isNull();
    assertThat(withdrawals.waiting()).isZero();
  }

  @Test
  void namesTheWayBackUnlessItIsTheFirstBrokers() {
    reserve();
    assertThat(sent.getReplyTo()).isNull();

    broker = 2;
    reserve();
    assertThat(sent.getReplyTo()).isEqualTo("response.from.cinema.2");
  }

  @Test
  void takesAnAnswerForAConfirmation() {
    server = confirm -> answered.complete(null);

    assertThat(reserve()).isEqualTo(Delivery.CONFIRMED);
    assertThat(withdrawals.waiting()).isZero();
  }

  @Test
  void withdrawsAReservationThatIsNotConfirmedInTime() {
    server = confirm -> {};

    assertThat(reserve()).isEqualTo(Delivery.UNCONFIRMED);
    assertThat(withdrawals.waiting()).isOne();
  }

  @Test
  void withdrawsAReservationWhoseChannelEndsBeforeItIsConfirmed() {
    server = confirm -> confirm.complete(new Confirm(false, "connection reset"));

    assertThat(reserve()).isEqualTo(Delivery.UNCONFIRMED);
    assertThat(withdrawals.waiting()).isOne();
  }

  @Test
  void leavesAReservationWithAKeyToItsClientAndSaysThatItMayBeMade() {
    server = confirm -> {};

    assertThat(reserveWithKey()).isEqualTo(Delivery.UNKNOWN);
    assertThat(withdrawals.waiting()).isZero();
  }

  @Test
  void saysThatAReservationWithAKeyIsNotMadeIfItHasNotLeft() {
    server = UNREACHABLE;

    assertThat(reserveWithKey()).isEqualTo(Delivery.UNCONFIRMED);
  }

  @Test
  void doesNotWithdrawAListBecauseItExpires() {
    server = confirm -> {};

    assertThat(listMovies()).isEqualTo(Delivery.UNCONFIRMED);
    assertThat(withdrawals.waiting()).isZero();
  }

  @Test
  void doesNotWithdrawWhatTheServerHasRefused() {
    server = confirm -> confirm.complete(NACK);

    assertThat(reserve()).isEqualTo(Delivery.REFUSED);
    assertThat(withdrawals.waiting()).isZero();
  }

  @Test
  void sendsAListToEachCinemaIfAFullQueueRefusesItForAll() {
    cinemas.seen(CINEWORLD);
    cinemas.seen(UCD);
    server = confirm -> confirm.complete(keys.getLast().endsWith("ucd") ? ACK : NACK);

    assertThat(listMovies()).isEqualTo(Delivery.CONFIRMED);
    assertThat(keys)
        .containsExactly(
            "request.to.cinema", "request.to.cinema.cineworld", "request.to.cinema.ucd");
  }

  @Test
  void sendsAListToNoFurtherCinemaIfTheServerIsGone() {
    cinemas.seen(CINEWORLD);
    cinemas.seen(UCD);
    server =
        confirm -> {
          if (keys.size() == 1) {
            confirm.complete(NACK);
          }
        };

    assertThat(listMovies()).isEqualTo(Delivery.UNCONFIRMED);
    assertThat(keys).containsExactly("request.to.cinema", "request.to.cinema.cineworld");
  }

  @Test
  void refusesAListThatNoQueueTakes() {
    cinemas.seen(UCD);
    server = confirm -> confirm.complete(NACK);

    assertThat(listMovies()).isEqualTo(Delivery.REFUSED);
  }

  @Test
  void sendsAReservationOnce() {
    cinemas.seen(UCD);
    server = confirm -> confirm.complete(NACK);

    assertThat(reserve()).isEqualTo(Delivery.REFUSED);
    assertThat(keys).hasSize(1);
  }

  @Test
  void doesNotWithdrawWhatHasNotLeft() {
    server = UNREACHABLE;

    assertThat(reserve()).isEqualTo(Delivery.UNCONFIRMED);
    assertThat(withdrawals.waiting()).isZero();
  }

  @Test
  void publishesNothingWhileTheServerHoldsItsPublishersBack() {
    var open = mock(Connection.class);
    when(open.isOpen()).thenReturn(true);
    connection.blocked(new ConnectionBlockedEvent(open, "low on memory"));

    assertThat(reserve()).isEqualTo(Delivery.UNCONFIRMED);
    assertThat(keys).isEmpty();
    assertThat(withdrawals.waiting()).isZero();

    connection.unblocked(new ConnectionUnblockedEvent(open));
    assertThat(reserve()).isEqualTo(Delivery.CONFIRMED);
  }

  @Test
  void publishesAgainAfterABlockedConnectionHasEnded() {
    var ended = mock(Connection.class);
    when(ended.isOpen()).thenReturn(false);
    connection.blocked(new ConnectionBlockedEvent(ended, "low on memory"));

    assertThat(reserve()).isEqualTo(Delivery.CONFIRMED);
  }

  private Delivery listMovies() {
    return send(MOVIES, new ListMovies());
  }

  private Delivery reserve() {
    return send(AT_UCD, new MakeReservation(reservationFor("Jane")));
  }

  private Delivery reserveWithKey() {
    return send(AT_UCD, new MakeReservation(reservationFor("Jane"), new IdempotencyKey("a-key")));
  }

  private <A extends Response> Delivery send(Operation<A> operation, Question<A> request) {
    // The fake server returns after it has delivered everything.
    var publisher =
        new RequestPublisher(
            template,
            connection,
            withdrawals,
            cinemas,
            Topology.responseTo(broker),
            Duration.ofMillis(1),
            Duration.ofSeconds(5));
    return publisher.send(id, operation, request, answered);
  }
}
