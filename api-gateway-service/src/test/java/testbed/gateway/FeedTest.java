package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.reactive.server.WebTestClient;
import testbed.contracts.ProblemType;
import testbed.support.testing.StandInServer;

/** The gateway before a feed alone: no registry. Rates are for everybody. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      // Its default goes by the address, which this test sets later.
      "gateway.routing=stock",
      "gateway.feed.cache=true",
      "gateway.feed.fresh=1s",
      "eureka.client.enabled=false",
      "management.endpoint.health.group.readiness.include=readinessState"
    })
class FeedTest {

  private static final String EURO = "/api/rates/eur_usd";
  private static final StandInServer FEED = new StandInServer();

  @LocalServerPort int port;
  @LocalManagementPort int management;

  private WebTestClient http;

  @DynamicPropertySource
  static void address(DynamicPropertyRegistry properties) {
    properties.add("gateway.feed.url", FEED::address);
  }

  @AfterAll
  static void close() {
    FEED.close();
  }

  @BeforeEach
  void connect() {
    http =
        WebTestClient.bindToServer()
            .baseUrl("http://localhost:" + port)
            .responseTimeout(Duration.ofMinutes(1))
            .build();
    FEED.requests().clear();
  }

  @Test
  void keepsARateForAsLongAsItIsFresh() {
    var path = anotherPath();
    FEED.answers(200, "application/json", "{\"rate\":1}");
    long began = System.nanoTime();
    assertThat(body(path)).isEqualTo("{\"rate\":1}");
    FEED.answers(200, "application/json", "{\"rate\":2}");

    await().until(() -> body(path), "{\"rate\":2}"::equals);

    // The requests before that came to the cache.
    assertThat(Duration.ofNanos(System.nanoTime() - began))
        .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
    assertThat(FEED.requests()).hasSize(2);
  }

  @Test
  void passesARefusalOnAndKeepsNone() {
    var path = anotherPath();
    FEED.answers(503, "application/problem+json", "{}");
    http.get().uri(path).exchange().expectStatus().isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
    FEED.answers(200, "application/json", "{\"rate\":3}");

    assertThat(body(path)).isEqualTo("{\"rate\":3}");
  }

  @Test
  void showsTheFeedsOwnDescription() {
    FEED.answers(200, "application/yaml", "title: Exchange rates");

    assertThat(body("/openapi.yaml")).isEqualTo("title: Exchange rates");
    assertThat(FEED.requests()).containsExactly("GET /openapi.yaml");
  }

  @Test
  void isReadyWithoutARegistry() {
    http.get()
        .uri("http://localhost:" + management + "/actuator/health/readiness")
        .exchange()
        .expectStatus()
        .isOk();
  }

  @Test
  void hasNothingElse() {
    http.get()
        .uri("/cinema/ucd/movie/list")
        .exchange()
        .expectStatus()
        .isNotFound()
        .expectBody()
        .jsonPath("$.type")
        .isEqualTo(ProblemType.CINEMA_UNKNOWN.uri().toString());
  }

  @Test
  void isRoutedByTheLibraryWhateverThePreset() {
    var environment =
        new MockEnvironment()
            .withProperty("testbed.preset", "tuned")
            .withProperty("gateway.feed.url", "http://feed-service:8087");

    new RoutingProfile().postProcessEnvironment(environment, new SpringApplication());

    assertThat(environment.getActiveProfiles()).containsExactly(RoutingProfile.STOCK);
  }

  private String body(String path) {
    return http.get()
        .uri(path)
        .exchange()
        .expectStatus()
        .isOk()
        .expectBody(String.class)
        .returnResult()
        .getResponseBody();
  }

  /** What one test has put into the cache is not there for another. */
  private static String anotherPath() {
    return EURO + "?test=" + UUID.randomUUID();
  }
}
