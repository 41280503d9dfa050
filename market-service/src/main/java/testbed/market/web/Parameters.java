package testbed.market.web;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import testbed.contracts.Page;
import testbed.contracts.PlainText;
import testbed.support.problem.FieldProblem;
import testbed.support.web.InvalidParameters;

/** The query parameters of a request; an argument of controllers' methods. */
public final class Parameters {

  /** Longer than any name. */
  private static final int MAX_LENGTH = 200;

  private static final Pattern WRITTEN = Pattern.compile(PlainText.WRITTEN);
  private static final Pattern DIGITS = Pattern.compile("\\d{1,9}");
  private static final String NUMBER = "pageNumber";
  private static final String SIZE = "pageSize";

  private final HttpServletRequest request;

  Parameters(HttpServletRequest request) {
    this.request = request;
  }

  /**
   * A text; null without it.
   *
   * @throws InvalidParameters if no name can be like that
   */
  public @Nullable String text(String name) {
    var value = single(name);
    // The decoder writes this character in place of bytes that are none.
    if (value != null
        && (value.length() > MAX_LENGTH
            || !WRITTEN.matcher(value).matches()
            || value.indexOf('\uFFFD') >= 0)) {
      throw invalid(
          name,
          "must be UTF-8 text of at most %d characters, without control characters"
              .formatted(MAX_LENGTH));
    }
    return value;
  }

  /**
   * One of several names; null without it.
   *
   * @throws InvalidParameters if it is another
   */
  public <E extends Enum<E>> @Nullable E choice(String name, Class<E> type) {
    var value = single(name);
    if (value == null) {
      return null;
    }
    return Arrays.stream(type.getEnumConstants())
        .filter(choice -> choice.name().equals(value))
        .findAny()
        .orElseThrow(
            () ->
                invalid(
                    name,
                    Arrays.stream(type.getEnumConstants())
                        .map(Enum::name)
                        .collect(Collectors.joining(" or ", "must be ", ""))));
  }

  /**
   * The page that is wanted.
   *
   * @throws InvalidParameters if a number is missing or invalid
   */
  public Page page() {
    return new Page(number(NUMBER, null, 0, Page.MAX_NUMBER), number(SIZE, null, 1, Page.MAX_SIZE));
  }

  /**
   * The page that is wanted, or the first one.
   *
   * @throws InvalidParameters if a number is invalid
   */
  public Page pageOrFirst() {
    return new Page(
        number(NUMBER, Page.FIRST.number(), 0, Page.MAX_NUMBER),
        number(SIZE, Page.FIRST.size(), 1, Page.MAX_SIZE));
  }

  private int number(String name, @Nullable Integer otherwise, int least, int most) {
    var value = single(name);
    if (value == null && otherwise != null) {
      return otherwise;
    }
    if (value != null && DIGITS.matcher(value).matches()) {
      int number = Integer.parseInt(value);
      if (number >= least && number <= most) {
        return number;
      }
    }
    throw invalid(name, "must be a whole number from %d to %d".formatted(least, most));
  }

  private @Nullable String single(String name) {
    var values = request.getParameterValues(name);
    if (values == null) {
      return null;
    }
    if (values.length > 1) {
      throw invalid(name, "must be given once");
    }
    return values[0];
  }

  private static InvalidParameters invalid(String name, String message) {
    return new InvalidParameters(List.of(new FieldProblem(name, message)));
  }
}
