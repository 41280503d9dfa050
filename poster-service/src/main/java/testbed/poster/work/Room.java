package testbed.poster.work;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;
import testbed.poster.PosterSettings;

/**
 * Bounds the bytes of posters in memory. A body is not read, and a turn is not given back, before
 * its memory is reserved.
 *
 * <p>Each kind has a limit of its own to avoid deadlocks: received posters leave only when there is
 * memory for the ones to be sent, and the first service receives answers while others wait for it.
 */
@Component
public class Room {

  private static final int KILOBYTE = 1024;

  private final Bounded arrived;
  private final Bounded leaving;
  private final Bounded answers;

  Room(PosterSettings settings, MeterRegistry meters) {
    this.arrived = kilobytes("arrived", settings, meters);
    this.leaving = kilobytes("leaving", settings, meters);
    this.answers = kilobytes("answers", settings, meters);
  }

  /** Room for the body of a request to edit a poster. */
  public Lease arriving(long bytes) {
    return taken(arrived, bytes);
  }

  /** Room for an edited poster that is to be sent. */
  Lease leaving(long bytes) {
    return taken(leaving, bytes);
  }

  /** Room for a finished poster that comes from the last service. */
  public Lease answer(long bytes) {
    return taken(answers, bytes);
  }

  private static Bounded kilobytes(String what, PosterSettings settings, MeterRegistry meters) {
    int limit = Math.toIntExact(settings.heldBytes().toKilobytes());
    return new Bounded(what, limit, settings.maxWait(), meters);
  }

  private static Lease taken(Bounded room, long bytes) {
    return room.take(Math.toIntExact((bytes + KILOBYTE - 1) / KILOBYTE));
  }
}
