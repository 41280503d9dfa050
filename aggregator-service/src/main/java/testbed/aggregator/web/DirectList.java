package testbed.aggregator.web;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.HandlerExceptionResolver;
import testbed.support.web.DirectAnswer;
import testbed.support.web.WebSettings;

/** The list past the dispatcher. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(WebSettings.SHORT_WAY)
class DirectList {

  @Bean
  FilterRegistrationBean<DirectAnswer> listFilter(
      MovieController movies,
      @Qualifier("handlerExceptionResolver") HandlerExceptionResolver advice) {
    return DirectAnswer.at(MovieController.LIST, movies::list, advice);
  }
}
