package testbed.support.deadline;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The time by which a request must be answered: a margin before its caller gives up. Bound to the
 * thread that handles the request. Without a deadline, the limits of the clients in use apply.
 */
public final class Deadline {

  /**
   * How many milliseconds the caller of an HTTP request waits for the answer. Relative, so that
   * clocks need not agree.
   */
  public static final String HEADER = "Request-Timeout-Millis";

  private static final Pattern MILLIS = Pattern.compile("\\d{1,9}");

  private static final ThreadLocal<@Nullable Deadline> CURRENT = new ThreadLocal<>();

  private final long atNanos;
  private final long marginMillis;

  private Deadline(long atNanos, long marginMillis) {
    this.atNanos = atNanos;
    this.marginMillis = marginMillis;
  }

  /**
   * The deadline of a request.
   *
   * @param wait how long its caller waits from now on
   * @param margin how much earlier the answer must be sent
   */
  public static Deadline of(Duration wait, Duration margin) {
    return new Deadline(System.nanoTime() + wait.minus(margin).toNanos(), margin.toMillis());
  }

  /** Parses milliseconds, as requests and messages carry them; empty if malformed. */
  public static Optional<Duration> read(@Nullable String millis) {
    return millis != null && MILLIS.matcher(millis).matches()
        ? Optional.of(Duration.ofMillis(Long.parseLong(millis)))
        : Optional.empty();
  }

  /** A deadline after this time, or this thread's deadline if that is earlier. */
  public static Deadline within(Duration longest) {
    var own = of(longest, Duration.ZERO);
    var current = CURRENT.get();
    return current != null && current.atNanos - own.atNanos < 0 ? current : own;
  }

  /** The deadline of the request on this thread, if it has one. */
  public static @Nullable Deadline current() {
    return CURRENT.get();
  }

  /**
   * Fails if no time is left.
   *
   * @throws DeadlinePassed if it is too late for an answer
   */
  public static void requireTime() {
    var deadline = CURRENT.get();
    if (deadline != null && deadline.millisLeft() == 0) {
      throw new DeadlinePassed();
    }
  }

  /**
   * Fails if less than the margin is left: data is changed only if the caller will still get the
   * result.
   *
   * @throws DeadlinePassed if it is too late to begin
   */
  public static void requireMargin() {
    var deadline = CURRENT.get();
    if (deadline != null && !deadline.hasMargin()) {
      throw new DeadlinePassed();
    }
  }

  /** Whether data may still be changed: the caller will get the result. */
  public boolean hasMargin() {
    return millisLeft() >= marginMillis;
  }

  /** The time left, in whole milliseconds; 0 if the deadline has passed. */
  public long millisLeft() {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(atNanos - System.nanoTime()));
  }

  /** The time left, as {@link #HEADER} carries it. */
  public String told() {
    return String.valueOf(millisLeft());
  }

  /** Binds the deadline to this thread; closing the binding restores the one before. */
  public Binding bind() {
    var before = CURRENT.get();
    CURRENT.set(this);
    return before == null ? CURRENT::remove : () -> CURRENT.set(before);
  }

  /** Binds a deadline to a thread until it is closed. */
  @FunctionalInterface
  public interface Binding extends AutoCloseable {

    @Override
    void close();
  }
}
