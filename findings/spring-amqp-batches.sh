#!/usr/bin/env bash
# Spring AMQP 4.1.1 (BatchingRabbitTemplate, SimpleMessageListenerContainer), with Apache Qpid Broker-J 10.1.0.
# Guess: a batch is for the wire alone: the listener, whose container takes it apart, gets each message with its own
# properties.
# What happens: the batch has the properties of its first message, and so has each message that comes out of it: message
# id, correlation id, headers, priority. The others' are gone, their expiration too.
# Why it matters: a listener that drops what has an id that it has seen drops all but the first. Each answer has the
# first one's correlation id; a tenant or a trace in a header is the first one's.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries org.slf4j:slf4j-nop:2.0.17 org.apache.qpid:qpid-broker-core:10.1.0 \
  org.apache.qpid:qpid-broker-plugins-amqp-0-8-protocol:10.1.0 \
  org.apache.qpid:qpid-broker-plugins-memory-store:10.1.0 org.springframework.amqp:spring-rabbit:4.1.1

cat > Batches.java <<'END'
import java.util.*;
import java.util.concurrent.*;
import org.springframework.amqp.core.*;
import org.springframework.amqp.rabbit.batch.SimpleBatchingStrategy;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.*;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

public class Batches extends BrokerJ {

  static Message order(int number) {
    return MessageBuilder.withBody(("order " + number).getBytes())
        .setMessageId("id-" + number)
        .setCorrelationId("request-" + number)
        .setHeader("tenant", "tenant-" + number)
        .setPriority(number)
        .setExpiration(number == 2 ? "60000" : null)
        .build();
  }

  public static void main(String[] arguments) throws Exception {
    var channel = channel();
    channel.queueDeclare("orders", false, false, false, null);
    var connections = new CachingConnectionFactory("127.0.0.1", channel.getConnection().getPort());
    var received = new LinkedBlockingQueue<String>();
    var listening = new SimpleMessageListenerContainer(connections);
    listening.setQueueNames("orders");
    listening.setMessageListener(
        message -> {
          var properties = message.getMessageProperties();
          received.add(
              String.join(
                  ", ",
                  new String(message.getBody()),
                  properties.getMessageId(),
                  properties.getCorrelationId(),
                  properties.getHeader("tenant"),
                  "priority " + properties.getPriority(),
                  "expiration " + properties.getExpiration()));
        });
    listening.start();
    var scheduler = new ThreadPoolTaskScheduler();
    scheduler.initialize();
    var template = new BatchingRabbitTemplate(connections, new SimpleBatchingStrategy(3, 100_000, 10_000), scheduler);
    for (int number = 1; number <= 3; number++) {
      template.send("", "orders", order(number));
    }
    for (int number = 1; number <= 3; number++) {
      var message = received.poll(30, TimeUnit.SECONDS);
      System.out.println("received " + message);
      expect(
          ("order " + number + ", id-1, request-1, tenant-1, priority 1, expiration null").equals(message),
          "each message has the properties of the first");
    }
    System.exit(0);
  }
}
END
run_java Batches BrokerJ
