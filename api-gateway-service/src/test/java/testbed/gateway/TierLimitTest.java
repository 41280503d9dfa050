package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpHeaders;
import testbed.contracts.ProblemType;
import testbed.discovery.testing.InMemoryRegistry;
import testbed.support.testing.PlainHttp;
import testbed.support.testing.StandInServer;
import testbed.tier.limit.TierLimits;
import testbed.tier.testing.TokenIssuer;

/**
 * How many requests a client of the market may make, at one gateway and at two. The gateways count
 * on from test to test, so each test has clients of its own.
 */
@ExtendWith(OutputCaptureExtension.class)
class TierLimitTest {

  private static final List<String> LOCAL = List.of("market.limit=local");
  private static final String BEANS = "/api/beans";
  private static final TokenIssuer ISSUER = new TokenIssuer();
  private static final StandInServer SERVICE =
      new StandInServer().answers(200, "application/json", "[]");
  private static EmbeddedPostgres database;

  /** By name and settings. */
  private static final Map<Map.Entry<String, List<String>>, ConfigurableApplicationContext>
      GATEWAYS = new HashMap<>();

  @BeforeAll
  static void start() throws Exception {
    database = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(2)).start();
  }

  @AfterAll
  static void stop() throws Exception {
    GATEWAYS.values().forEach(ConfigurableApplicationContext::close);
    ISSUER.close();
    SERVICE.close();
    database.close();
  }

  @Test
  void isOfTheTokensTierAndClient() {
    var gateway = gateway("first", LOCAL);

    assertThat(passed(gateway, token("judy", "basic"), 60)).isEqualTo(50);
    assertThat(passed(gateway, token("joan", "premium"), 110)).isEqualTo(100);
    assertThat(passed(gateway, token("admin", "admin"), 110)).isEqualTo(110);
    assertThat(passed(gateway, token("Judy", "basic"), 1)).isEqualTo(1);
    // Another token of the same client.
    assertThat(passed(gateway, token("judy", "basic", "other"), 1)).isZero();
  }

  @Test
  void isToldWithTheTimeToWait() {
    var gateway = gateway("first", LOCAL);
    passed(gateway, token("jill", "basic"), 50);

    var refused = get(gateway, BEANS, token("jill", "basic"));

    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.body())
        .contains(
            ProblemType.TOO_MANY_REQUESTS.uri().toString(),
            "A client of tier basic may make 50 requests an hour.");
    assertThat(refused.headers().firstValue(HttpHeaders.CONTENT_TYPE))
        .contains("application/problem+json");
    assertThat(refused.headers().firstValueAsLong(HttpHeaders.RETRY_AFTER).orElseThrow())
        .isBetween(1L, 3600L);
  }

  /** Neither for the client that it names, nor for anybody else. */
  @Test
  void countsNothingThatIsRefusedForItsToken() {
    var gateway = gateway("first", LOCAL);
    ISSUER
        .invalid()
        .values()
        .forEach(
            token ->
                IntStream.range(0, 4)
                    .forEach(
                        number ->
                            assertThat(get(gateway, BEANS, token).statusCode()).isEqualTo(401)));
    assertThat(get(gateway, "/api/admin/clients", token("jane", "basic")).statusCode())
        .isEqualTo(403);
    // The client is the token's, not the header's.
    assertThat(passed(gateway, token("john", "basic"), 60)).isEqualTo(50);

    assertThat(passed(gateway, token("jane", "basic"), 60)).isEqualTo(50);
  }

  @Test
  void isOfEachGatewayIfLocal() {
    var first = gateway("first", LOCAL);
    var second = gateway("second", LOCAL);

    assertThat(passed(first, token("jack", "basic"), 60)).isEqualTo(50);
    assertThat(passed(second, token("jack", "basic"), 60)).isEqualTo(50);
  }

  @Test
  void isOfAllGatewaysTogetherIfShared() {
    var first = gateway("first", shared());
    var second = gateway("second", shared());

    assertThat(
            passed(first, token("jane", "basic"), 30) + passed(second, token("jane", "basic"), 30))
        .isEqualTo(50);
    assertThat(get(second, BEANS, token("jane", "basic")).statusCode()).isEqualTo(429);
    assertThat(passed(second, token("john", "basic"), 1)).isEqualTo(1);
  }

  /** As many wait for the database as there are event loops at least. */
  @Test
  void letsOthersThroughWhileARequestWaitsForTheDatabase() throws Exception {
    var gateway = gateway("first", shared());
    get(gateway, BEANS, token("joan", "premium"));
    try (var connection = database.getPostgresDatabase().getConnection()) {
      connection.setAutoCommit(false);
      connection
          .createStatement()
          .execute("select * from limits.bucket where client = 'joan' for update");
      var waiting =
          IntStream.range(0, 4)
              .mapToObj(
                  number ->
                      CompletableFuture.supplyAsync(
                          () -> get(gateway, BEANS, token("joan", "premium")).statusCode(),
                          command -> Thread.ofVirtual().start(command)))
              .toList();
      waitFor(4);

      assertThat(passed(gateway, token("jo", "basic"), 20)).isEqualTo(20);
      assertThat(waiting).noneMatch(CompletableFuture::isDone);

      connection.rollback();
      assertThat(waiting).allMatch(answer -> answer.join() == 200);
    }
  }

  @Test
  void isOffByDefault() {
    var gateway = gateway("first", List.of());

    assertThat(passed(gateway, token("jane", "basic"), 60)).isEqualTo(60);
    assertThat(gateway.getBeansOfType(TierLimits.class)).isEmpty();
  }

  @Test
  void stopsWithoutTokens(CapturedOutput output) {
    assertThatThrownBy(() -> started(List.of("market.limit=local", "market.tokens=off")))
        .isNotNull();

    assertThat(output).contains("MARKET_LIMIT is 'local'", "MARKET_TOKENS");
  }

  @Test
  void stopsOnAnotherChoice(CapturedOutput output) {
    assertThatThrownBy(() -> started(List.of("market.limit=some"))).isNotNull();

    assertThat(output).contains("market.limit");
  }

  /** A request waits for its row as long as a test needs. */
  private static List<String> shared() {
    return List.of(
        "market.limit=shared",
        "market.limit-db.url="
            + database.getJdbcUrl("postgres", "postgres")
            + "&options=-c%20lock_timeout%3D60000&socketTimeout=60",
        "market.limit-db.user=postgres");
  }

  private static void waitFor(int requests) throws Exception {
    try (var connection = database.getPostgresDatabase().getConnection();
        var statement =
            connection.prepareStatement(
                "select count(*) from pg_locks where not granted and locktype <> 'relation'")) {
      await()
          .until(
              () -> {
                try (var rows = statement.executeQuery()) {
                  rows.next();
                  return rows.getInt(1) >= requests;
                }
              });
    }
  }

  /** One for all tests that name it so, with these settings. */
  private static ConfigurableApplicationContext gateway(String name, List<String> settings) {
    return GATEWAYS.computeIfAbsent(Map.entry(name, settings), key -> started(settings));
  }

  private static ConfigurableApplicationContext started(List<String> settings) {
    var all =
        new ArrayList<>(
            List.of(
                "--server.port=0",
                "--management.server.port=0",
                "--eureka.client.enabled=false",
                "--gateway.route.market=true",
                "--access.control=off",
                "--market.tokens=front",
                "--market.tokens-issuer=" + ISSUER.address()));
    for (var setting : settings) {
      all.removeIf(other -> other.startsWith("--" + setting.split("=", 2)[0] + "="));
      all.add("--" + setting);
    }
    var gateway =
        new SpringApplicationBuilder(ApiGatewayServiceApplication.class, InMemoryRegistry.class)
            .run(all.toArray(String[]::new));
    var registry = gateway.getBean(InMemoryRegistry.class);
    registry.add("beans-service", SERVICE.address(), Map.of());
    gateway.publishEvent(registry.heartbeat());
    return gateway;
  }

  private static String token(String client, String... scopes) {
    return ISSUER.token(client, scopes);
  }

  /** How many of these requests are carried out. */
  private static long passed(ConfigurableApplicationContext gateway, String token, int requests) {
    return IntStream.range(0, requests)
        .filter(number -> get(gateway, BEANS, token).statusCode() == 200)
        .count();
  }

  private static HttpResponse<String> get(
      ConfigurableApplicationContext gateway, String path, String token) {
    var port = gateway.getEnvironment().getRequiredProperty("local.server.port");
    return PlainHttp.send(
        HttpRequest.newBuilder(URI.create("http://localhost:%s%s".formatted(port, path)))
            .headers(HttpHeaders.AUTHORIZATION, "Bearer " + token, "Market-Client", "jane")
            .build());
  }
}
