package testbed.cinemas;

import java.io.ByteArrayOutputStream;
import java.util.List;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.support.json.LastMade;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes cinemas as JSON. A cinema that is the same object as the last time is not written again.
 */
public final class WrittenCinemas {

  private final LastMade<CinemaName, Cinema, byte[]> written;

  public WrittenCinemas(JsonMapper json) {
    this.written = new LastMade<>((first, second) -> first == second, json::writeValueAsBytes);
  }

  public byte[] one(Cinema cinema) {
    return written.of(cinema.cinemaName(), cinema);
  }

  /** A JSON list. */
  public byte[] list(List<Cinema> cinemas) {
    var list = new ByteArrayOutputStream(1_024);
    var separator = '[';
    for (var cinema : cinemas) {
      list.write(separator);
      list.writeBytes(one(cinema));
      separator = ',';
    }
    if (cinemas.isEmpty()) {
      list.write(separator);
    }
    list.write(']');
    return list.toByteArray();
  }
}
