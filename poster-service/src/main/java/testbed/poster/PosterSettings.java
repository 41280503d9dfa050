package testbed.poster;

import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;
import testbed.poster.image.Format;
import testbed.poster.image.Step;

/**
 * The steps of this service, and its limits.
 *
 * @param steps the steps that it does, in this order
 * @param next the service of the next step; none for the last service
 * @param answers how an edited poster gets from the last service to the first
 * @param first the service that gets the finished poster; not set at the first one itself
 * @param wire the format of posters between services
 * @param concurrency images that are decoded, edited and encoded at once
 * @param maxWait the longest wait for a turn or for memory; then the request is refused
 * @param deadline the time for a poster, from the request to the answer
 * @param heldBytes the most bytes of posters in memory, for each kind: received, to be sent, and
 *     answers of other services
 * @param maxPixels the largest image, in pixels of 32 bits or less; larger ones are not decoded
 * @param quality of JPEG, from 0 to 1
 */
@Validated
@ConfigurationProperties("poster")
public record PosterSettings(
    @NotEmpty List<Step> steps,
    @Nullable URI next,
    @NotNull Answers answers,
    @Nullable URI first,
    @NotNull Format wire,
    @Positive int concurrency,
    @NotNull @DurationMin(millis = 1) Duration maxWait,
    @NotNull @DurationMin(millis = 1) Duration deadline,
    @NotNull DataSize heldBytes,
    @Positive long maxPixels,
    @DecimalMin("0") @DecimalMax("1") float quality) {

  /** How an edited poster gets from the last service to the first. */
  public enum Answers {
    /** As the answer of each service to the one before. */
    CHAIN,
    /** The last service sends it to the first. Each service before answers at once. */
    FIRST
  }

  @AssertTrue(message = "poster.answers=first needs poster.next, poster.first or both")
  public boolean isFirstReachable() {
    return answers != Answers.FIRST || next != null || first != null;
  }

  @AssertTrue(message = "poster.held-bytes must be at least 1KB")
  public boolean isRoomForSome() {
    return heldBytes == null || heldBytes.toKilobytes() > 0;
  }

  /** Whether no other service follows. */
  public boolean isLast() {
    return next == null;
  }
}
