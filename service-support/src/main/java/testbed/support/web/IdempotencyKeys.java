package testbed.support.web;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import testbed.contracts.IdempotencyKey;
import testbed.support.problem.FieldProblem;

/**
 * Idempotency keys at the HTTP edge: an {@link IdempotencyKey} argument of a controller's method is
 * read from the header, and null without it. The header is a string in quotes, as the draft says
 * (RFC 9651), or the key alone, as most clients write it.
 */
public final class IdempotencyKeys implements HandlerMethodArgumentResolver {

  /** The header of a key. */
  public static final String HEADER = "Idempotency-Key";

  private static final Pattern QUOTED = Pattern.compile("\"((?:[^\"\\\\]|\\\\[\"\\\\])*+)\"");
  private static final Pattern ALONE = Pattern.compile("[^\"\\\\,;]++");
  private static final Pattern ESCAPED = Pattern.compile("\\\\(.)");

  IdempotencyKeys() {}

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.getParameterType() == IdempotencyKey.class;
  }

  @Override
  public @Nullable IdempotencyKey resolveArgument(
      MethodParameter parameter,
      @Nullable ModelAndViewContainer model,
      NativeWebRequest request,
      @Nullable WebDataBinderFactory binders) {
    return of(Objects.requireNonNull(request.getNativeRequest(HttpServletRequest.class)));
  }

  /**
   * The key of a request; null if it has none.
   *
   * @throws InvalidParameters if the header is malformed
   */
  public static @Nullable IdempotencyKey of(HttpServletRequest request) {
    var values = Collections.list(request.getHeaders(HEADER));
    if (values.isEmpty()) {
      return null;
    }
    return Optional.of(values)
        .filter(all -> all.size() == 1)
        .flatMap(all -> read(all.getFirst()))
        .orElseThrow(
            () ->
                new InvalidParameters(
                    List.of(
                        new FieldProblem(
                            HEADER, "must be one key of 1 to 64 visible characters"))));
  }

  private static Optional<IdempotencyKey> read(String value) {
    var quoted = QUOTED.matcher(value);
    if (quoted.matches()) {
      return IdempotencyKey.parse(ESCAPED.matcher(quoted.group(1)).replaceAll("$1"));
    }
    return ALONE.matcher(value).matches() ? IdempotencyKey.parse(value) : Optional.empty();
  }
}
