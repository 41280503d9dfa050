package testbed.ticketservice.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doNothing;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;
import static testbed.ticketservice.Examples.janesReservation;
import static testbed.ticketservice.Examples.someId;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Envelope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Answers;
import org.mockito.verification.VerificationMode;
import org.springframework.amqp.AmqpTimeoutException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.config.BaseRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.core.AmqpNackReceivedException;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.amqp.rabbit.support.DefaultMessagePropertiesConverter;
import org.springframework.amqp.support.converter.MessageConverter;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockReset;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import testbed.contracts.ReservationId;
import testbed.contracts.message.CinemaMessage.TicketWanted;
import testbed.contracts.message.Topology;
import testbed.messaging.ConfirmedConnection;
import testbed.messaging.testing.ContainerDelivery;
import testbed.ticket.office.TicketOffice;
import testbed.ticket.office.Tickets.Found;

/**
 * What becomes of orders that fail, within everything that a listener container puts around the
 * listener. There is no AMQP server: the test delivers.
 */
@SpringBootTest(
    properties = {
      "ticket.source=queue",
      // Port 1 is reserved: nothing answers there.
      "RABBITMQ_PORT=1",
      "spring.rabbitmq.listener.direct.auto-startup=false"
    })
@Timeout(120)
class FailedOrdersTest {

  private static final int MOST_DELIVERIES = 5;
  private static final AmqpTimeoutException UNCONFIRMED = new AmqpTimeoutException("not confirmed");

  @Autowired BaseRabbitListenerContainerFactory<?> containers;
  @Autowired RabbitListenerEndpointRegistry listeners;
  @Autowired MessageConverter format;
  @MockitoSpyBean TicketOffice office;

  /** Asked for its template once, when the service starts. */
  @MockitoBean(answers = Answers.RETURNS_DEEP_STUBS, reset = MockReset.NONE)
  ConfirmedConnection confirmed;

  private final Channel channel = mock(Channel.class);
  private final ReservationId id = someId();

  @BeforeEach
  void isConnected() {
    var template = confirmed.template();
    clearInvocations(template);
    doNothing().when(template).send(anyString(), anyString(), any(Message.class));
    when(channel.isOpen()).thenReturn(true);
  }

