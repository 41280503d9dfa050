package testbed.token;

import static org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher.pathPattern;

import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpMethod;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.oauth2.core.endpoint.OAuth2ParameterNames;
import org.springframework.security.oauth2.server.authorization.OAuth2AuthorizationService;
import org.springframework.security.oauth2.server.authorization.settings.AuthorizationServerSettings;
import org.springframework.security.oauth2.server.authorization.token.JwtEncodingContext;
import org.springframework.security.oauth2.server.authorization.token.OAuth2TokenCustomizer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.util.matcher.OrRequestMatcher;
import testbed.support.access.Accounts;
import testbed.support.access.ServletAccess;

/** Wires the library's token server, of which three paths are open, and the change of clients. */
@Configuration(proxyBeanMethods = false)
@EnableWebSecurity
@Import(ServletAccess.class)
class TokenServer {

  private static final String SCHEMA = "schema";

  /** Until the database answers at the start, one second more each time. */
  private static final int CONNECT_RETRIES = 10;

  @Bean
  SecurityFilterChain endpoints(HttpSecurity http) {
    var refusals = new Refusals();
    return http.securityMatcher(
            // No others: tokens are not kept, so there is nothing to revoke or to look up.
            new OrRequestMatcher(
                pathPattern(HttpMethod.POST, "/oauth2/token"),
                pathPattern(HttpMethod.GET, "/oauth2/jwks"),
                pathPattern(HttpMethod.GET, "/.well-known/oauth-authorization-server")))
        .oauth2AuthorizationServer(
            server ->
                server
                    .clientAuthentication(client -> client.errorResponseHandler(refusals))
                    .tokenEndpoint(
                        token ->
                            token
                                .accessTokenRequestConverter(new OwnScopes())
                                .errorResponseHandler(refusals)))
        .authorizeHttpRequests(rules -> rules.anyRequest().authenticated())
        .exceptionHandling(handling -> handling.authenticationEntryPoint(refusals))
        .sessionManagement(
            sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .build();
  }

  /** For the service that has the market's clients. */
  @Bean
  @ConditionalOnProperty(RegistrationController.ACCOUNT)
  SecurityFilterChain registration(HttpSecurity http, TokenServiceSettings settings) {
    var refusals = new Refusals();
    var accounts = new Accounts(List.of(), List.of(Objects.requireNonNull(settings.account())));
    return http.securityMatcher(pathPattern("/internal/**"))
        .authorizeHttpRequests(rules -> rules.anyRequest().hasAuthority(Accounts.ADMINISTRATOR))
        .authenticationManager(accounts::authenticate)
        .httpBasic(basic -> basic.authenticationEntryPoint(refusals))
        .exceptionHandling(handling -> handling.authenticationEntryPoint(refusals))
        .sessionManagement(
            sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .csrf(AbstractHttpConfigurer::disable)
        .build();
  }

  @Bean
  AuthorizationServerSettings issuer(TokenServiceSettings settings) {
    return AuthorizationServerSettings.builder().issuer(settings.issuer().toString()).build();
  }

  /** RFC 9068: the client is named, as tokens of other servers have another subject. */
  @Bean
  OAuth2TokenCustomizer<JwtEncodingContext> namesTheClient() {
    return token ->
        token
            .getClaims()
            .claim(OAuth2ParameterNames.CLIENT_ID, token.getRegisteredClient().getClientId());
  }

  @Bean(name = SCHEMA, initMethod = "migrate")
  Flyway schema(TokenServiceSettings settings) {
    var db = settings.db();
    return Flyway.configure()
        .dataSource(db.url(), db.user(), db.password())
        .connectRetries(CONNECT_RETRIES)
        .connectRetriesInterval(1)
        .defaultSchema("tokens")
        .locations("classpath:db/tokens")
        .load();
  }

  @Bean
  @DependsOn(SCHEMA)
  JWKSource<SecurityContext> keys(DataSource source) {
    return new ImmutableJWKSet<>(new JWKSet(SigningKey.of(JdbcClient.create(source))));
  }

  @Bean
  @DependsOn(SCHEMA)
  StoredClients clients(DataSource source, PasswordEncoder secrets, TokenServiceSettings settings) {
    return new StoredClients(JdbcClient.create(source), secrets, settings);
  }

  @Bean
  PasswordEncoder secrets(TokenServiceSettings settings) {
    return new Secrets(settings.secrets());
  }

  @Bean
  OAuth2AuthorizationService nothingKept() {
    return new NothingKept();
  }
}
