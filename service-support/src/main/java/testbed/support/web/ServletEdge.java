package testbed.support.web;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import tools.jackson.databind.json.JsonMapper;

/** Wires the HTTP edge of servlet services. */
@AutoConfiguration
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnClass(ResponseEntityExceptionHandler.class)
@EnableConfigurationProperties(WebSettings.class)
public class ServletEdge {

  @Bean
  RequestSizeLimit requestSizeLimit(WebSettings settings, JsonMapper json) {
    return new RequestSizeLimit(settings.maxBody(), json);
  }

  @Bean
  ProblemAdvice problemAdvice() {
    return new ProblemAdvice();
  }
}
