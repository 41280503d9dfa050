package testbed.broker.access;

import static org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher.pathPattern;
import static testbed.support.access.ServletAccess.stateless;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.WebAuthenticationDetails;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.util.matcher.NegatedRequestMatcher;
import testbed.support.access.AccessRequired;
import testbed.support.access.AccessSettings;
import testbed.support.access.Accounts;
import testbed.support.access.ServletAccess;
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
@Import(ServletAccess.class)
class AccessRules {

  @Bean
  SecurityFilterChain access(
      HttpSecurity http, AccessSettings settings, ClientRates clients, JsonMapper json) {
    var accounts = new Accounts(settings);
    var refusals = new Refusals(clients, json);
    return stateless(http, refusals)
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
        .build();
  }

  @Bean
  HttpFirewall everyRequest() {
    return new EveryRequest();
  }
}
