package testbed.support.problem;

import java.util.List;
import java.util.stream.Collectors;

/** One field of a request that is not valid, and why. */
public record FieldProblem(String field, String message) {

  /** All of them as one text. */
  public static String listed(List<FieldProblem> errors) {
    return errors.stream()
        .map(error -> "%s: %s".formatted(error.field(), error.message()))
        .collect(Collectors.joining("; "));
  }
}
