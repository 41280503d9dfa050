package testbed.gateway.access;

import io.netty.channel.ChannelOption;
import java.time.Duration;
import java.util.Objects;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.ReactiveAuthenticationManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.oauth2.jwt.NimbusReactiveJwtDecoder;
import org.springframework.security.oauth2.jwt.SupplierReactiveJwtDecoder;
import org.springframework.security.oauth2.server.resource.InvalidBearerTokenException;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthenticationToken;
import org.springframework.security.oauth2.server.resource.authentication.JwtReactiveAuthenticationManager;
import org.springframework.security.oauth2.server.resource.authentication.ReactiveJwtAuthenticationConverterAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import testbed.tier.token.AccessTokens;
import testbed.tier.token.TokenServerAway;
import testbed.tier.token.TokenSettings;

/** Checks tokens by the keys of their issuer. */
final class CheckedTokens implements ReactiveAuthenticationManager {

  private static final int CONNECT_MS = 500;
  private static final Duration ANSWER = Duration.ofSeconds(2);

  private final ReactiveAuthenticationManager library;

  CheckedTokens(TokenSettings settings) {
    var manager =
        new JwtReactiveAuthenticationManager(
            // With the first token, so that the issuer may start later.
            new SupplierReactiveJwtDecoder(
                () -> decoder(Objects.requireNonNull(settings.tokensIssuer()).toString())));
    manager.setJwtAuthenticationConverter(
        new ReactiveJwtAuthenticationConverterAdapter(AccessTokens.converter()));
    this.library = manager;
  }

  @Override
  public Mono<Authentication> authenticate(Authentication token) {
    if (token instanceof BearerTokenAuthenticationToken bearer
        && !AccessTokens.isSigned(bearer.getToken())) {
      return Mono.error(new InvalidBearerTokenException("The token is not signed"));
    }
    return library
        .authenticate(token)
        .onErrorMap(
            failure ->
                !(failure instanceof AuthenticationException)
                    || failure instanceof AuthenticationServiceException,
            TokenServerAway::new);
  }

  private static NimbusReactiveJwtDecoder decoder(String issuer) {
    var requests =
        HttpClient.create()
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MS)
            .responseTimeout(ANSWER);
    var decoder =
        NimbusReactiveJwtDecoder.withIssuerLocation(issuer)
            .webClient(
                WebClient.builder()
                    .clientConnector(new ReactorClientHttpConnector(requests))
                    .filter(new KeyRequests())
                    .build())
            .build();
    decoder.setJwtValidator(AccessTokens.validator(issuer));
    return decoder;
  }
}
