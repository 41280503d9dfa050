package testbed.support.web;

import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import testbed.support.deadline.DeadlineSettings;
import tools.jackson.databind.json.JsonMapper;

/** Wires the HTTP edge of servlet services. */
@AutoConfiguration(
    beforeName = "org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration")
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnClass(ResponseEntityExceptionHandler.class)
@EnableConfigurationProperties({WebSettings.class, DeadlineSettings.class})
public class ServletEdge {

  @Bean
  RequestSizeLimit requestSizeLimit(WebSettings settings, JsonMapper json) {
    return new RequestSizeLimit(settings, json);
  }

  @Bean
  @ConditionalOnBooleanProperty(DeadlineSettings.HANDED_ON)
  RequestDeadline requestDeadline(DeadlineSettings settings) {
    return new RequestDeadline(settings.margin());
  }

  /** After the framework's customizer, so that this page is found first. */
  @Bean
  WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> tomcatRefusals(JsonMapper json) {
    return factory -> factory.addContextCustomizers(ProblemReportValve.added(json));
  }

  @Bean
  WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> fewConnectionsLeft() {
    return factory -> factory.addEngineValves(new CrowdedConnections());
  }

  @Bean
  WebMvcConfigurer arguments() {
    return new WebMvcConfigurer() {
      @Override
      public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
        resolvers.add(new Paging());
        resolvers.add(new IdempotencyKeys());
      }
    };
  }

  @Bean
  ErrorPage errorPage() {
    return new ErrorPage();
  }

  @Bean
  ProblemAdvice problemAdvice() {
    return new ProblemAdvice();
  }
}
