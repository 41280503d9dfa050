package testbed.registry;

import jakarta.servlet.DispatcherType;
import java.net.InetAddress;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.SecurityFilterChain;
import testbed.support.access.Accounts;

/** Registration needs an account, because whoever registers receives clients' requests. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RegistryAccount.class)
class RegistrySecurity {

  private static final Logger log = LoggerFactory.getLogger(RegistrySecurity.class);

  @Bean
  SecurityFilterChain access(HttpSecurity http, AuthenticationManager accounts) throws Exception {
    return http.authenticationManager(accounts)
        .authorizeHttpRequests(
            requests ->
                requests
                    .dispatcherTypeMatchers(DispatcherType.ERROR)
                    .permitAll()
                    // Health and metrics need no account.
                    .requestMatchers("/actuator/**")
                    .permitAll()
                    .anyRequest()
                    .authenticated())
        .httpBasic(Customizer.withDefaults())
        .sessionManagement(
            sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        // CSRF protects browsers; the registry's clients are services.
        .csrf(csrf -> csrf.ignoringRequestMatchers("/eureka/**"))
        .build();
  }

  /**
   * The library's own accounts get a strong hash after their first login, whatever they were given.
   */
  @Bean
  AuthenticationManager accounts(RegistryAccount registry) {
    return new Accounts(List.of(registry.account()), List.of())::authenticate;
  }

  @Bean
  WebServerFactoryCustomizer<ConfigurableWebServerFactory> loopbackOnly(RegistryAccount account) {
    return server -> {
      if (!account.hasOwnPassword()) {
        log.warn("EUREKA_PASSWORD is not set: this registry listens on the loopback address only");
        server.setAddress(InetAddress.getLoopbackAddress());
      }
    };
  }
}
