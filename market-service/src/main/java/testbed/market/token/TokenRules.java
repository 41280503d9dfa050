package testbed.market.token;

import static org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher.pathPattern;
import static testbed.support.access.ServletAccess.stateless;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtDecoderInitializationException;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.SupplierJwtDecoder;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationProvider;
import org.springframework.security.oauth2.server.resource.web.authentication.BearerTokenAuthenticationFilter;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.util.matcher.NegatedRequestMatcher;
import testbed.support.access.Accounts;
import testbed.support.access.ServletAccess;
import testbed.support.web.ProblemResponse;
import testbed.tier.limit.TierLimits;
import testbed.tier.token.AccessTokens;
import testbed.tier.token.TokenServerAway;
import testbed.tier.token.TokenSettings;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a client may do, by its token. As the gateway's rules; what matches no rule is for
 * administrators.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(TokensChecked.class)
@EnableWebSecurity
@Import(ServletAccess.class)
class TokenRules {

  private static final Duration CONNECT = Duration.ofMillis(500);
  private static final Duration READ = Duration.ofSeconds(2);

  @Bean
  SecurityFilterChain access(
      HttpSecurity http,
      TokenSettings settings,
      ObjectProvider<TierLimits> limits,
      JsonMapper json) {
    var refusals = new Refusals(json);
    // Without the library's configurer, which adds another kind of token.
    var tokens =
        new BearerTokenAuthenticationFilter(
            checked(decoder(Objects.requireNonNull(settings.tokensIssuer()).toString())));
    tokens.setAuthenticationEntryPoint(refusals);
    limits.ifAvailable(
        tiers ->
            http.addFilterAfter(
                new TierLimit(tiers, new ProblemResponse(json)), AuthorizationFilter.class));
    return stateless(http, refusals)
        // Health and metrics need no token.
        .securityMatcher(new NegatedRequestMatcher(pathPattern("/actuator/**")))
        .authorizeHttpRequests(
            rules ->
                rules
                    .requestMatchers("/openapi.yaml", "/", "/index.html")
                    .permitAll()
                    // The second is for other parts, with the token of the request that they serve.
                    .requestMatchers(HttpMethod.GET, "/api/beans/**", "/internal/**")
                    .hasAuthority(Accounts.USER)
                    // As GET (RFC 9110, 9.3.2).
                    .requestMatchers(HttpMethod.HEAD, "/api/beans/**")
                    .hasAuthority(Accounts.USER)
                    // To end an order as successful is for administrators.
                    .requestMatchers(HttpMethod.PUT, "/api/inventory/orders/*")
                    .hasAuthority(Accounts.ADMINISTRATOR)
                    .requestMatchers("/api/inventory/orders", "/api/inventory/orders/*")
                    .hasAuthority(Accounts.USER)
                    .anyRequest()
                    .hasAuthority(Accounts.ADMINISTRATOR))
        .addFilter(tokens)
        .build();
  }

  private static AuthenticationManager checked(JwtDecoder decoder) {
    var provider = new JwtAuthenticationProvider(decoder);
    provider.setJwtAuthenticationConverter(AccessTokens.converter());
    return token -> {
      try {
        return provider.authenticate(token);
      } catch (AuthenticationServiceException | JwtDecoderInitializationException away) {
        throw new TokenServerAway(away);
      }
    };
  }

  /** Asks the issuer for its keys with the first token, so that it may start later. */
  private static JwtDecoder decoder(String issuer) {
    var requests =
        new JdkClientHttpRequestFactory(HttpClient.newBuilder().connectTimeout(CONNECT).build());
    requests.setReadTimeout(READ);
    return new SupplierJwtDecoder(
        () -> {
          var decoder =
              NimbusJwtDecoder.withIssuerLocation(issuer)
                  .restOperations(new KeyRequests(requests))
                  .build();
          decoder.setJwtValidator(AccessTokens.validator(issuer));
          return decoder;
        });
  }
}
