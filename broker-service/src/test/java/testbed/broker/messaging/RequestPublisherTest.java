package testbed.broker.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static testbed.broker.Examples.reservationFor;

import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import testbed.broker.operation.CorrelationId;
import testbed.broker.operation.Operation;
import testbed.broker.operation.RequestChannel.Delivery;
import testbed.contracts.message.CinemaMessage.ListMovies;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;
import testbed.contracts.message.CinemaMessage.MakeReservation;
import testbed.contracts.message.CinemaMessage.MakeReservation.ReservationMade;
import testbed.contracts.message.CinemaMessage.Question;
import testbed.contracts.message.CinemaMessage.Response;

/** How a request is addressed, without an AMQP server. */
class RequestPublisherTest {

  private final CorrelationId id = new CorrelationId(UUID.randomUUID());
  private String key = "";
  private MessageProperties sent = new MessageProperties();
  private final RequestPublisher publisher =
      new RequestPublisher(
          new RabbitTemplate(new CachingConnectionFactory()) {
            @Override
            public void convertAndSend(
                String exchange,
                String routingKey,
                Object request,
                MessagePostProcessor addressed,
                CorrelationData confirmation) {
              key = routingKey;
              sent = addressed.postProcessMessage(new Message(new byte[0])).getMessageProperties();
              confirmation.getFuture().complete(new CorrelationData.Confirm(true, null));
            }
          },
          Duration.ofSeconds(1),
          Duration.ofSeconds(5));

  @Test
  void sendsAListToEveryCinemaAndLetsItExpireAtTheDeadline() {
    send(Operation.atEveryCinema(MoviesListed.class), new ListMovies());

    assertThat(key).isEqualTo("request.to.cinema");
    assertThat(sent.getDeliveryMode()).isEqualTo(MessageDeliveryMode.NON_PERSISTENT);
    assertThat(sent.getExpiration()).isEqualTo("5000");
  }

  @Test
  void sendsAReservationToOneCinemaAndLetsItLast() {
    send(Operation.at("ucd", ReservationMade.class), new MakeReservation(reservationFor("Jane")));

    assertThat(key).isEqualTo("request.to.cinema.ucd");
    assertThat(sent.getDeliveryMode()).isEqualTo(MessageDeliveryMode.PERSISTENT);
    assertThat(sent.getExpiration()).isNull();
  }

  private <A extends Response> void send(Operation<A> operation, Question<A> request) {
    assertThat(publisher.send(id, operation, request)).isEqualTo(Delivery.CONFIRMED);
    assertThat(sent.getCorrelationId()).isEqualTo(id.toString());
  }
}
