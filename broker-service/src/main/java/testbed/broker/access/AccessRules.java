package testbed.broker.access;

import static org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher.pathPattern;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.WebAuthenticationDetails;
import org.springframework.security.web.context.AbstractSecurityWebApplicationInitializer;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.util.matcher.NegatedRequestMatcher;
import testbed.support.access.AccessRequired;
import testbed.support.access.AccessSettings;
import testbed.support.access.Accounts;
import testbed.support.client.ClientRates;
import tools.jackson.databind.json.JsonMapper;

/**
 * Who may ask for what, by path. What matches no rule is for administrators, so that nothing is
 * open because it was forgotten or is written in an odd way. The correlation store checks that only
 * the client that asked fetches an answer.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(AccessRequired.class)
@EnableWebSecurity
class AccessRules {

  /** Behind the limit of a body's size, as in the gateway. */
  private static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 200;

  @Bean
  SecurityFilterChain access(
      HttpSecurity http, AccessSettings settings, ClientRates clients, JsonMapper json) {
    var accounts = new Accounts(settings);
    var refusals = new Refusals(clients, json);
    return http
        // Health and metrics need no account.
        .securityMatcher(new NegatedRequestMatcher(pathPattern("/actuator/**")))
        .authorizeHttpRequests(
            rules ->
                rules
                    .requestMatchers("/openapi.yaml", "/api/movie/list", "/api/movie/list/*")
                    .permitAll()
                    .requestMatchers(
                        "/api/cinema/*/reservation/make", "/api/cinema/*/reservation/make/*")
                    .hasAuthority(Accounts.USER)
                    .anyRequest()
                    .hasAuthority(Accounts.ADMINISTRATOR))
        .authenticationManager(
            claimed ->
                accounts.authenticate(
                    claimed,
                    clients,
                    claimed.getDetails() instanceof WebAuthenticationDetails details
                        ? details.getRemoteAddress()
                        : null))
        .httpBasic(basic -> basic.authenticationEntryPoint(refusals))
        .exceptionHandling(
            handling -> handling.authenticationEntryPoint(refusals).accessDeniedHandler(refusals))
        // Every request brings its credentials: there is no session, no login and no logout.
        .sessionManagement(
            sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .csrf(AbstractHttpConfigurer::disable)
        .logout(AbstractHttpConfigurer::disable)
        .requestCache(AbstractHttpConfigurer::disable)
        // No content sniffing, no caching. The other headers are for HTML pages.
        .headers(
            headers ->
                headers
                    .defaultsDisabled()
                    .contentTypeOptions(Customizer.withDefaults())
                    .cacheControl(Customizer.withDefaults()))
        .build();
  }

  /** Error responses are dispatched to a path of their own, which needs no account. */
  @Bean
  FilterRegistrationBean<Filter> accessFilter(
      @Qualifier(AbstractSecurityWebApplicationInitializer.DEFAULT_FILTER_NAME) Filter chain) {
    var registration = new FilterRegistrationBean<>(chain);
    registration.setOrder(ORDER);
    registration.setDispatcherTypes(DispatcherType.REQUEST);
    return registration;
  }

  @Bean
  HttpFirewall everyRequest() {
    return new EveryRequest();
  }

  /**
   * The request itself is observed. An observation of each security check would cost as much again.
   */
  @Bean
  SecurityObservationSettings unobserved() {
    return SecurityObservationSettings.noObservations();
  }
}
