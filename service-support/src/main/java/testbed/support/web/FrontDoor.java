package testbed.support.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import testbed.support.client.ClientRates;
import testbed.support.client.ClientSettings;

/** Imported by servlet services that clients reach. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ClientSettings.class)
@Import(ClientRates.class)
public class FrontDoor {

  /** After all filters, so that the user is known. Probes and metrics are not counted. */
  @Bean
  WebMvcConfigurer rateLimit(ClientSettings settings, ClientRates clients) {
    return new WebMvcConfigurer() {
      @Override
      public void addInterceptors(InterceptorRegistry registry) {
        if (settings.rateLimit() != null) {
          registry.addInterceptor(new RateLimit(clients));
        }
      }
    };
  }

  private record RateLimit(ClientRates clients) implements HandlerInterceptor {

    @Override
    public boolean preHandle(
        HttpServletRequest request, HttpServletResponse response, Object handler) {
      clients
          .refusal(request.getUserPrincipal(), request.getRemoteAddr())
          .ifPresent(
              refusal -> {
                throw refusal;
              });
      return true;
    }
  }
}
