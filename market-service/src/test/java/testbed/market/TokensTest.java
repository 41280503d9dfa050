package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpHeaders;
import org.springframework.security.web.SecurityFilterChain;
import testbed.contracts.ProblemType;
import testbed.tier.testing.TokenIssuer;

/** Whom a process that checks tokens lets in. */
@ExtendWith(OutputCaptureExtension.class)
class TokensTest {

  private static final String ORDERS = "/api/inventory/orders";
  private static final String ORDER = "[{\"beanId\":1,\"quantity\":1}]";

  private static final TokenIssuer ISSUER = new TokenIssuer();
  private static final Postgres.Database DATABASE = Postgres.database();
  private static Market market;

  @BeforeAll
  static void start() {
    market = Market.on(DATABASE, tokens("front"));
    DATABASE.run("market.sql");
    DATABASE.run("stock.sql");
  }

  @AfterAll
  static void stop() {
    market.close();
    ISSUER.close();
  }

  @Test
  void refusesRequestsWithoutAToken() {
    expect(401, ProblemType.ACCOUNT_REQUIRED, market.get("/api/beans/countries"));
    expect(401, ProblemType.ACCOUNT_REQUIRED, market.get("/nothing"));
    expect(
        401,
        ProblemType.ACCOUNT_REQUIRED,
        market.get(ORDERS, HttpHeaders.AUTHORIZATION, "Basic YWRtaW46dGVzdGJlZA=="));
    expect(401, ProblemType.ACCOUNT_REQUIRED, market.get(ORDERS + "?access_token=" + basic()));
  }

  @Test
  void refusesTokensThatAreNotValid() {
    ISSUER
        .invalid()
        .forEach(
            (what, token) -> {
              var answer = market.get(ORDERS, bearer(token));
              assertThat(answer.statusCode()).as(what).isEqualTo(401);
              expect(401, ProblemType.ACCOUNT_REQUIRED, answer);
              assertThat(answer.headers().allValues(HttpHeaders.WWW_AUTHENTICATE))
                  .as(what)
                  .containsExactly("Bearer realm=\"testbed\"");
            });
    expect(431, ProblemType.TOO_LARGE, market.get(ORDERS, bearer(ISSUER.token(16 * 1024))));
  }

  @ParameterizedTest
  @CsvSource({
    "basic,   GET,    /api/beans/countries,    200",
    "premium, GET,    /api/beans/countries,    200",
    "admin,   GET,    /api/beans/countries,    200",
    "basic,   HEAD,   /api/beans/countries,    200",
    "basic,   GET,    /api/inventory/orders,   200",
    "admin,   GET,    /api/admin/clients,      200",
    "other,   GET,    /api/beans/countries,    403",
    "other,   HEAD,   /api/beans/countries,    403",
    "other,   GET,    /api/inventory/orders,   403",
    "basic,   GET,    /api/admin/clients,      403",
    "premium, DELETE, /api/beans/countries/1,  403",
    "premium, GET,    /api/inventory/stocks/1, 403",
    "basic,   PUT,    /api/inventory/orders/1, 403",
    "basic,   GET,    /nothing,                403",
    "admin,   GET,    /nothing,                404"
  })
  void lets(String scope, String method, String path, int status) {
    var authorized = bearer(ISSUER.token("jane", scope));
    var answer =
        switch (method) {
          case "GET" -> market.get(path, authorized);
          case "HEAD" -> market.head(path, authorized);
          case "PUT" -> market.put(path, "{}", authorized);
          default -> market.delete(path, authorized);
        };

    assertThat(answer.statusCode()).isEqualTo(status);
    if (status == 403 && !method.equals("HEAD")) {
      expect(403, ProblemType.FORBIDDEN, answer);
    }
  }

  /** The header that a gateway would set counts for nothing. */
  @Test
  void keepsClientsApartByTheirTokens() {
    var placed = market.post(ORDERS, ORDER, bearer(ISSUER.token("jane", "basic")));
    var order = placed.headers().firstValue(HttpHeaders.LOCATION).orElseThrow();

    assertThat(placed.statusCode()).isEqualTo(201);
    assertThat(market.get(order, bearer(ISSUER.token("jane", "premium"))).statusCode())
        .isEqualTo(200);
    assertThat(
            market
                .get(
                    order,
                    HttpHeaders.AUTHORIZATION,
                    "Bearer " + ISSUER.token("john", "basic"),
                    "Market-Client",
                    "jane")
                .statusCode())
        .isEqualTo(404);
    assertThat(market.get(order, bearer(ISSUER.token("Jane", "basic"))).statusCode())
        .isEqualTo(404);
  }

  @Test
  void showsPageDescriptionAndHealthToEverybody() {
    assertThat(market.get("/").body()).contains("<title>Coffee beans</title>");
    assertThat(market.get("/openapi.yaml").statusCode()).isEqualTo(200);
    assertThat(market.management("/actuator/health/readiness")).contains("UP");
    assertThat(market.management("/actuator/prometheus")).contains("http_server_requests");
  }

