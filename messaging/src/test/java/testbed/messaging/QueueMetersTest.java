package testbed.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;

class QueueMetersTest {

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final AtomicLong clock = new AtomicLong(1_000);
  private final QueueMeters queues = new QueueMeters(meters, clock::get);

  @Test
  void measuresTheTimeFromPublisherToListener() {
    var message = queues.stamped(message());
    clock.addAndGet(250);
    queues.received(message);

    var wait = meters.get("queue.wait").tag("queue", "requests").timer();
    assertThat(wait.count()).isEqualTo(1);
    assertThat(wait.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(250);
  }

  @Test
  void countsWhatWasDeliveredBefore() {
    var again = message();
    again.getMessageProperties().setRedelivered(true);
    queues.received(again);
    queues.received(message());

    assertThat(meters.get("queue.redelivered").tag("queue", "requests").counter().count())
        .isEqualTo(1);
  }

  @Test
  void takesMessagesThatDoNotTellWhenTheyWereSent() {
    queues.received(message());

    assertThat(meters.get("queue.wait").timer().count()).isZero();
  }

  @Test
  void countsNoNegativeWaitWhenClocksDisagree() {
    var message = queues.stamped(message());
    clock.addAndGet(-5);
    queues.received(message);

    assertThat(meters.get("queue.wait").timer().totalTime(TimeUnit.MILLISECONDS)).isZero();
  }

  private static Message message() {
    var properties = new MessageProperties();
    properties.setConsumerQueue("requests");
    return new Message(new byte[0], properties);
  }
}
