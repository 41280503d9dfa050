package testbed.cinema.web;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.HandlerExceptionResolver;
import testbed.cinema.CinemaSettings;
import testbed.support.web.DirectAnswer;
import testbed.support.web.WebSettings;

/** The list past the dispatcher. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "cinema.transport", havingValue = "http")
@ConditionalOnBooleanProperty(WebSettings.SHORT_WAY)
class DirectList {

  @Bean
  FilterRegistrationBean<DirectAnswer> listFilter(
      CinemaSettings settings,
      MovieController movies,
      @Qualifier("handlerExceptionResolver") HandlerExceptionResolver advice) {
    var path = "/cinema/%s/movie/list".formatted(settings.cinemaName());
    return DirectAnswer.at(path, movies::list, advice);
  }
}
