package testbed.ticket;

import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.PositiveOrZero;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * How tickets wait, are built and are kept, in whichever service builds them.
 *
 * @param queueLength how many tickets wait at most, in a queue of the process or of the AMQP
 *     server; 0 for no limit. RabbitMQ does not count those that a consumer has fetched in advance.
 * @param overflow what happens when the queue is full: the oldest is dropped (drop-head), the new
 *     one is refused (reject-publish), or there is no limit (none)
 * @param consumers how many tickets are built at once: threads of the cinema, requests to the
 *     ticket service, or consumers of its queue
 * @param pages how many pages each ticket has, 1 to 50; its CPU time grows with them
 * @param storeBytes how much memory finished tickets take at most; then the oldest go
 * @param maxWait the longest time for which a fetch is held, whatever its client prefers
 */
@Validated
@ConfigurationProperties("ticket")
public record TicketSettings(
    @DefaultValue("100") @PositiveOrZero int queueLength,
    @DefaultValue("reject-publish") @NotNull Overflow overflow,
    @DefaultValue("2") @Min(1) @Max(64) int consumers,
    @DefaultValue("1") @Min(1) @Max(50) int pages,
    @DefaultValue("32MB") DataSize storeBytes,
    @DefaultValue("30s") Duration maxWait) {

  /** What happens to a ticket when the queue is full. */
  public enum Overflow {
    /** The oldest waiting ticket is dropped. Its client is not told. */
    DROP_HEAD,
    /** The new ticket is refused, and its client is told. */
    REJECT_PUBLISH,
    /** The queue has no limit; its length is ignored. */
    NONE
  }

  @AssertTrue(message = "ticket.store-bytes must not be negative")
  public boolean isStoreOfSomeSize() {
    return storeBytes == null || !storeBytes.isNegative();
  }

  /** How many tickets wait at most; 0 for no limit. */
  public int places() {
    return overflow == Overflow.NONE ? 0 : queueLength;
  }
}
