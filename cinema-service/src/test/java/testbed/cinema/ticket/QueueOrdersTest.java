package testbed.cinema.ticket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;
import static testbed.cinema.Examples.janesReservation;

import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.ArgumentCaptor;
import org.springframework.amqp.AmqpConnectException;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.AmqpTimeoutException;
import org.springframework.amqp.core.AmqpMessageReturnedException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.core.ReturnedMessage;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionBlockedEvent;
import org.springframework.amqp.rabbit.core.AmqpNackReceivedException;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import testbed.cinema.ticket.QueueOrders.NotOrdered;
import testbed.contracts.ReservationId;
import testbed.contracts.message.CinemaMessage.TicketWanted;
import testbed.messaging.BlockedConnection;
import testbed.ticket.office.TicketsRefused;

class QueueOrdersTest {

  private static final Message ORDER = new Message(new byte[0]);

  private final RabbitTemplate template = mock();
  private final BlockedConnection connection = new BlockedConnection();
  private final ReservationId id = new ReservationId(UUID.randomUUID());

  @Test
  void sendsAnOrderThatLastsUnderTheIdOfItsReservation() {
    orders(true).order(id, janesReservation());

    var sent = sent();
    assertThat(sent.getMessageProperties().getCorrelationId()).isEqualTo(id.toString());
    assertThat(sent.getMessageProperties().getDeliveryMode())
        .isEqualTo(MessageDeliveryMode.PERSISTENT);
  }

  @Test
  void sendsAnOrderThatDoesNotOutliveTheServerIfTold() {
    orders(false).order(id, janesReservation());

    assertThat(sent().getMessageProperties().getDeliveryMode())
        .isEqualTo(MessageDeliveryMode.NON_PERSISTENT);
  }

  @ParameterizedTest
  @MethodSource
  void refusesWhatTheServerRefuses(AmqpException refusal) {
    fails(refusal);

    assertThatThrownBy(() -> orders(true).order(id, janesReservation()))
        .isInstanceOf(TicketsRefused.class);
  }

  static Stream<AmqpException> refusesWhatTheServerRefuses() {
    return Stream.of(new AmqpNackReceivedException("full", ORDER), returned(506));
  }

  @ParameterizedTest
  @MethodSource
  void doesNotKnowWhatBecameOfAnythingElse(AmqpException failure) {
    fails(failure);

    assertThatThrownBy(() -> orders(true).order(id, janesReservation()))
        .isInstanceOf(NotOrdered.class);
  }

  static Stream<AmqpException> doesNotKnowWhatBecameOfAnythingElse() {
    return Stream.of(
        returned(312),
        new AmqpTimeoutException("not confirmed"),
        new AmqpConnectException(new IllegalStateException("away")));
  }

  @Test
  void ordersNothingWhileTheServerHoldsItsPublishersBack() {
    Connection open = mock();
    when(open.isOpen()).thenReturn(true);
    connection.blocked(new ConnectionBlockedEvent(open, "low on memory"));

    assertThatThrownBy(() -> orders(true).order(id, janesReservation()))
        .isInstanceOf(NotOrdered.class);

    verifyNoInteractions(template);
  }

  private QueueOrders orders(boolean persistent) {
    return new QueueOrders(template, connection, persistent);
  }

  private static AmqpMessageReturnedException returned(int code) {
    return new AmqpMessageReturnedException(
        "returned", new ReturnedMessage(ORDER, code, "", "tickets", "ticket.wanted"));
  }

  private void fails(AmqpException failure) {
    doThrow(failure)
        .when(template)
        .convertAndSend(anyString(), anyString(), any(), any(MessagePostProcessor.class));
  }

  private Message sent() {
    var addressing = ArgumentCaptor.forClass(MessagePostProcessor.class);
    verify(template)
        .convertAndSend(
            eq("tickets"),
            eq("ticket.wanted"),
            eq(new TicketWanted(id, janesReservation())),
            addressing.capture());
    return addressing.getValue().postProcessMessage(new Message(new byte[0]));
  }
}
