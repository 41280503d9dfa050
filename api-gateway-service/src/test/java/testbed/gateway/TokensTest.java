package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static testbed.support.testing.StandInServer.respond;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.reactive.server.WebTestClient.ResponseSpec;
import testbed.contracts.ProblemType;
import testbed.tier.testing.TokenIssuer;

/** The gateway before the market, where clients bring tokens. */
@TestPropertySource(
    properties = {"gateway.route.market=true", "market.tokens=front", "access.control=off"})
class TokensTest extends RunningGateway {

  private static final String ORDERS = "/api/inventory/orders";
  private static final TokenIssuer ISSUER = new TokenIssuer();

  /** What the services behind were told of the client. */
  final List<String> clients = new CopyOnWriteArrayList<>();

  final List<String> credentials = new CopyOnWriteArrayList<>();

  @DynamicPropertySource
  static void issuer(DynamicPropertyRegistry properties) {
    properties.add("market.tokens-issuer", ISSUER::address);
  }

  @BeforeEach
  void everythingAnswers() {
    registerMarket();
    service.does(
        request -> {
          var headers = request.getRequestHeaders();
          clients.addAll(headers.getOrDefault("Market-Client", List.of()));
          credentials.addAll(headers.getOrDefault(HttpHeaders.AUTHORIZATION, List.of()));
          respond(request, 200, "application/json", "[]");
        });
  }

  @Test
  void refusesRequestsWithoutAToken() {
    for (var path : List.of("/api/beans", ORDERS, "/nothing")) {
      refused(anybody().get().uri(path).exchange(), ProblemType.ACCOUNT_REQUIRED);
      // An administrator's account, which counts where there are no tokens.
      refused(get(path), ProblemType.ACCOUNT_REQUIRED);
    }
    assertThat(service.requests()).isEmpty();
  }

  @Test
  void refusesTokensThatAreNotValid() {
    ISSUER
        .invalid()
        .forEach(
            (what, token) -> {
              var status =
                  as(token, HttpMethod.GET, ORDERS).expectBody().returnResult().getStatus();
              assertThat(status).as(what).isEqualTo(HttpStatus.UNAUTHORIZED);
              refused(as(token, HttpMethod.GET, ORDERS), ProblemType.ACCOUNT_REQUIRED)
                  .expectHeader()
                  .valueEquals(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"testbed\"");
            });
    refused(as(ISSUER.token(16 * 1024), HttpMethod.GET, ORDERS), ProblemType.TOO_LARGE);
    assertThat(service.requests()).isEmpty();
  }

  /** The library alone would ask for the keys with each of them. */
  @Test
  void asksForKeysOnceASecondAtMostWhateverTokensName() {
    as(ISSUER.token("jane", "basic"), HttpMethod.GET, ORDERS).expectStatus().isOk();
    long before = ISSUER.timesAsked();
    long began = System.nanoTime();
    for (var token : ISSUER.ofUnknownKeys(100)) {
      refused(as(token, HttpMethod.GET, ORDERS), ProblemType.ACCOUNT_REQUIRED);
    }

    assertThat(ISSUER.timesAsked() - before)
        .isBetween(0L, 1 + Duration.ofNanos(System.nanoTime() - began).toSeconds());
    as(ISSUER.token("jane", "basic"), HttpMethod.GET, ORDERS).expectStatus().isOk();
  }

  @ParameterizedTest
  @CsvSource({
    "basic,   GET,    /api/beans,              200",
    "premium, GET,    /api/beans/countries,    200",
    "admin,   GET,    /api/beans,              200",
    "basic,   HEAD,   /api/beans,              200",
    "basic,   POST,   /api/inventory/orders,   200",
    "admin,   PUT,    /api/inventory/orders/7, 200",
    "admin,   GET,    /api/admin/clients,      200",
    "other,   GET,    /api/beans,              403",
    "other,   HEAD,   /api/beans,              403",
    "other,   GET,    /api/inventory/orders,   403",
    "premium, PUT,    /api/inventory/orders/7, 403",
    "premium, DELETE, /api/beans/7,            403",
    "basic,   GET,    /api/admin/clients,      403",
    "basic,   GET,    /nothing,                403",
    "admin,   GET,    /nothing,                404"
  })
  void lets(String scope, HttpMethod method, String path, int status) {
    var answer = as(ISSUER.token("jane", scope), method, path);

    answer.expectStatus().isEqualTo(status).expectBody();
    if (status == 403 && method != HttpMethod.HEAD) {
      refused(as(ISSUER.token("jane", scope), method, path), ProblemType.FORBIDDEN);
    }
  }

  /** No client can speak for another. */
  @Test
  void saysWhoTheTokensClientIsInPlaceOfTheClient() {
    var token = ISSUER.token("jane", "basic");
    as(token, HttpMethod.GET, ORDERS).expectStatus().isOk();

    assertThat(clients).containsExactly("jane");
    assertThat(credentials).isEqualTo(passedOn(token));
  }

  /** What services behind this gateway are to get of a client's token. */
  List<String> passedOn(String token) {
    return List.of();
  }

  @Test
  void showsPageDescriptionAndHealthToEverybody() {
    anybody().get().uri("/").exchange().expectStatus().isOk().expectBody();
    anybody().get().uri("/openapi.yaml").exchange().expectStatus().isOk().expectBody();
    getManagement("/actuator/health/liveness").expectStatus().isOk();
  }

  private WebTestClient anybody() {
    return http.mutate().defaultHeaders(HttpHeaders::clear).build();
  }

  private ResponseSpec as(String token, HttpMethod method, String path) {
    return http.method(method)
        .uri(path)
        .headers(
            headers -> {
              headers.setBearerAuth(token);
              headers.set("Market-Client", "john");
            })
        .exchange();
  }

  private static ResponseSpec refused(ResponseSpec answer, ProblemType type) {
    answer
        .expectStatus()
        .isEqualTo(type == ProblemType.TOO_LARGE ? 431 : type.status())
        .expectHeader()
        .contentType(MediaType.APPLICATION_PROBLEM_JSON)
        .expectBody()
        .jsonPath("$.type")
        .isEqualTo(type.uri().toString());
    return answer;
  }
}
