#!/usr/bin/env bash
# Apache Qpid Broker-J 10.1.0 with amqp-client 5.28.0 (AMQP 0-9-1).
# Guess: a rollback takes the acknowledgement back: the message is with its consumer again, unacknowledged, as AMQP's
# document says of tx.rollback and RabbitMQ does. A `mandatory` message without a queue is returned, within a
# transaction at the latest when it is committed.
# What happens: the message goes to another consumer at once, not marked as redelivered, while the first still works on
# it; the first one's second acknowledgement and its commit succeed. A mandatory message without a queue closes the
# whole connection (312) if its channel is transactional, before the commit. On another channel it is returned.
# Why it matters: a consumer that rolls back and tries again has its work done twice, by two, and no error says so. One
# order for a queue that is not there yet ends every channel of that connection.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries "${broker_j[@]}" com.rabbitmq:amqp-client:5.28.0

cat > Rollback.java <<'END'
import com.rabbitmq.client.*;
import java.util.concurrent.*;

public class Rollback extends BrokerJ {

  static GetResponse await(Channel channel, String queue) throws Exception {
    GetResponse message = null;
    for (int look = 0; look < 50 && message == null; look++) {
      message = channel.basicGet(queue, false);
      Thread.sleep(20);
    }
    return message;
  }

  public static void main(String[] arguments) throws Exception {
    var plain = channel();
    var connection = plain.getConnection();
    plain.queueDeclare("orders", false, false, false, null);
    plain.basicPublish("", "orders", null, "order".getBytes());

    var first = connection.createChannel();
    first.txSelect();
    long delivery = await(first, "orders").getEnvelope().getDeliveryTag();
    first.basicAck(delivery, false);
    first.txRollback();
    var other = await(plain, "orders");
    System.out.println("after the rollback another consumer gets: " + (other == null ? "nothing" : "the order"));
    expect(other != null && !other.getEnvelope().isRedeliver(), "others get it, as a new message");
    first.basicAck(delivery, false);
    first.txCommit();
    plain.basicAck(other.getEnvelope().getDeliveryTag(), false);
    System.out.println("both acknowledge it; open: " + first.isOpen() + ", " + plain.isOpen());
    expect(first.isOpen() && plain.isOpen(), "both may acknowledge it");

    var returned = new CountDownLatch(1);
    plain.addReturnListener(message -> returned.countDown());
    plain.basicPublish("", "nowhere", true, null, "order".getBytes());
    boolean isReturned = returned.await(10, TimeUnit.SECONDS);
    var closed = new LinkedBlockingQueue<ShutdownSignalException>();
    connection.addShutdownListener(closed::add);
    first.basicPublish("", "nowhere", true, null, "order".getBytes());
    var reason = closed.poll(10, TimeUnit.SECONDS);
    System.out.println("mandatory, no queue, without a transaction: returned " + isReturned);
    System.out.println("mandatory, no queue, in a transaction: " + (reason == null ? "open" : reason.getReason()));
    expect(isReturned, "without a transaction it is returned");
    expect(
        reason != null && reason.getReason() instanceof AMQP.Connection.Close close && close.getReplyCode() == 312,
        "in a transaction it closes the connection");
    System.exit(0);
  }
}
END
run_java Rollback BrokerJ
