package testbed.poster.work;

import java.util.List;
import testbed.poster.image.Format;
import testbed.poster.image.Step;

/**
 * A poster to work on. Holds room for its bytes until it is closed.
 *
 * @param done the steps that other services have done before
 * @param wanted the format in which the client wants the result
 */
public record Received(Poster poster, List<Step> done, Format wanted, Lease room)
    implements AutoCloseable {

  @Override
  public void close() {
    room.close();
  }
}
