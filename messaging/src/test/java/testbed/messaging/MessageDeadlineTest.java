package testbed.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import testbed.messaging.testing.ContainerDelivery;
import testbed.support.deadline.Deadline;
import testbed.support.deadline.DeadlineSettings;

class MessageDeadlineTest {

  private static final long NOW = 1_800_000_000_000L;
  private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();
  private static final DeadlineSettings SETTINGS =
      new DeadlineSettings(true, Duration.ofMinutes(1));

  /** The deadline of each message that came through. */
  private final List<Optional<Deadline>> workedOn = new ArrayList<>();

  @Test
  void isTheExpirationOfARequest() {
    receive(request(NOW - HOUR_MILLIS / 2, HOUR_MILLIS));

    assertThat(workedOn)
        .singleElement()
        .satisfies(
            deadline ->
                assertThat(deadline.orElseThrow().millisLeft())
                    .isBetween(1L, HOUR_MILLIS / 2 - SETTINGS.margin().toMillis()));
    assertThat(Deadline.current()).isNull();
  }

  @Test
  void keepsARequestFromWorkThatExpiredBeforeItsTurn() {
    receive(request(NOW - HOUR_MILLIS - 1, HOUR_MILLIS));

    assertThat(workedOn).isEmpty();
  }

  @Test
  void isNoneForARequestThatLasts() {
    receive(
        MessageBuilder.withBody(new byte[0])
            .setCorrelationId("one")
            .setHeader(QueueMeters.SENT, NOW - 24 * HOUR_MILLIS)
            .build());

    assertThat(workedOn).containsExactly(Optional.empty());
  }

  @Test
  void isNoneForASignThatNobodyAskedFor() {
    var sign = request(NOW - HOUR_MILLIS - 1, HOUR_MILLIS);
    sign.getMessageProperties().setCorrelationId(null);

    receive(sign);

    assertThat(workedOn).containsExactly(Optional.empty());
  }

  private static Message request(long sentMillis, long expirationMillis) {
    return MessageBuilder.withBody(new byte[0])
        .setCorrelationId("one")
        .setExpiration(String.valueOf(expirationMillis))
        .setHeader(QueueMeters.SENT, sentMillis)
        .build();
  }

  private void receive(Message message) {
    ContainerDelivery.deliver(
        message,
        null,
        received -> workedOn.add(Optional.ofNullable(Deadline.current())),
        new MessageDeadline(() -> SETTINGS, () -> NOW));
  }
}
