package testbed.poster.work;

import java.util.List;
import org.jspecify.annotations.Nullable;
import testbed.poster.image.Format;
import testbed.poster.image.Step;

/**
 * A poster after this service's steps. Holds room for its bytes until it is closed.
 *
 * @param done the steps that it has seen, here and before
 * @param wanted the format in which the client wants the result
 * @param digest of its pixels before they were encoded; null if another service follows
 */
public record Edited(
    Poster poster, List<Step> done, Format wanted, @Nullable String digest, Lease room)
    implements AutoCloseable {

  @Override
  public void close() {
    room.close();
  }
}
