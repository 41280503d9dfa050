package testbed.support.access;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.context.AbstractSecurityWebApplicationInitializer;

/** What services on Tomcat that ask for accounts or tokens have in common; they import it. */
@Configuration(proxyBeanMethods = false)
public class ServletAccess {

  /** Behind the limit of a body's size, as in the gateway. */
  private static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 200;

  /**
   * Every request brings its credentials: there is no session, no login and no logout. Responses
   * have no headers that are for HTML pages.
   */
  public static <R extends AuthenticationEntryPoint & AccessDeniedHandler> HttpSecurity stateless(
      HttpSecurity http, R refusals) {
    return http.exceptionHandling(
            handling -> handling.authenticationEntryPoint(refusals).accessDeniedHandler(refusals))
        .sessionManagement(
            sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .csrf(AbstractHttpConfigurer::disable)
        .logout(AbstractHttpConfigurer::disable)
        .requestCache(AbstractHttpConfigurer::disable)
        // No content sniffing, no caching.
        .headers(
            headers ->
                headers
                    .defaultsDisabled()
                    .contentTypeOptions(Customizer.withDefaults())
                    .cacheControl(Customizer.withDefaults()));
  }

  /** Error responses are dispatched to a path of their own, which needs no credentials. */
  @Bean
  FilterRegistrationBean<Filter> accessFilter(
      @Qualifier(AbstractSecurityWebApplicationInitializer.DEFAULT_FILTER_NAME) Filter chain) {
    var registration = new FilterRegistrationBean<>(chain);
    registration.setOrder(ORDER);
    registration.setDispatcherTypes(DispatcherType.REQUEST);
    return registration;
  }

  /**
   * The request itself is observed. An observation of each security check would cost as much again.
   */
  @Bean
  SecurityObservationSettings unobserved() {
    return SecurityObservationSettings.noObservations();
  }
}
