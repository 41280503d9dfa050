package testbed.ticketservice.messaging;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static testbed.ticketservice.Examples.janesReservation;
import static testbed.ticketservice.Examples.someId;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.rabbitmq.RabbitMQContainer;
import testbed.contracts.ReservationId;
import testbed.contracts.message.CinemaMessage.TicketWanted;
import testbed.contracts.message.Topology;
import testbed.messaging.testing.BackendContainers;
import testbed.ticket.office.TicketOffice;
import testbed.ticket.office.Tickets.Found;
import testbed.ticket.office.WaitingTickets;

/** The whole service behind a queue of a RabbitMQ server in a container. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "ticket.source=queue",
      "ticket.queue-length=3",
      "ticket.overflow=drop-head",
      "ticket.consumers=1",
      "ticket.prefetch=1"
    })
@Testcontainers(disabledWithoutDocker = true)
class TicketQueueIT {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Container static final RabbitMQContainer RABBITMQ = BackendContainers.rabbitMq();

  @Autowired RabbitTemplate template;
  @Autowired TicketOffice office;
  @Autowired WaitingTickets waiting;
  @Autowired MeterRegistry meters;
  @Autowired RabbitListenerEndpointRegistry listeners;

  @DynamicPropertySource
  static void backends(DynamicPropertyRegistry registry) {
    registry.add("RABBITMQ_HOST", RABBITMQ::getHost);
    registry.add("RABBITMQ_PORT", RABBITMQ::getAmqpPort);
  }

  @Test
  void buildsATicketThatIsOrderedTwiceOnce() {
    var built = meters.get("tickets.built").counter();
    var before = built.count();
    var id = someId();
    var last = someId();
    Stream.of(id, id, last).forEach(this::order);

    assertIsBuilt(id);
    // One consumer: both orders of the first were before it.
    assertIsBuilt(last);
    assertThat(built.count()).isEqualTo(before + 2);
  }

  @Test
  void losesTheOldestWithoutAWord() {
    listeners.stop();
    var ids = Stream.generate(() -> someId()).limit(10).toList();
    ids.forEach(this::order);
    await().atMost(PATIENCE).until(() -> waiting.getAsInt() == 3);

    listeners.start();

    assertThat(ids.subList(7, 10)).allSatisfy(id -> assertIsBuilt(id));
    await().atMost(PATIENCE).until(() -> waiting.getAsInt() == 0);
    assertThat(ids.subList(0, 7))
        .allSatisfy(
            id -> assertThat(office.find(id, Duration.ZERO)).isInstanceOf(Found.Unknown.class));
  }

  @Test
  void setsAnOrderAsideThatCannotBeBuilt() {
    var id = someId();
    template.convertAndSend(
        Topology.TICKET_EXCHANGE,
        Topology.TICKET_WANTED,
        new TicketWanted(id, janesReservation()),
        order -> {
          order.getMessageProperties().setCorrelationId(id.toString());
          return new Message("{}".getBytes(), order.getMessageProperties());
        });

    assertThat(template.receive(Topology.DEAD_LETTER_QUEUE, SECONDS.toMillis(30))).isNotNull();
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(office.find(id, Duration.ZERO)).isInstanceOf(Found.Gone.class));
  }

  private void assertIsBuilt(ReservationId id) {
    assertThat(office.find(id, PATIENCE)).isInstanceOf(Found.Ticket.class);
  }

  private void order(ReservationId id) {
    template.convertAndSend(
        Topology.TICKET_EXCHANGE,
        Topology.TICKET_WANTED,
        new TicketWanted(id, janesReservation()),
        message -> {
          message.getMessageProperties().setCorrelationId(id.toString());
          return message;
        });
  }
}
