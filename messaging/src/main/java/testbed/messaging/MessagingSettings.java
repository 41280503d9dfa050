package testbed.messaging;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import testbed.support.preset.InvalidSetting;

/**
 * Settings of every service that uses queues.
 *
 * @param queueLength how many requests wait in a queue at most; further ones are refused. 0 for no
 *     limit. RabbitMQ does not count those that a consumer has fetched in advance.
 * @param confirms how publishers wait until the AMQP server has confirmed their messages: each
 *     takes a channel until then, or all share one
 * @param gatheredWrites whether messages and acknowledgements that are sent at about the same time
 *     share a packet; none waits for others
 * @param handledAtOnce how many messages a service handles at a time, by one consumer of each queue
 *     that acknowledges together those that are done; 0 for the consumers of the container, each of
 *     which handles one at a time
 * @param recoveryInterval how long a service waits before it tries again to consume from an AMQP
 *     server that is away; if it is told to end meanwhile, it ends after that
 */
@ConfigurationProperties("testbed.messaging")
public record MessagingSettings(
    @DefaultValue("10000") int queueLength,
    @DefaultValue("each") Confirms confirms,
    @DefaultValue("false") boolean gatheredWrites,
    @DefaultValue("0") int handledAtOnce,
    @DefaultValue("5s") Duration recoveryInterval) {

  /** The protocol's limit of messages that a consumer has in advance. */
  private static final int MOST_IN_ADVANCE = 65_535;

  public MessagingSettings {
    if (queueLength < 0) {
      throw new InvalidSetting(
          "TESTBED_MESSAGING_QUEUE_LENGTH",
          String.valueOf(queueLength),
          List.of("0 for no limit", "any number of messages"));
    }
    if (handledAtOnce < 0 || handledAtOnce > MOST_IN_ADVANCE) {
      throw new InvalidSetting(
          "TESTBED_MESSAGING_HANDLED_AT_ONCE",
          String.valueOf(handledAtOnce),
          List.of("0 for the container's consumers", "up to " + MOST_IN_ADVANCE));
    }
  }
}
