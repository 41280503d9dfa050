package testbed.support.web;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
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
 * read from the header, and null without it.
 */
public final class IdempotencyKeys implements HandlerMethodArgumentResolver {

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
   * The key of a request, which is its account's own; null if it has none.
   *
   * @throws InvalidParameters if the header is malformed
   */
  public static @Nullable IdempotencyKey of(HttpServletRequest request) {
    var values = Collections.list(request.getHeaders(IdempotencyHeader.NAME));
    if (values.isEmpty()) {
      return null;
    }
    var key =
        IdempotencyHeader.read(values)
            .orElseThrow(
                () ->
                    new InvalidParameters(
                        List.of(
                            new FieldProblem(
                                IdempotencyHeader.NAME,
                                "must be one key of 1 to 64 visible characters"))));
    var user = request.getUserPrincipal();
    return user == null ? key : key.of(user.getName());
  }
}
