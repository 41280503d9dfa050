package testbed.gateway;

import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.reactive.server.WebTestClient.ResponseSpec;
import testbed.contracts.ProblemType;
import testbed.tier.testing.TokenIssuer;

@TestPropertySource(
    properties = {"gateway.route.market=true", "market.tokens=front", "access.control=off"})
class TokenServerAwayTest extends RunningGateway {

  private static final TokenIssuer ISSUER = new TokenIssuer();
  private static final String AWAY = "The token server does not answer.";

  @DynamicPropertySource
  static void issuer(DynamicPropertyRegistry properties) {
    properties.add("market.tokens-issuer", ISSUER::address);
  }

  @Test
  void cannotCheckTokensUntilTheKeysAreKnown() {
    ISSUER.fails();
    asked().expectHeader().valueEquals(HttpHeaders.RETRY_AFTER, "1");
    expectProblem(asked(), ProblemType.UNAVAILABLE, AWAY);
    expectProblem(get("/api/admin/clients"), ProblemType.ACCOUNT_REQUIRED, "An account is needed.");

    ISSUER.opens();
    expectProblem(asked(), ProblemType.FORBIDDEN, "The account may not do this.");
    // The keys are known from then on.
    ISSUER.fails();
    expectProblem(asked(), ProblemType.FORBIDDEN, "The account may not do this.");
  }

  private ResponseSpec asked() {
    return http.get()
        .uri("/api/admin/clients")
        .headers(headers -> headers.setBearerAuth(ISSUER.token("jane", "basic")))
        .exchange();
  }
}
