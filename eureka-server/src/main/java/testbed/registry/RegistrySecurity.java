package testbed.registry;

import jakarta.servlet.DispatcherType;
import java.net.InetAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** Who registers is sent the requests of clients: an account is asked for. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RegistryAccount.class)
class RegistrySecurity {

  private static final Logger log = LoggerFactory.getLogger(RegistrySecurity.class);

  @Bean
  SecurityFilterChain access(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(
            requests ->
                requests
                    .dispatcherTypeMatchers(DispatcherType.ERROR)
                    .permitAll()
                    // Health and metrics, for those who watch.
                    .requestMatchers("/actuator/**")
                    .permitAll()
                    .anyRequest()
                    .authenticated())
        .httpBasic(Customizer.withDefaults())
        .sessionManagement(
            sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        // Its clients are no browsers.
        .csrf(csrf -> csrf.ignoringRequestMatchers("/eureka/**"))
        .build();
  }

  @Bean
  UserDetailsService accounts(RegistryAccount account) {
    return new InMemoryUserDetailsManager(
        User.withUsername(account.username())
            // Compared as it is: a heartbeat is not to cost what a strong hash costs.
            .password("{noop}" + account.effectivePassword())
            .build());
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
