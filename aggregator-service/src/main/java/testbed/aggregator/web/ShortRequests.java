package testbed.aggregator.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.Validator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.http.HttpMethod;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.HandlerExceptionResolver;
import testbed.support.web.ShortWay;
import testbed.support.web.WebSettings;
import tools.jackson.databind.json.JsonMapper;

/** The short way to the list of movies. */
@Component
@ConditionalOnBooleanProperty(WebSettings.SHORT_WAY)
@ConditionalOnWebApplication
class ShortRequests extends ShortWay {

  private final MovieController movies;

  ShortRequests(
      MovieController movies,
      JsonMapper json,
      Validator validator,
      @Qualifier("handlerExceptionResolver") HandlerExceptionResolver problems) {
    super(json, validator, problems);
    this.movies = movies;
  }

  @Override
  protected @Nullable Operation<?> operation(HttpServletRequest request) {
    return HttpMethod.GET.name().equals(request.getMethod())
            && MovieController.LIST.equals(request.getRequestURI())
        ? Operation.without(MovieController.LIST, movies::list)
        : null;
  }
}
