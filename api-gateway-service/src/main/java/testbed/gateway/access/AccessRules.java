package testbed.gateway.access;

import static org.springframework.security.authorization.AuthorityReactiveAuthorizationManager.hasAuthority;
import static org.springframework.security.web.server.util.matcher.ServerWebExchangeMatchers.pathMatchers;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpMethod;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.ReactiveAuthorizationManager;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.config.web.server.SecurityWebFiltersOrder;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity.CsrfSpec;
import org.springframework.security.config.web.server.ServerHttpSecurity.HeaderSpec.FrameOptionsSpec;
import org.springframework.security.config.web.server.ServerHttpSecurity.HeaderSpec.HstsSpec;
import org.springframework.security.config.web.server.ServerHttpSecurity.HeaderSpec.XssProtectionSpec;
import org.springframework.security.config.web.server.ServerHttpSecurity.LogoutSpec;
import org.springframework.security.config.web.server.ServerHttpSecurity.RequestCacheSpec;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.authentication.AuthenticationWebFilter;
import org.springframework.security.web.server.authentication.ServerAuthenticationEntryPointFailureHandler;
import org.springframework.security.web.server.authorization.AuthorizationContext;
import org.springframework.security.web.server.context.NoOpServerSecurityContextRepository;
import org.springframework.security.web.server.firewall.ServerWebExchangeFirewall;
import org.springframework.security.web.server.util.matcher.NegatedServerWebExchangeMatcher;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import testbed.gateway.client.ClientAddress;
import testbed.support.access.AccessSettings;
import testbed.support.access.Accounts;
import testbed.support.client.ClientRates;
import testbed.tier.token.TokenSettings;

/**
 * Who may ask for what, by path; clients of the market by an account or by a token. What matches no
 * rule is for administrators, so that nothing is open because it was forgotten or is written in an
 * odd way.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(AccountOrToken.class)
@EnableWebFluxSecurity
class AccessRules {

  private static final ReactiveAuthorizationManager<AuthorizationContext> EVERYBODY =
      (client, request) -> Mono.just(new AuthorizationDecision(true));

  @Bean
  SecurityWebFilterChain access(
      ServerHttpSecurity http,
      AccessSettings settings,
      TokenSettings tokens,
      Environment environment,
      ClientRates clients,
      Refusals refusals) {
    boolean market = MarketTokens.isBeforeTheMarket(environment);
    boolean byToken = MarketTokens.areChecked(environment);
    if (byToken) {
      http.oauth2ResourceServer(
          server ->
              server
                  .jwt(jwt -> jwt.authenticationManager(new CheckedTokens(tokens)))
                  .authenticationEntryPoint(refusals)
                  .accessDeniedHandler(refusals));
    } else {
      http.addFilterAt(accounts(settings, clients, refusals), SecurityWebFiltersOrder.HTTP_BASIC);
    }
    return http
        // Health and metrics need no account.
        .securityMatcher(new NegatedServerWebExchangeMatcher(pathMatchers("/actuator/**")))
        .authorizeExchange(
            rules ->
                rules
                    .pathMatchers(
                        "/openapi.yaml",
                        "/api/movie/list",
                        "/api/rates/**",
                        "/cinema/*/movie/list",
                        "/cinema/*/movie/find")
                    .permitAll()
                    .pathMatchers("/")
                    .access(market ? EVERYBODY : hasAuthority(Accounts.ADMINISTRATOR))
                    .pathMatchers(HttpMethod.GET, "/api/beans/**")
                    .access(byToken ? hasAuthority(Accounts.USER) : EVERYBODY)
                    // As GET (RFC 9110, 9.3.2).
                    .pathMatchers(HttpMethod.HEAD, "/api/beans/**")
                    .access(byToken ? hasAuthority(Accounts.USER) : EVERYBODY)
                    // To end an order as successful is for administrators.
                    .pathMatchers(HttpMethod.PUT, "/api/inventory/orders/*")
                    .hasAuthority(Accounts.ADMINISTRATOR)
                    .pathMatchers("/api/inventory/orders", "/api/inventory/orders/*")
                    .hasAuthority(Accounts.USER)
                    .pathMatchers("/cinema/*/reservation/list")
                    .hasAuthority(Accounts.ADMINISTRATOR)
                    // Only the client that made a reservation knows its id, unless it has shared
                    // it.
                    .pathMatchers("/cinema/*/reservation/*")
                    .hasAuthority(Accounts.USER)
                    .anyExchange()
                    .hasAuthority(Accounts.ADMINISTRATOR))
        .exceptionHandling(
            handling -> handling.authenticationEntryPoint(refusals).accessDeniedHandler(refusals))
        // Every request brings its credentials: there is no session, no login and no logout.
        .securityContextRepository(NoOpServerSecurityContextRepository.getInstance())
        .csrf(CsrfSpec::disable)
        .logout(LogoutSpec::disable)
        .requestCache(RequestCacheSpec::disable)
        // No content sniffing, no caching. The other headers are for HTML pages.
        .headers(
            headers ->
                headers
                    .frameOptions(FrameOptionsSpec::disable)
                    .hsts(HstsSpec::disable)
                    .xssProtection(XssProtectionSpec::disable))
        .build();
  }

  private static AuthenticationWebFilter accounts(
      AccessSettings settings, ClientRates clients, Refusals refusals) {
    var accounts = new Accounts(settings);
    var basic =
        new AuthenticationWebFilter(
            (ServerWebExchange exchange) ->
                Mono.just(
                    claimed ->
                        Mono.fromCallable(
                            () ->
                                accounts.authenticate(
                                    claimed, clients, ClientAddress.of(exchange)))));
    basic.setAuthenticationFailureHandler(
        new ServerAuthenticationEntryPointFailureHandler(refusals));
    return basic;
  }

  /**
   * The library's check would answer unusual paths in place of the services. It is not needed:
   * rules and routes read a path in the same way, and paths that match no rule are for
   * administrators.
   */
  @Bean
  ServerWebExchangeFirewall everyRequest() {
    return ServerWebExchangeFirewall.INSECURE_NOOP;
  }

  /**
   * The request itself is observed. An observation of each security check would cost as much again.
   */
  @Bean
  SecurityObservationSettings unobserved() {
    return SecurityObservationSettings.noObservations();
  }
}
