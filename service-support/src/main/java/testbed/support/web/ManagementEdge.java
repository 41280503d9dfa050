package testbed.support.web;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Set;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import tools.jackson.databind.json.JsonMapper;

/**
 * The management port of servlet services, a server of its own. Paths other than health and metrics
 * are refused with a problem, as at the service's port.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnClass(ResponseEntityExceptionHandler.class)
public class ManagementEdge {

  @Bean
  Filter openPathsOnly() {
    return (request, response, chain) -> {
      if (ManagementPaths.isOpen(((HttpServletRequest) request).getRequestURI())) {
        chain.doFilter(request, response);
      } else {
        ((HttpServletResponse) response).sendError(HttpServletResponse.SC_NOT_FOUND);
      }
    };
  }

  /** After the framework's customizers. Without an error page the valve answers. */
  @Bean
  WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> managementRefusals(
      JsonMapper json) {
    return factory -> {
      factory.setErrorPages(Set.of());
      factory.addContextCustomizers(ProblemReportValve.added(json));
    };
  }
}
