package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.http.HttpResponse;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpHeaders;
import testbed.contracts.ProblemType;
import testbed.tier.limit.TierLimits;
import testbed.tier.testing.TokenIssuer;

/** How many requests a client may make at a monolith. */
@ExtendWith(OutputCaptureExtension.class)
class TierLimitTest {

  private static final String BEANS = "/api/beans/countries";

  private static final TokenIssuer ISSUER = new TokenIssuer();
  private static final Postgres.Database DATABASE = Postgres.database();
  private static final Postgres.Database LIMITS = Postgres.database();

  @AfterAll
  static void stop() {
    ISSUER.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "shared"})
  void isOfTheTokensTierAndClient(String limit) {
    try (var market = limited(limit)) {
      ISSUER
          .invalid()
          .values()
          .forEach(token -> assertThat(get(market, token).statusCode()).isEqualTo(401));
      assertThat(market.get(BEANS).statusCode()).isEqualTo(401);
      assertThat(passed(market, "jane", "basic", 60)).isEqualTo(50);
      assertThat(passed(market, "Jane", "premium", 110)).isEqualTo(100);
      assertThat(passed(market, "admin", "admin", 110)).isEqualTo(110);

      var refused = get(market, ISSUER.token("jane", "basic"));
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.body())
          .contains(
              ProblemType.TOO_MANY_REQUESTS.uri().toString(),
              "A client of tier basic may make 50 requests an hour.");
      assertThat(refused.headers().firstValue(HttpHeaders.CONTENT_TYPE))
          .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
      assertThat(refused.headers().firstValueAsLong(HttpHeaders.RETRY_AFTER).orElseThrow())
          .isBetween(1L, 3600L);
      assertThat(market.get("/openapi.yaml").statusCode()).isEqualTo(200);
    }
  }

  /** The gateway counts the requests of its clients. */
  @Test
  void isNotOfPartsBehindAGateway() {
    try (var part =
        Market.on(
            DATABASE,
            "market.front=false",
            "market.limit=local",
            "market.tokens=everywhere",
            "market.tokens-issuer=" + ISSUER.address())) {
      assertThat(passed(part, "jane", "basic", 60)).isEqualTo(60);
      assertThat(part.beans(TierLimits.class)).isEmpty();
    }
  }

  @Test
  void stopsWithoutTokens(CapturedOutput output) {
    assertThatThrownBy(() -> Market.on(DATABASE, "market.limit=shared")).isNotNull();

    assertThat(output).contains("MARKET_LIMIT is 'shared'", "MARKET_TOKENS");
  }

  private static Market limited(String limit) {
    return Market.on(
        DATABASE,
        "market.limit=" + limit,
        "market.limit-db.url=" + LIMITS.url(),
        "market.limit-db.user=postgres",
        "market.tokens=front",
        "market.tokens-issuer=" + ISSUER.address());
  }

  private static long passed(Market market, String client, String scope, int requests) {
    var token = ISSUER.token(client, scope);
    return IntStream.range(0, requests)
        .filter(number -> get(market, token).statusCode() == 200)
        .count();
  }

  private static HttpResponse<String> get(Market market, String token) {
    return market.get(BEANS, HttpHeaders.AUTHORIZATION, "Bearer " + token);
  }
}
