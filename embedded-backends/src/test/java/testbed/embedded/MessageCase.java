package testbed.embedded;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * What is sent to each AMQP server, and what becomes of it there. Where they differ, ADR 7 says so.
 */
enum MessageCase {
  FAN_OUT("a message to two queues", "ack; 1 and 1 stored", "ack; 1 and 1 stored") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      return fanOut(channel, Map.of(), false);
    }
  },
  FAN_OUT_TO_A_FULL_QUEUE(
      "a message to two queues, of which one is full",
      "nack; 2 and 1 stored",
      "ack; 2 and 0 stored") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      return fanOut(channel, server.limitOfTwo, false);
    }
  },
  MANDATORY_FAN_OUT_TO_A_FULL_QUEUE(
      "a `mandatory` message to two queues, of which one is full",
      "nack; 2 and 1 stored",
      "nack, returned; 2 and 0 stored") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      return fanOut(channel, server.limitOfTwo, true);
    }
  },
  FULL_QUEUE("a message to a full queue", "nack; 2 stored", "ack; 2 stored") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      return toAFullQueue(channel, server, false);
    }
  },
  MANDATORY_TO_A_FULL_QUEUE(
      "a `mandatory` message to a full queue", "nack; 2 stored", "nack, returned; 2 stored") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      return toAFullQueue(channel, server, true);
    }
  },
  NO_QUEUE("a message to no queue", "ack", "ack") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      return fate(channel, "", "nowhere", false);
    }
  },
  MANDATORY_TO_NO_QUEUE("a `mandatory` message to no queue", "returned, ack", "nack, returned") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      return fate(channel, "", "nowhere", true);
    }
  },
  REJECTED("`reject` without requeue", "gone", "delivered again") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      var queue = queueOf(channel, "1");
      channel.basicReject(get(channel, queue).getEnvelope().getDeliveryTag(), false);
      return again(channel, queue);
    }
  },
  NACKED("`nack` without requeue", "gone", "delivered again") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      var queue = queueOf(channel, "1");
      channel.basicNack(get(channel, queue).getEnvelope().getDeliveryTag(), false, false);
      return again(channel, queue);
    }
  },
  PUT_BACK(
      "`reject` with requeue",
      "delivered again, as redelivered",
      "delivered again, as redelivered") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      var queue = queueOf(channel, "1");
      channel.basicReject(get(channel, queue).getEnvelope().getDeliveryTag(), true);
      var second = get(channel, queue);
      return "delivered again" + (second.getEnvelope().isRedeliver() ? ", as redelivered" : "");
    }
  },
  LEFT_BEHIND(
      "a channel that closes before it acknowledges",
      "delivered again, as redelivered",
      "delivered again, as redelivered") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      var queue = queueOf(channel, "1");
      try (var other = channel.getConnection().createChannel()) {
        get(other, queue);
      }
      var second = get(channel, queue);
      return "delivered again" + (second.getEnvelope().isRedeliver() ? ", as redelivered" : "");
    }
  },
  ACKNOWLEDGED_TWICE("`ack` of the same message twice", "channel closed", "nothing") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      var queue = queueOf(channel, "1");
      long delivery = get(channel, queue).getEnvelope().getDeliveryTag();
      channel.basicAck(delivery, false);
      channel.basicAck(delivery, false);
      return refusal(() -> channel.messageCount(queue));
    }
  },
  OTHER_ARGUMENTS("a queue declared again with other arguments", "channel closed", "nothing") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      var queue = queue(channel, Map.of());
      return refusal(() -> channel.queueDeclare(queue, false, true, true, server.limitOfTwo));
    }
  },
  EXPIRES_AT_ONCE("a message with expiration 0", "gone", "stays") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      return afterExpiration(channel, "0");
    }
  },
  EXPIRES("a message with expiration 1", "gone", "gone") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      return afterExpiration(channel, "1");
    }
  },
  PURGED(
      "a purge of 5 messages, of which a consumer holds one",
      "4 purged; 1 left",
      "5 purged; 0 left") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      var queue = queueOf(channel, "1", "2", "3", "4", "5");
      long tag = get(channel, queue).getEnvelope().getDeliveryTag();
      int purged = channel.queuePurge(queue).getMessageCount();
      channel.basicNack(tag, false, true);
      return "%d purged; %d left".formatted(purged, drained(channel, queue).size());
    }
  },
  PRIORITIES(
      "priorities 0 to 9, and none, where the queue has three",
      "3 4 5 6 7 8 9 2 1 0 none",
      "5 6 7 8 9 4 0 1 2 3 none") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      var queue = queue(channel, server.threePriorities);
      for (int priority = 0; priority <= 9; priority++) {
        send(
            channel,
            queue,
            new BasicProperties.Builder().priority(priority).build(),
            "" + priority);
      }
      send(channel, queue, new BasicProperties(), "none");
      return String.join(" ", drained(channel, queue));
    }
  },
  HEADERS(
      "headers n = 1 as int and long, to bindings of int 1, long 1, and any of nothing",
      "[int, long] [int, long] []",
      "[int] [long] [int, long]") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      var bindings =
          List.<Map<String, Object>>of(
              Map.of("x-match", "all", "n", 1),
              Map.of("x-match", "all", "n", 1L),
              Map.of("x-match", "any"));
      channel.exchangeDeclare("shards", "headers", false, true, null);
      var queues = new ArrayList<String>();
      for (var binding : bindings) {
        var queue = queue(channel, Map.of());
        channel.queueBind(queue, "shards", "", binding);
        queues.add(queue);
      }
      for (var sent : List.of(Map.entry("int", (Object) 1), Map.entry("long", (Object) 1L))) {
        var headers = new BasicProperties.Builder().headers(Map.of("n", sent.getValue())).build();
        channel.basicPublish("shards", "", headers, bytes(sent.getKey()));
      }
      var taken = new ArrayList<String>();
      for (var queue : queues) {
        taken.add(drained(channel, queue).toString());
      }
      return String.join(" ", taken);
    }
  },
  PREFETCH("two consumers of a channel with a prefetch of 1", "2 delivered", "1 delivered") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      var queue = queueOf(channel, "1", "2", "3", "4");
      var delivered = new LinkedBlockingQueue<String>();
      channel.basicQos(1);
      for (int consumer = 0; consumer < 2; consumer++) {
        channel.basicConsume(queue, (tag, message) -> delivered.add(tag), tag -> {});
      }
      // Whether another one comes is known only after a while.
      int count = 0;
      for (int patience = PATIENCE_SECONDS;
          delivered.poll(patience, TimeUnit.SECONDS) != null;
          patience = 3) {
        count++;
      }
      return "%d delivered".formatted(count);
    }
  },
  PROPERTIES("correlation id, content type, header", "as sent", "as sent") {
    @Override
    String outcome(Channel channel, Server server) throws Exception {
      var sent =
          new BasicProperties.Builder()
              .correlationId("0197-id")
              .contentType("application/json")
              .headers(Map.of("__TypeId__", "list-movies"))
              .build();
      var queue = queue(channel, Map.of());
      send(channel, queue, sent, "{}");
      var got = get(channel, queue).getProps();
      return sent.getCorrelationId().equals(got.getCorrelationId())
              && sent.getContentType().equals(got.getContentType())
              && "list-movies".equals(String.valueOf(got.getHeaders().get("__TypeId__")))
          ? "as sent"
          : got.toString();
    }
  };

  /** How each server is told the same. */
  enum Server {
    RABBITMQ(
        Map.of("x-max-length", 2, "x-overflow", "reject-publish"), Map.of("x-max-priority", 3)),
    BROKER_J(
        Map.of("qpid.max_count", 2, "qpid.policy_type", "REJECT"), Map.of("x-qpid-priorities", 3));

    private final Map<String, Object> limitOfTwo;
    private final Map<String, Object> threePriorities;

    Server(Map<String, Object> limitOfTwo, Map<String, Object> threePriorities) {
      this.limitOfTwo = limitOfTwo;
      this.threePriorities = threePriorities;
    }
  }

  private interface Command {
    Object run() throws IOException;
  }

  private static final int PATIENCE_SECONDS = 60;

  final String sent;
  final String onRabbitMq;
  final String onBrokerJ;

  MessageCase(String sent, String onRabbitMq, String onBrokerJ) {
    this.sent = sent;
    this.onRabbitMq = onRabbitMq;
    this.onBrokerJ = onBrokerJ;
  }

  /**
   * What becomes of it.
   *
   * @param channel of a connection of its own
   */
  abstract String outcome(Channel channel, Server server) throws Exception;

  private static String fanOut(Channel channel, Map<String, Object> limit, boolean mandatory)
      throws Exception {
    var queues = List.of(queue(channel, limit), queue(channel, Map.of()));
    for (var message : limit.keySet()) {
      send(channel, queues.getFirst(), new BasicProperties(), message);
    }
    for (var queue : queues) {
      channel.queueBind(queue, "amq.topic", "to.all");
    }
    var fate = fate(channel, "amq.topic", "to.all", mandatory);
    return "%s; %d and %d stored"
        .formatted(
            fate, drained(channel, queues.get(0)).size(), drained(channel, queues.get(1)).size());
  }

  private static String toAFullQueue(Channel channel, Server server, boolean mandatory)
      throws Exception {
    var queue = queue(channel, server.limitOfTwo);
    send(channel, queue, new BasicProperties(), "1");
    send(channel, queue, new BasicProperties(), "2");
    var fate = fate(channel, "", queue, mandatory);
    return "%s; %d stored".formatted(fate, drained(channel, queue).size());
  }

  private static String afterExpiration(Channel channel, String millis) throws Exception {
    var queue = queue(channel, Map.of());
    send(channel, queue, new BasicProperties.Builder().expiration(millis).build(), "1");
    Thread.sleep(100);
    return drained(channel, queue).isEmpty() ? "gone" : "stays";
  }

  private static String again(Channel channel, String queue) throws IOException {
    return drained(channel, queue).isEmpty() ? "gone" : "delivered again";
  }

  /** Whether the server ends the channel of a command. */
  private static String refusal(Command command) {
    try {
      command.run();
      return "nothing";
    } catch (IOException | ShutdownSignalException closed) {
      return "channel closed";
    }
  }

  /** What the sender of a message is told, in the order in which it is told. */
  private static String fate(Channel channel, String exchange, String key, boolean mandatory)
      throws Exception {
    BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    channel.confirmSelect();
    channel.addReturnListener(message -> answers.add("returned"));
    channel.addConfirmListener(
        (tag, several) -> answers.add("ack"), (tag, several) -> answers.add("nack"));
    channel.basicPublish(exchange, key, mandatory, new BasicProperties(), bytes("sent"));
    var all = new ArrayList<String>();
    while (!all.contains("ack") && !all.contains("nack")) {
      var next = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      all.add(next == null ? "nothing, nack" : next);
    }
    // What follows the confirm comes before the answer to another command.
    channel.exchangeDeclarePassive("amq.topic");
    answers.drainTo(all);
    return String.join(", ", all);
  }

  private static String queueOf(Channel channel, String... messages) throws IOException {
    var queue = queue(channel, Map.of());
    for (var message : messages) {
      send(channel, queue, new BasicProperties(), message);
    }
    return queue;
  }

  /** Declares a queue that ends with the connection; returns its name. */
  private static String queue(Channel channel, Map<String, Object> arguments) throws IOException {
    return channel.queueDeclare("", false, true, true, arguments).getQueue();
  }

  private static void send(
      Channel channel, String queue, BasicProperties properties, String message)
      throws IOException {
    channel.basicPublish("", queue, properties, bytes(message));
  }

  private static GetResponse get(Channel channel, String queue) throws IOException {
    var message = channel.basicGet(queue, false);
    if (message == null) {
      throw new AssertionError("no message in " + queue);
    }
    return message;
  }

  private static List<String> drained(Channel channel, String queue) throws IOException {
    var bodies = new ArrayList<String>();
    for (GetResponse next; (next = channel.basicGet(queue, true)) != null; ) {
      bodies.add(new String(next.getBody(), StandardCharsets.UTF_8));
    }
    return bodies;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
