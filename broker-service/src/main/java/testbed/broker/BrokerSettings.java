package testbed.broker;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;
import testbed.support.preset.InvalidSetting;

/**
 * How long the broker waits, how much it holds, and which of several it is.
 *
 * @param number tells brokers on one AMQP server apart: each has queues of its own for responses
 *     and for signs of presence
 * @param deadline how long cinemas have for their answers
 * @param maxWait the longest time for which a fetch is held, whatever its client prefers
 * @param waitingPlaces how many requests are held at once; no more than four times as many for one
 *     cinema as are free. Without it any number
 * @param confirmTimeout the longest wait until the AMQP server has taken a request over
 * @param acknowledgedTogether how many responses are acknowledged at once; they are delivered again
 *     if the broker loses its connection before, which is harmless
 * @param handicap CPU time that each request burns, for experiments with a known difference
 */
@ConfigurationProperties("broker")
@Validated
public record BrokerSettings(
    @DefaultValue("1") @Min(1) int number,
    @DefaultValue("5s") Duration deadline,
    @DefaultValue("30s") Duration maxWait,
    @Nullable @Min(1) Integer waitingPlaces,
    @DefaultValue("2s") Duration confirmTimeout,
    @DefaultValue("1") @Min(1) int acknowledgedTogether,
    @DefaultValue @Valid Store store,
    @DefaultValue Presence presence,
    @DefaultValue("0s") Duration handicap) {

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
   * @param maxBytes about how much memory their answers take at most; by default a third of the
   *     heap that the presets give
   * @param expiry how long after its request an answer can be fetched
   * @param fetchedExpiry how long after its first fetch a complete answer can be fetched again
   */
  public record Store(
      @DefaultValue("20000") @Min(1) int capacity,
      @DefaultValue("64MB") DataSize maxBytes,
      @DefaultValue("60s") Duration expiry,
      @DefaultValue("5s") Duration fetchedExpiry) {

    private static final DataSize LEAST_BYTES = DataSize.ofMegabytes(1);
    private static final Duration LEAST_EXPIRY = Duration.ofSeconds(1);

    public Store {
      if (maxBytes.compareTo(LEAST_BYTES) < 0) {
        throw new InvalidSetting(
            "BROKER_STORE_MAX_BYTES", maxBytes.toString(), List.of("any size from 1MB"));
      }
      if (fetchedExpiry.compareTo(LEAST_EXPIRY) < 0) {
        throw new InvalidSetting(
            "BROKER_STORE_FETCHED_EXPIRY", fetchedExpiry.toString(), List.of("any time from 1s"));
      }
    }
  }

  /**
   * When a cinema counts as present.
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
