package testbed.broker;

import static testbed.broker.Examples.catalogueOf;
import static testbed.broker.Examples.made;

import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.springframework.amqp.core.BindingBuilder;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.TopicExchange;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.DirectMessageListenerContainer;
import org.springframework.amqp.support.converter.MessageConverter;
import testbed.contracts.CinemaName;
import testbed.contracts.ProblemType;
import testbed.contracts.ReservationPage;
import testbed.contracts.ReservationRequest;
import testbed.contracts.message.CinemaMessage.AnnouncePresence;
import testbed.contracts.message.CinemaMessage.CinemaPresent;
import testbed.contracts.message.CinemaMessage.ListMovies;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;
import testbed.contracts.message.CinemaMessage.ListReservations;
import testbed.contracts.message.CinemaMessage.ListReservations.ReservationsListed;
import testbed.contracts.message.CinemaMessage.MakeReservation;
import testbed.contracts.message.CinemaMessage.MakeReservation.ReservationMade;
import testbed.contracts.message.CinemaMessage.Question;
import testbed.contracts.message.CinemaMessage.Request;
import testbed.contracts.message.CinemaMessage.RequestRejected;
import testbed.contracts.message.CinemaMessage.Response;
import testbed.contracts.message.CinemaMessage.WithdrawReservation;
import testbed.contracts.message.Topology;

/**
 * A cinema that answers through AMQP as a test tells it to. Reservations of a client named {@code
 * late comer} are refused.
 */
final class FakeCinema implements AutoCloseable {

  static final String REFUSED_CLIENT = "late comer";

  private static final long PRESENCE_MILLIS = 100;

  private final CinemaName name;
  private final CachingConnectionFactory connections;
  private final RabbitTemplate template;
  private final RabbitAdmin admin;
  private final DirectMessageListenerContainer requests;
  private final ScheduledExecutorService presence = Executors.newSingleThreadScheduledExecutor();
  private final Queue<Message> received = new ConcurrentLinkedQueue<>();
  private final Queue<String> withdrawn = new ConcurrentLinkedQueue<>();
  private volatile int answers = 1;

  FakeCinema(CinemaName name, String host, int port, MessageConverter format) {
    this.name = name;
    this.connections = new CachingConnectionFactory(host, port);
    this.template = new RabbitTemplate(connections);
    this.template.setMessageConverter(format);
    this.admin = new RabbitAdmin(connections);
    var queue = new org.springframework.amqp.core.Queue(Topology.requestQueueOf(name));
    var exchange = new TopicExchange(Topology.EXCHANGE);
    admin.declareExchange(exchange);
    admin.declareQueue(queue);
    for (var key : List.of(Topology.REQUEST_TO_ALL, Topology.requestTo(name))) {
      admin.declareBinding(BindingBuilder.bind(queue).to(exchange).with(key));
    }
    this.requests = new DirectMessageListenerContainer(connections);
    requests.setQueueNames(queue.getName());
    requests.setMessageListener(this::onRequest);
    requests.afterPropertiesSet();
    requests.start();
    presence.scheduleAtFixedRate(() -> announce(name), 0, PRESENCE_MILLIS, TimeUnit.MILLISECONDS);
  }

  /**
   * Answers every request {@code times} times from now on; 0 keeps requests for {@link #answer}.
   */
  void answerEachRequest(int times) {
    answers = times;
    if (times > 0) {
      received.clear();
    }
  }

  /** Answers the requests that were kept. */
  void answerKeptRequests() {
    for (var request = received.poll(); request != null; request = received.poll()) {
      answer(request);
    }
  }

  /** The requests that were kept. */
  List<Message> keptRequests() {
    return List.copyOf(received);
  }

  /** The correlation ids of the requests that were withdrawn. */
  List<String> withdrawn() {
    return List.copyOf(withdrawn);
  }

  void announce(CinemaName present) {
    template.convertAndSend(Topology.EXCHANGE, Topology.PRESENCE, new CinemaPresent(present));
  }

  void send(String exchange, String routingKey, Message message) {
    template.send(exchange, routingKey, message);
  }

  Message receive(String queue, long timeoutMillis) {
    return template.receive(queue, timeoutMillis);
  }

  private void onRequest(Message request) {
    switch ((Request) read(request)) {
      case AnnouncePresence sign -> announce(name);
      case WithdrawReservation withdrawal ->
          withdrawn.add(request.getMessageProperties().getCorrelationId());
      case Question<?> question -> onQuestion(request);
    }
  }

  private void onQuestion(Message request) {
    int times = answers;
    if (times == 0) {
      received.add(request);
    }
    for (int time = 0; time < times; time++) {
      answer(request);
    }
  }

  private void answer(Message request) {
    var correlationId = request.getMessageProperties().getCorrelationId();
    var replyTo = request.getMessageProperties().getReplyTo();
    template.convertAndSend(
        Topology.EXCHANGE,
        replyTo == null ? Topology.RESPONSE : replyTo,
        responseTo((Question<?>) read(request), correlationId),
        response -> {
          response.getMessageProperties().setCorrelationId(correlationId);
          return response;
        });
  }

  private Object read(Message request) {
    return template.getMessageConverter().fromMessage(request);
  }

  private Response responseTo(Question<?> request, String correlationId) {
    return switch (request) {
      case ListMovies all -> new MoviesListed(name, catalogueOf(name));
      case ListReservations wanted ->
          new ReservationsListed(name, new ReservationPage(List.of(), wanted.page(), 0));
      case MakeReservation wanted -> make(wanted.reservation(), correlationId);
      default -> new RequestRejected(name, ProblemType.INTERNAL, "not scripted");
    };
  }

  private Response make(ReservationRequest reservation, String correlationId) {
    return Objects.equals(reservation.clientName(), REFUSED_CLIENT)
        ? new RequestRejected(name, ProblemType.SHOWING_UNKNOWN, "too late")
        : new ReservationMade(name, made(UUID.fromString(correlationId), reservation));
  }

  /** The cinema closes for ever: its queue goes too. */
  @Override
  public void close() {
    presence.shutdownNow();
    requests.stop();
    admin.deleteQueue(Topology.requestQueueOf(name));
    connections.destroy();
  }
}