  @Test
  void buildsAnOrder() throws Exception {
    deliver(order());

    assertThat(ticket()).isInstanceOf(Found.Ticket.class);
    verifySetAside(never());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void setsAsideAfterThreeTriesWhatCannotBeBuilt(boolean error) throws Exception {
    doThrow(error ? new StackOverflowError("deep") : new IllegalStateException("no ink"))
        .when(office)
        .build(any());

    deliver(order());

    verify(office, times(3)).build(any());
    verifySetAside(times(1));
    assertThat(ticket()).isInstanceOf(Found.Gone.class);
  }

  @ParameterizedTest
  @CsvSource({
    "ticket-wanted, application/json, {",
    "ticket-wanted, application/json, null",
    "ticket-wanted, application/json, {}",
    "ticket-wanted, application/json, '{\"reservation\": {}}'",
    "make-reservation, application/json, {}",
    "java.lang.ProcessBuilder, application/json, '[\"true\"]'",
    "ticket-wanted, application/x-java-serialized-object, {}",
    "ticket-wanted, none, {}"
  })
  void setsAsideWhatIsNoOrder(String type, String contentType, String body) throws Exception {
    var properties = properties();
    properties.setHeader("__TypeId__", type);
    properties.setContentType(contentType);

    deliver(new Message(body.getBytes(), properties));

    verifySetAside(times(1));
    verify(office, never()).build(any());
    assertThat(ticket()).isInstanceOf(Found.Gone.class);
  }

  @Test
  void triesToSetAsideUntilThatIsConfirmed() throws Exception {
    var template = confirmed.template();
    doThrow(UNCONFIRMED, UNCONFIRMED)
        .doNothing()
        .when(template)
        .send(anyString(), anyString(), any(Message.class));

    deliver(new Message("{".getBytes(), properties()));

    verifySetAside(times(3));
    assertThat(ticket()).isInstanceOf(Found.Gone.class);
  }

  @Test
  void deliversAnOrderThatEndsTheServiceFiveTimesAtMost() throws Exception {
    var queue = queue();
    queue.add(order());
    int begun = 0;

    while (!queue.isEmpty()) {
      var order = queue.removeFirst();
      begun++;
      // The service ends before it acknowledges the order, and starts again.
      deliver(redelivered(order));
    }

    assertThat(begun).isEqualTo(MOST_DELIVERIES);
    verifySetAside(times(1));
    verify(office, never()).build(any());
    assertThat(ticket()).isInstanceOf(Found.Gone.class);
  }

  @Test
  void buildsWhatIsDeliveredAgainWhenItComesFromTheQueue() throws Exception {
    var queue = queue();
    var again = redelivered(order());
    again.getMessageProperties().setReceivedDeliveryMode(MessageDeliveryMode.NON_PERSISTENT);

    deliver(again);

    assertThat(ticket()).isInstanceOf(Found.Unknown.class);
    assertThat(queue).hasSize(1);
    assertThat(queue.getFirst().getMessageProperties().getReceivedDeliveryMode())
        .isEqualTo(MessageDeliveryMode.NON_PERSISTENT);
    deliver(queue.getFirst());
    assertThat(ticket()).isInstanceOf(Found.Ticket.class);
    verifySetAside(never());
  }

  @Test
  void buildsWhatIsDeliveredAgainAtOnceWhileTheQueueIsFull() throws Exception {
    var template = confirmed.template();
    doThrow(new AmqpNackReceivedException("full", order()))
        .when(template)
        .send(eq(Topology.TICKET_EXCHANGE), anyString(), any(Message.class));

    deliver(redelivered(order()));

    assertThat(ticket()).isInstanceOf(Found.Ticket.class);
  }

  @Test
  void countsADeliveryOnceThoughItsCountIsNotConfirmedAtOnce() throws Exception {
    var queue = new ArrayList<Message>();
    var template = confirmed.template();
    doThrow(UNCONFIRMED, UNCONFIRMED)
        .doAnswer(sent -> queue.add(received(sent.getArgument(2))))
        .when(template)
        .send(eq(Topology.TICKET_EXCHANGE), anyString(), any(Message.class));

    deliver(redelivered(order()));

    assertThat(queue)
        .singleElement()
        .satisfies(order -> assertThat(order.getMessageProperties().getRetryCount()).isOne());
  }

  @Test
  void believesAServerThatCountsByItself() throws Exception {
    var queue = queue();
    var again = redelivered(order());

    again.getMessageProperties().setHeader("x-delivery-count", MOST_DELIVERIES - 1L);
    deliver(again);
    assertThat(ticket()).isInstanceOf(Found.Ticket.class);
    verifySetAside(never());

    again.getMessageProperties().setHeader("x-delivery-count", (long) MOST_DELIVERIES);
    deliver(again);
    verifySetAside(times(1));
    assertThat(queue).isEmpty();
  }

  /** What is sent to the queue of tickets from now on, as it is received there. */
  private List<Message> queue() {
    var queue = new ArrayList<Message>();
    var template = confirmed.template();
    doAnswer(sent -> queue.add(received(sent.getArgument(2))))
        .when(template)
        .send(eq(Topology.TICKET_EXCHANGE), eq(Topology.TICKET_WANTED), any(Message.class));
    return queue;
  }

  private static Message received(Message sent) {
    var converter = new DefaultMessagePropertiesConverter();
    var wire = converter.fromMessageProperties(sent.getMessageProperties(), "UTF-8");
    var envelope = new Envelope(1, false, Topology.TICKET_EXCHANGE, Topology.TICKET_WANTED);
    return new Message(sent.getBody(), converter.toMessageProperties(wire, envelope, "UTF-8"));
  }

  private static Message redelivered(Message order) {
    order.getMessageProperties().setRedelivered(true);
    return order;
  }

  private Message order() {
    return format.toMessage(new TicketWanted(id, janesReservation()), properties());
  }

  private MessageProperties properties() {
    var properties = new MessageProperties();
    properties.setCorrelationId(id.toString());
    properties.setConsumerQueue(Topology.TICKET_QUEUE);
    return properties;
  }

  private void deliver(Message order) throws Exception {
    ContainerDelivery.deliver(order, channel, containers, listeners);
  }

  private Found ticket() {
    return office.find(id, Duration.ZERO);
  }

  private void verifySetAside(VerificationMode often) {
    verify(confirmed.template(), often)
        .send(eq(Topology.DEAD_LETTER_EXCHANGE), eq(Topology.TICKET_WANTED), any(Message.class));
  }
}
