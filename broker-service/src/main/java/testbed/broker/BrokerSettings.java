package testbed.broker;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;
import testbed.support.preset.InvalidSetting;

/**
 * How long the broker waits and how much it holds.
 *
 * @param deadline how long cinemas have for their answers
 * @param maxWait the longest time for which a fetch is held, whatever its client prefers
 * @param confirmTimeout the longest wait until the AMQP server has taken a request over
 * @param acknowledgedTogether how many responses are acknowledged at once; they are delivered again
 *     if the broker loses its connection before, which is harmless
 */
@ConfigurationProperties("broker")
@Validated
public record BrokerSettings(
    @DefaultValue("5s") Duration deadline,
    @DefaultValue("30s") Duration maxWait,
    @DefaultValue("2s") Duration confirmTimeout,
    @DefaultValue("1") @Min(1) int acknowledgedTogether,
    @DefaultValue @Valid Store store,
    @DefaultValue Presence presence) {

  public BrokerSettings {
    if (store.expiry().compareTo(deadline) <= 0) {
      throw new InvalidSetting(
          "BROKER_STORE_EXPIRY",
          store.expiry().toString(),
          List.of("any time longer than BROKER_DEADLINE, which is %s".formatted(deadline)));
    }
  }

  /**
   * The correlation store.
   *
   * @param capacity operations held at most, pending and answered ones together
   * @param expiry how long after its request an answer can be fetched
   */
  public record Store(
      @DefaultValue("20000") @Min(1) int capacity, @DefaultValue("60s") Duration expiry) {}

  /**
   * Which cinemas count as there.
   *
   * @param presentFor how long after its last sign a cinema is expected to answer
   * @param rememberedFor how long a cinema that is gone is named as missing
   * @param listenFor how long the broker listens for signs before it is ready
   * @param checkInterval how often it checks that present cinemas still listen to their queues
   */
  public record Presence(
      @DefaultValue("3s") Duration presentFor,
      @DefaultValue("1h") Duration rememberedFor,
      @DefaultValue("1s") Duration listenFor,
      @DefaultValue("500ms") Duration checkInterval) {}
}
