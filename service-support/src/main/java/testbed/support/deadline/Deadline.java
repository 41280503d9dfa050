package testbed.support.deadline;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Until when a request has to be answered: a margin before its caller gives up. Bound to the thread
 * that works on the request. Work without a deadline is limited by the settings of what it uses.
 */
public final class Deadline {

  /**
   * How many milliseconds the caller of an HTTP request waits for the answer. Relative, so that no
   * two clocks have to agree.
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
   * @param margin how much sooner it is to have the answer
   */
  public static Deadline of(Duration wait, Duration margin) {
    return new Deadline(System.nanoTime() + wait.minus(margin).toNanos(), margin.toMillis());
  }

  /** A time in milliseconds, as requests and messages carry it; none if it cannot be read. */
  public static Optional<Duration> read(@Nullable String millis) {
    return millis != null && MILLIS.matcher(millis).matches()
        ? Optional.of(Duration.ofMillis(Long.parseLong(millis)))
        : Optional.empty();
  }

  /** So long from now, or this thread's deadline if that comes sooner. */
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
   * Ends the request on this thread if less than its margin is left: what changes data is begun
   * only if its caller will learn how it ended.
   *
   * @throws DeadlinePassed if it is too late to begin
   */
  public static void requireMargin() {
    var deadline = CURRENT.get();
    if (deadline != null && !deadline.hasMargin()) {
      throw new DeadlinePassed();
    }
  }

  /** Whether what changes data may still be begun: its caller will learn how it ended. */
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

  /** Binds the deadline to this thread until the binding is closed; then the one before holds. */
  public Binding bind() {
    var before = CURRENT.get();
    CURRENT.set(this);
    return before == null ? CURRENT::remove : () -> CURRENT.set(before);
  }

  /** A thread's deadline, as long as it is the thread's. */
  @FunctionalInterface
  public interface Binding extends AutoCloseable {

    @Override
    void close();
  }
}