  @Test
  void answersThatItCannotCheckWhileTheIssuerIsAway() {
    try (var issuer = new TokenIssuer();
        var other =
            Market.on(
                DATABASE, "market.tokens=front", "market.tokens-issuer=" + issuer.address())) {
      issuer.fails();
      var away = other.get(ORDERS, bearer(issuer.token("jane", "basic")));
      expect(503, ProblemType.UNAVAILABLE, away);
      assertThat(away.headers().firstValue(HttpHeaders.RETRY_AFTER)).contains("1");
      expect(401, ProblemType.ACCOUNT_REQUIRED, other.get(ORDERS));

      issuer.opens();
      assertThat(other.get(ORDERS, bearer(issuer.token("jane", "basic"))).statusCode())
          .isEqualTo(200);
      // The keys are known from then on, whatever others name.
      issuer.fails();
      issuer
          .ofUnknownKeys(3)
          .forEach(
              token -> expect(401, ProblemType.ACCOUNT_REQUIRED, other.get(ORDERS, bearer(token))));
      assertThat(other.get(ORDERS, bearer(issuer.token("jane", "basic"))).statusCode())
          .isEqualTo(200);
    }
  }

  /** The library alone would ask for the keys with each of them. */
  @Test
  void asksForKeysOnceASecondAtMostWhateverTokensName() {
    market.get(ORDERS, bearer(basic()));
    long before = ISSUER.timesAsked();
    long began = System.nanoTime();
    for (var token : ISSUER.ofUnknownKeys(100)) {
      expect(401, ProblemType.ACCOUNT_REQUIRED, market.get(ORDERS, bearer(token)));
    }

    assertThat(ISSUER.timesAsked() - before)
        .isBetween(0L, 1 + Duration.ofNanos(System.nanoTime() - began).toSeconds());
    assertThat(market.get(ORDERS, bearer(basic())).statusCode()).isEqualTo(200);
  }

  @Test
  void isOffBehindAFrontAndByDefault() {
    try (var behind = Market.on(DATABASE, with(tokens("front"), "market.front=false"));
        var off = Market.on(DATABASE)) {
      assertThat(behind.get(ORDERS, "Market-Client", "jane").statusCode()).isEqualTo(200);
      assertThat(off.get(ORDERS, bearer("nonsense")).statusCode()).isEqualTo(200);
      for (var market : new Market[] {behind, off}) {
        assertThat(market.beans(SecurityFilterChain.class)).isEmpty();
      }
    }
  }

  /** Each part checks the token, and hands it on to the next. */
  @Test
  void isCheckedByPartsEverywhere() {
    var stocks = Postgres.database();
    try (var inventory =
            Market.on(
                stocks,
                with(tokens("everywhere"), "market.front=false", "market.parts=inventory"));
        var beans =
            Market.on(
                DATABASE,
                with(
                    tokens("everywhere"),
                    "market.front=false",
                    "market.parts=beans",
                    "market.inventory.url=" + inventory.address()))) {
      stocks.run("stock.sql");

      assertThat(beans.get("/api/beans/1", bearer(basic())).statusCode()).isEqualTo(200);
      assertThat(beans.get("/api/beans/1", "Market-Client", "jane").statusCode()).isEqualTo(401);
      assertThat(inventory.get("/internal/inventory/stocks/1").statusCode()).isEqualTo(401);
      assertThat(
              inventory
                  .delete("/internal/inventory/stocks/1", bearer(ISSUER.token("jane", "basic")))
                  .statusCode())
          .isEqualTo(403);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"market.tokens=some", "market.tokens=front"})
  void stopsWithoutAnIssuerOrOnAnotherChoice(String setting, CapturedOutput output) {
    assertThatThrownBy(() -> Market.on(DATABASE, setting)).isNotNull();

    assertThat(output).containsAnyOf("market.tokens", "MARKET_TOKENS_ISSUER is not set");
  }

  private static String basic() {
    return ISSUER.token("jane", "basic");
  }

  private static String[] bearer(String token) {
    return new String[] {HttpHeaders.AUTHORIZATION, "Bearer " + token};
  }

  private static String[] tokens(String where) {
    return new String[] {"market.tokens=" + where, "market.tokens-issuer=" + ISSUER.address()};
  }

  private static String[] with(String[] settings, String... further) {
    return Stream.concat(Arrays.stream(settings), Arrays.stream(further)).toArray(String[]::new);
  }

  private static void expect(int status, ProblemType type, HttpResponse<String> answer) {
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().firstValue(HttpHeaders.CONTENT_TYPE))
        .hasValueSatisfying(text -> assertThat(text).startsWith("application/problem+json"));
    assertThat(answer.body()).contains(type.uri().toString(), "\"status\":" + status);
  }
}
