package testbed.poster.web;

import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import testbed.poster.image.Step;

/** Paths and headers, the same between services as for clients. */
final class PosterApi {

  static final String POSTERS = "/api/posters";
  static final String STEPS_TO_DO = POSTERS + "/steps";
  static final String ANSWERS = POSTERS + "/answers/";

  /** The steps that were done, in order. */
  static final String STEPS = "Poster-Steps";

  /** The SHA-256 of the pixels, before they were encoded for the client. */
  static final String DIGEST = "Poster-Digest";

  /** The id of the request at the first service. */
  static final String ID = "Poster-Id";

  /** The status for the client. */
  static final String STATUS = "Poster-Status";

  /** The headers of a refusal that are passed on. */
  static final List<String> OF_REFUSALS =
      List.of(HttpHeaders.CONTENT_TYPE, HttpHeaders.RETRY_AFTER);

  private static final int MAX_STEPS = 20;

  private PosterApi() {}

  /**
   * Reads a list of steps; an absent one is empty.
   *
   * @throws StepsUnreadable if there are unknown ones, or too many
   */
  static List<Step> steps(@Nullable String header) {
    if (header == null) {
      return List.of();
    }
    try {
      var steps =
          Stream.of(header.split(", ", MAX_STEPS + 1))
              .map(word -> Step.valueOf(word.toUpperCase(Locale.ROOT)))
              .toList();
      if (steps.size() <= MAX_STEPS) {
        return steps;
      }
    } catch (IllegalArgumentException unknown) {
      // Told below.
    }
    throw new StepsUnreadable();
  }

  /** Copies those of the headers that are there. */
  static void copy(
      List<String> names, Function<String, @Nullable String> from, BiConsumer<String, String> to) {
    for (var name : names) {
      var value = from.apply(name);
      if (value != null) {
        to.accept(name, value);
      }
    }
  }

  static String shown(List<Step> steps) {
    return steps.stream().map(Step::word).collect(Collectors.joining(", "));
  }
}
