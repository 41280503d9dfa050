package testbed.support.web;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import testbed.contracts.Page;
import testbed.support.problem.FieldProblem;

/**
 * Pages of long lists at the HTTP edge: a {@link Page} argument of a controller's method is read
 * from the parameters {@code page} and {@code size}; the answer says in its headers how many
 * entries there are and where the next page is.
 */
public final class Paging implements HandlerMethodArgumentResolver {

  private static final String NUMBER = "page";
  private static final String SIZE = "size";
  private static final String TOTAL = "Total-Count";
  private static final Pattern DIGITS = Pattern.compile("\\d{1,9}");

  Paging() {}

  /**
   * The headers of a page.
   *
   * @param total entries of the list
   * @param path where pages of this list are asked for
   */
  public static Consumer<HttpHeaders> headers(Page page, long total, String path) {
    return headers -> {
      headers.set(TOTAL, String.valueOf(total));
      page.next(total)
          .ifPresent(
              next ->
                  headers.set(
                      HttpHeaders.LINK, "<%s>; rel=\"next\"".formatted(address(path, next))));
    };
  }

  private static URI address(String path, Page page) {
    return URI.create("%s?%s=%d&%s=%d".formatted(path, NUMBER, page.number(), SIZE, page.size()));
  }

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.getParameterType() == Page.class;
  }

  /**
   * @throws InvalidParameters if a value is invalid
   */
  @Override
  public Page resolveArgument(
      MethodParameter parameter,
      @Nullable ModelAndViewContainer model,
      NativeWebRequest request,
      @Nullable WebDataBinderFactory binders) {
    var problems = new ArrayList<FieldProblem>();
    var number = read(request, NUMBER, Page.FIRST.number(), 0, Page.MAX_NUMBER, problems);
    var size = read(request, SIZE, Page.FIRST.size(), 1, Page.MAX_SIZE, problems);
    if (number.isEmpty() || size.isEmpty()) {
      throw new InvalidParameters(problems);
    }
    return new Page(number.getAsInt(), size.getAsInt());
  }

  private static OptionalInt read(
      NativeWebRequest request,
      String name,
      int otherwise,
      int least,
      int most,
      List<FieldProblem> problems) {
    var values = request.getParameterValues(name);
    if (values == null || values.length == 0) {
      return OptionalInt.of(otherwise);
    }
    if (values.length == 1 && DIGITS.matcher(values[0]).matches()) {
      int value = Integer.parseInt(values[0]);
      if (value >= least && value <= most) {
        return OptionalInt.of(value);
      }
    }
    problems.add(
        new FieldProblem(name, "must be one whole number from %d to %d".formatted(least, most)));
    return OptionalInt.empty();
  }
}
