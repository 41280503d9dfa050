package testbed.gateway.access;

import java.security.Principal;
import java.util.Optional;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.server.ServerAuthenticationEntryPoint;
import org.springframework.security.web.server.authorization.ServerAccessDeniedHandler;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import testbed.gateway.client.ClientAddress;
import testbed.gateway.problem.ProblemResponses;
import testbed.support.access.Accounts;
import testbed.support.access.GuessedTooOften;
import testbed.support.client.ClientRates;
import testbed.support.client.TooManyRequests;
import testbed.support.problem.Problems;
import testbed.tier.token.AccessTokens;
import testbed.tier.token.TokenServerAway;

/**
 * Answers 401 and 403, 429 to a client that has got too many of them, and 503 while no token can be
 * checked.
 */
@Component
class Refusals implements ServerAuthenticationEntryPoint, ServerAccessDeniedHandler {

  private final ClientRates clients;
  private final ProblemResponses problems;
  private final String challenge;

  Refusals(ClientRates clients, ProblemResponses problems, Environment environment) {
    this.clients = clients;
    this.problems = problems;
    this.challenge =
        MarketTokens.areChecked(environment) ? AccessTokens.CHALLENGE : Accounts.CHALLENGE;
  }

  @Override
  public Mono<Void> commence(ServerWebExchange exchange, AuthenticationException failure) {
    if (failure instanceof GuessedTooOften guessed) {
      return problems.write(exchange, guessed.refusal());
    }
    if (failure instanceof TokenServerAway away) {
      return problems.write(exchange, away.refusal());
    }
    var tooMany = clients.refusal(null, ClientAddress.of(exchange));
    if (tooMany.isEmpty()) {
      exchange.getResponse().getHeaders().set(HttpHeaders.WWW_AUTHENTICATE, challenge);
    }
    return write(exchange, tooMany, HttpStatus.UNAUTHORIZED);
  }

  @Override
  public Mono<Void> handle(ServerWebExchange exchange, AccessDeniedException failure) {
    return exchange
        .getPrincipal()
        .map(Optional::of)
        .defaultIfEmpty(Optional.empty())
        .map(
            (Optional<Principal> user) ->
                clients.refusal(user.orElse(null), ClientAddress.of(exchange)))
        .flatMap(tooMany -> write(exchange, tooMany, HttpStatus.FORBIDDEN));
  }

  private Mono<Void> write(
      ServerWebExchange exchange, Optional<TooManyRequests> tooMany, HttpStatus otherwise) {
    return tooMany
        .map(refusal -> problems.write(exchange, refusal))
        .orElseGet(() -> problems.write(exchange, Problems.ofStatus(otherwise)));
  }
}
