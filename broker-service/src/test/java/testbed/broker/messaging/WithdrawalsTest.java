package testbed.broker.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.amqp.AmqpConnectException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.core.ReturnedMessage;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionBlockedEvent;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.connection.CorrelationData.Confirm;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import testbed.broker.operation.CorrelationId;
import testbed.contracts.message.CinemaMessage.WithdrawReservation;
import testbed.contracts.message.Topology;
import testbed.messaging.BlockedConnection;

@ExtendWith(OutputCaptureExtension.class)
class WithdrawalsTest {

  private static final String TO_UCD = "request.to.cinema.ucd";

  private record Sent(String key, Object message, MessageProperties properties) {}

  private final List<Sent> sent = new ArrayList<>();
  private Consumer<CorrelationData> server = WithdrawalsTest::confirm;
  private final RabbitTemplate template =
      new RabbitTemplate(new CachingConnectionFactory()) {
        @Override
        public void convertAndSend(
            String exchange,
            String routingKey,
            Object message,
            MessagePostProcessor addressed,
            CorrelationData confirmation) {
          assertThat(exchange).isEqualTo(Topology.EXCHANGE);
          var properties =
              addressed.postProcessMessage(new Message(new byte[0])).getMessageProperties();
          sent.add(new Sent(routingKey, message, properties));
          server.accept(confirmation);
        }
      };
  private final BlockedConnection connection = new BlockedConnection();
  private final Withdrawals withdrawals = new Withdrawals(template, connection);
  private final CorrelationId id = new CorrelationId(UUID.randomUUID());

  @Test
  void sendsAWithdrawalUnderTheIdOfTheRequestToTheSameCinema() {
    withdrawals.add(id, TO_UCD, new WithdrawReservation());

    withdrawals.send();

    var withdrawal = sent.getFirst();
    assertThat(withdrawal.key()).isEqualTo(TO_UCD);
    assertThat(withdrawal.message()).isEqualTo(new WithdrawReservation());
    assertThat(withdrawal.properties().getCorrelationId()).isEqualTo(id.toString());
    assertThat(withdrawal.properties().getDeliveryMode()).isEqualTo(MessageDeliveryMode.PERSISTENT);
  }

  @Test
  void sendsAWithdrawalUntilItIsConfirmed() {
    withdrawals.add(id, TO_UCD, new WithdrawReservation());

    server = unconfirmed -> {};
    withdrawals.send();
    server = refused -> refused.getFuture().complete(new Confirm(false, "connection reset"));
    withdrawals.send();
    server =
        unreachable -> {
          throw new AmqpConnectException(new IllegalStateException("refused"));
        };
    withdrawals.send();
    server = WithdrawalsTest::confirm;
    withdrawals.send();
    withdrawals.send();

    assertThat(sent).hasSize(4);
    assertThat(withdrawals.waiting()).isZero();
  }

  @Test
  void takesAConfirmationThatComesAfterTheNextAttempt() {
    var attempts = new ArrayList<CorrelationData>();
    server = attempts::add;
    withdrawals.add(id, TO_UCD, new WithdrawReservation());
    withdrawals.send();
    withdrawals.send();

    confirm(attempts.getFirst());
    withdrawals.send();

    assertThat(sent).hasSize(2);
    assertThat(withdrawals.waiting()).isZero();
  }

  @Test
  void doesNotGoOnWhileTheServerIsAway() {
    server =
        unreachable -> {
          throw new AmqpConnectException(new IllegalStateException("refused"));
        };
    withdrawals.add(id, TO_UCD, new WithdrawReservation());
    withdrawals.add(id, TO_UCD, new WithdrawReservation());

    withdrawals.send();

    assertThat(sent).hasSize(1);
    assertThat(withdrawals.waiting()).isEqualTo(2);
  }

  @Test
  void withdrawsNothingFromAQueueThatIsNotThere() {
    server =
        confirmation -> {
          confirmation.setReturned(
              new ReturnedMessage(
                  new Message(new byte[0]), 312, "NO_ROUTE", Topology.EXCHANGE, TO_UCD));
          confirmation.getFuture().complete(new Confirm(false, null));
        };
    withdrawals.add(id, TO_UCD, new WithdrawReservation());

    withdrawals.send();
    withdrawals.send();

    assertThat(sent).hasSize(1);
    assertThat(withdrawals.waiting()).isZero();
  }

  @Test
  void waitsWhileTheServerHoldsItsPublishersBack() {
    var open = mock(Connection.class);
    when(open.isOpen()).thenReturn(true);
    connection.blocked(new ConnectionBlockedEvent(open, "low on memory"));
    withdrawals.add(id, TO_UCD, new WithdrawReservation());

    withdrawals.send();

    assertThat(sent).isEmpty();
    assertThat(withdrawals.waiting()).isOne();
  }

  @Test
  void saysWhichRequestItCannotWithdraw(CapturedOutput log) {
    for (int request = 0; request < Withdrawals.CAPACITY; request++) {
      withdrawals.add(new CorrelationId(UUID.randomUUID()), TO_UCD, new WithdrawReservation());
    }
    assertThat(log).doesNotContain("is not withdrawn");

    withdrawals.add(id, TO_UCD, new WithdrawReservation());

    assertThat(withdrawals.waiting()).isEqualTo(Withdrawals.CAPACITY);
    assertThat(log).contains("Request %s is not withdrawn".formatted(id));
  }

  private static void confirm(CorrelationData confirmation) {
    confirmation.getFuture().complete(new Confirm(true, null));
  }
}
