package testbed.messaging;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static testbed.messaging.ConfirmedConnection.requireTaken;

import org.junit.jupiter.api.Test;
import org.springframework.amqp.AmqpTimeoutException;
import org.springframework.amqp.core.AmqpMessageReturnedException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.ReturnedMessage;
import org.springframework.amqp.rabbit.connection.CorrelationData.Confirm;
import org.springframework.amqp.rabbit.core.AmqpNackReceivedException;

class ConfirmedConnectionTest {

  private static final Message MESSAGE = new Message(new byte[0]);

  @Test
  void hasSentWhatTheServerHasTaken() {
    assertThatCode(() -> requireTaken(new Confirm(true, null), null, MESSAGE))
        .doesNotThrowAnyException();
  }

  @Test
  void tellsWhatTheServerRefusesFromWhatNobodyKnows() {
    assertThatThrownBy(() -> requireTaken(new Confirm(false, null), null, MESSAGE))
        .isInstanceOf(AmqpNackReceivedException.class);
    assertThatThrownBy(
            () -> requireTaken(new Confirm(false, "Channel closed by application"), null, MESSAGE))
        .isInstanceOf(AmqpTimeoutException.class)
        .hasMessageContaining("Channel closed");
  }

  @Test
  void hasNotSentWhatNoQueueTakes() {
    var returned = new ReturnedMessage(MESSAGE, 312, "NO_ROUTE", "tickets", "ticket.wanted");

    assertThatThrownBy(() -> requireTaken(new Confirm(true, null), returned, MESSAGE))
        .isInstanceOf(AmqpMessageReturnedException.class);
  }
}
