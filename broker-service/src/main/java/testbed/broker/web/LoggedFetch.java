package testbed.broker.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import testbed.broker.operation.CorrelationId;
import testbed.support.log.LoggedCorrelation;

/** Log lines of a fetch, including its problems, carry its correlation id. */
@Component
class LoggedFetch implements HandlerInterceptor, WebMvcConfigurer {

  private static final String ID = "id";

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(this);
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    // Only well-formed ids: a client must not write other text into the log.
    if (request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE)
            instanceof Map<?, ?> path
        && path.get(ID) instanceof String id
        && CorrelationId.isWritten(id)) {
      MDC.put(LoggedCorrelation.KEY, id);
    }
    return true;
  }

  @Override
  public void afterCompletion(
      HttpServletRequest request,
      HttpServletResponse response,
      Object handler,
      @Nullable Exception problem) {
    MDC.remove(LoggedCorrelation.KEY);
  }
}
