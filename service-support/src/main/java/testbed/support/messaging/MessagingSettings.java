package testbed.support.messaging;

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
 */
@ConfigurationProperties("testbed.messaging")
public record MessagingSettings(
    @DefaultValue("10000") int queueLength,
    @DefaultValue("each") Confirms confirms,
    @DefaultValue("false") boolean gatheredWrites) {

  public MessagingSettings {
    if (queueLength < 0) {
      throw new InvalidSetting(
          "TESTBED_MESSAGING_QUEUE_LENGTH",
          String.valueOf(queueLength),
          List.of("0 for no limit", "any number of messages"));
    }
  }
}
