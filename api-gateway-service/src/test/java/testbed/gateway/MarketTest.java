package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static testbed.support.testing.StandInServer.respond;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.test.context.TestPropertySource;
import testbed.contracts.ProblemType;
import testbed.support.testing.RawHttp;

/** The gateway before the services of the market. */
@TestPropertySource(properties = {"gateway.route.market=true", "access.users=jane:hers"})
class MarketTest extends RunningGateway {

  private final List<String> seen = new CopyOnWriteArrayList<>();

  @BeforeEach
  void everythingAnswers() {
    registerMarket();
    service.does(
        request -> {
          seen.addAll(request.getRequestHeaders().getOrDefault("Market-Client", List.of()));
          respond(request, 200, "application/json", "[]");
        });
  }

  @ParameterizedTest
  @CsvSource({
    "beans,     GET,    /api/beans",
    "beans,     GET,    /api/beans/countries",
    "beans,     DELETE, /api/beans/7",
    "beans,     GET,    /openapi.yaml",
    "beans,     GET,    /",
    "inventory, GET,    /api/inventory/orders",
    "inventory, PUT,    /api/inventory/stocks/7",
    "clients,   GET,    /api/admin/clients"
  })
  void leadsToTheServiceOfAPart(String part, HttpMethod method, String path) {
    registry.clear();
    registry.add(part + "-service", service.address(), Map.of());
    heartbeat();

    http.method(method).uri(path).exchange().expectStatus().isOk();

    assertThat(service.requests()).containsExactly("%s %s".formatted(method, path));
  }

  /** No client can speak for another, nor for the services themselves. */
  @Test
  void saysWhoTheClientIsInPlaceOfTheClient() {
    assertThat(as("jane", "hers", HttpMethod.GET, "/api/inventory/orders"))
        .isEqualTo(HttpStatus.OK);
    http.mutate()
        .defaultHeaders(headers -> headers.clear())
        .build()
        .get()
        .uri("/api/beans")
        .header("market-client", "john", "admin")
        .exchange()
        .expectStatus()
        .isOk();

    assertThat(seen).containsExactly("jane", "guest");
  }

  /**
   * What {@code Connection} nominates ends here (RFC 9110, 7.6.1), but this header is not its own.
   */
  @ParameterizedTest
  @ValueSource(strings = {"Market-Client", "keep-alive, market-client"})
  void saysWhoTheClientIsWhateverTheClientNominates(String options) {
    var nominated = "Connection: %s\r\n".formatted(options);
    var answer = RawHttp.answer(port, "GET /api/inventory/orders HTTP/1.1", CREDENTIALS, nominated);

    assertThat(answer).startsWith("HTTP/1.1 200");
    assertThat(seen).containsExactly("admin");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/api/beans", "/api/beans/7", "/"})
  void tellsEverybodyOfTheHeadOfWhatEverybodyMayRead(String path) {
    // The server of tests cannot send the length of a body that it does not send.
    service.does(
        request -> {
          request.sendResponseHeaders(200, -1);
          request.close();
        });

    assertThat(RawHttp.answer(port, "HEAD %s HTTP/1.1".formatted(path))).startsWith("HTTP/1.1 200");
  }

  @Test
  void showsThePageToEverybody() {
    http.mutate()
        .defaultHeaders(headers -> headers.clear())
        .build()
        .get()
        .uri("/")
        .exchange()
        .expectStatus()
        .isOk();
  }

  @Test
  void knowsNoPathsBetweenServices() {
    expectProblem(
        get("/internal/inventory/stocks/1"),
        ProblemType.NOT_FOUND,
        "Nothing is at /internal/inventory/stocks/1.");
    assertThat(service.requests()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "GET,    /api/beans/7",
    "GET,    /api/inventory/orders",
    "POST,   /api/inventory/orders",
    "GET,    /api/inventory/orders/7",
    "DELETE, /api/inventory/orders/7"
  })
  void letsUsersReadAndOrder(HttpMethod method, String path) {
    assertThat(as("jane", "hers", method, path)).isEqualTo(HttpStatus.OK);
  }

  @ParameterizedTest
  @CsvSource({
    "POST,   /api/beans",
    "PUT,    /api/beans/7",
    "DELETE, /api/beans/countries/7",
    "PUT,    /api/inventory/orders/7",
    "GET,    /api/inventory/stocks/7",
    "GET,    /api/admin/clients",
    "DELETE, /api/admin/clients/7"
  })
  void leavesTheRestToAdministrators(HttpMethod method, String path) {
    assertThat(as("jane", "hers", method, path)).isEqualTo(HttpStatus.FORBIDDEN);
    assertThat(as("admin", "secret", method, path)).isEqualTo(HttpStatus.OK);
  }

  private HttpStatusCode as(String name, String password, HttpMethod method, String path) {
    return http.method(method)
        .uri(path)
        .headers(
            headers -> {
              headers.setBasicAuth(name, password);
              headers.set("Market-Client", "john");
            })
        .exchange()
        .returnResult(Void.class)
        .getStatus();
  }
}
