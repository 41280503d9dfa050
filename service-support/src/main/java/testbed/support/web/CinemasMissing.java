package testbed.support.web;

import java.util.Collection;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.springframework.http.HttpHeaders;
import testbed.contracts.CinemaName;

/** Says beside a list which cinemas it lacks. */
public final class CinemasMissing {

  private static final String HEADER = "Cinemas-Missing";

  private CinemasMissing() {}

  /** Names the cinemas in their order; a complete list has no such header. */
  public static Consumer<HttpHeaders> named(Collection<CinemaName> missing) {
    return headers -> {
      if (!missing.isEmpty()) {
        headers.set(
            HEADER, missing.stream().map(CinemaName::value).collect(Collectors.joining(", ")));
      }
    };
  }
}
