package testbed.cinemas;

import java.util.Collection;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.springframework.http.HttpHeaders;
import testbed.contracts.CinemaName;

/** The header of a list with the cinemas that it lacks. */
public final class CinemasMissing {

  private static final String HEADER = "Cinemas-Missing";

  private CinemasMissing() {}

  /** The header for these cinemas, in their order; none for a complete list. */
  public static Consumer<HttpHeaders> named(Collection<CinemaName> missing) {
    return headers -> {
      if (!missing.isEmpty()) {
        headers.set(
            HEADER, missing.stream().map(CinemaName::value).collect(Collectors.joining(", ")));
      }
    };
  }
}
