package testbed.ticketservice.messaging;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.PositiveOrZero;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The queue of tickets and its consumers.
 *
 * @param prefetch how many tickets each consumer prefetches; these no longer count as waiting
 * @param rate how many tickets a second are begun at most, by one instance; 0 for no limit
 * @param queueType the kind of queue. Quorum queues are RabbitMQ's only.
 * @param maxDeliveries how often an order is delivered at most; then it is set aside, because it
 *     may crash the service
 */
@Validated
@ConfigurationProperties("ticket")
record QueueSettings(
    @DefaultValue("10") @Min(1) @Max(1000) int prefetch,
    @DefaultValue("0") @PositiveOrZero double rate,
    @DefaultValue("classic") @NotNull QueueType queueType,
    @DefaultValue("5") @Min(1) int maxDeliveries) {

  enum QueueType {
    CLASSIC,
    QUORUM
  }
}
