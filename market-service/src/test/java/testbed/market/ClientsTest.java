package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static testbed.support.testing.StandInServer.respond;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import testbed.contracts.ProblemType;
import testbed.support.testing.StandInServer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The clients here and those of the token server are the same, whatever fails between. */
@ExtendWith(OutputCaptureExtension.class)
class ClientsTest {

  private static final String PATH = "/api/admin/clients";
  private static final JsonMapper JSON = new JsonMapper();

  private static final Postgres.Database DATABASE = Postgres.database();
  private static final TokenClients TOKENS = new TokenClients();
  private static Market market;

  /** Behind a gateway, so that its clients need no token here. */
  @BeforeAll
  static void start() {
    market =
        Market.on(
            DATABASE,
            "market.front=false",
            "market.tokens=front",
            "market.tokens-issuer=" + TOKENS.address(),
            "market.tokens-account=market:own");
  }

  @BeforeEach
  void empty() {
    DATABASE.sql().sql("truncate clients.client").update();
    TOKENS.empty();
  }

  @AfterAll
  static void stop() {
    market.close();
    TOKENS.close();
  }

  @Test
  void addsAClientInBothAndTellsItsSecretOnce(CapturedOutput output) {
    var added = add("jane", "PREMIUM");

    assertThat(added.statusCode()).isEqualTo(201);
    assertThat(added.headers().firstValue("Cache-Control")).hasValue("no-store");
    var secret = JSON.readTree(added.body()).get("secret").asString();
    assertThat(Base64.getUrlDecoder().decode(secret)).hasSize(32);
    assertThat(TOKENS.clients).containsOnlyKeys("jane");
    var registered = TOKENS.clients.get("jane");
    assertThat(registered.get("secret").asString()).isEqualTo(secret);
    assertThat(registered.get("scopes").toString()).isEqualTo("[\"premium\"]");
    assertThat(registered.get("enabled").asBoolean()).isTrue();
    assertThat(TOKENS.credentials)
        .isEqualTo("Basic " + Base64.getEncoder().encodeToString("market:own".getBytes()));

    var path = added.headers().firstValue("Location").orElseThrow();
    assertThat(market.get(path).body()).doesNotContain("secret");
    assertThat(market.get(PATH).body()).contains("jane").doesNotContain("secret");
    assertThat(output).doesNotContain(secret);
    // Each has another one.
    assertThat(JSON.readTree(add("john", "BASIC").body()).get("secret").asString())
        .isNotEqualTo(secret);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void addsAClientInNeitherWhereTheTokenServerFails(Fault fault) {
    TOKENS.fault = fault;
    unavailable(add("jane", "BASIC"));
    assertThat(market.get(PATH).body()).isEqualTo("[]");
    // The name is free at once.
    unavailable(add("JANE", "BASIC"));

    TOKENS.fault = Fault.NONE;
    await().untilAsserted(() -> assertThat(rows()).isZero());
    assertThat(TOKENS.clients).isEmpty();
    assertThat(add("jane", "BASIC").statusCode()).isEqualTo(201);
    assertThat(TOKENS.clients).containsOnlyKeys("jane");
  }

  /** As after a kill before or after the write of the token server. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void undoesAnAdditionThatWasKilledHalfway(boolean written) {
    DATABASE
        .sql()
        .sql(
            """
            insert into clients.client (name, mail, subscription_type, enabled, state, version, since)
            values ('jane', 'j@example.org', 'BASIC', true, 'PENDING',
              nextval('clients.client_version'), now() - interval '1 minute')
            """)
        .update();
    if (written) {
      TOKENS.clients.put("jane", JSON.readTree("{\"version\":1}"));
    }

    await().untilAsserted(() -> assertThat(rows()).isZero());
    assertThat(TOKENS.clients).isEmpty();
    assertThat(TOKENS.requests())
        .singleElement()
        .asString()
        .startsWith("DELETE /internal/clients/jane?version=");
  }

  @Test
  void doesNotUndoAnAdditionUnderWay() throws Exception {
    var released = new CountDownLatch(1);
    TOKENS.released = released;
    var adding = Thread.ofVirtual().start(() -> add("jane", "BASIC"));
    await().until(() -> TOKENS.requests().size() == 1);
    assertThat(market.get(PATH).body()).isEqualTo("[]");
    problem(add("Jane", "BASIC"), ProblemType.NAME_TAKEN);
    // Some rounds of the reconciliation.
    await().during(Duration.ofSeconds(2)).until(() -> TOKENS.requests().size() == 1);
    released.countDown();
    adding.join();

    assertThat(market.get(PATH).body()).contains("jane");
    assertThat(TOKENS.requests()).hasSize(1);
  }

  @Test
  void refusesNamesThatAreTaken() {
    add("jane", "BASIC");
    var before = TOKENS.clients.get("jane");
    problem(add("JANE", "PREMIUM"), ProblemType.NAME_TAKEN);
    assertThat(TOKENS.clients.get("jane")).isEqualTo(before);

    TOKENS.own = "admin";
    problem(add("admin", "BASIC"), ProblemType.NAME_TAKEN);
    await().untilAsserted(() -> assertThat(rows()).isEqualTo(1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a:b", "a b", "é", "long"})
  void refusesNamesThatCannotBe(String name) {
    problem(
        add(name.equals("long") ? "x".repeat(1_000) : name, "BASIC"), ProblemType.INVALID_REQUEST);
    assertThat(TOKENS.requests()).isEmpty();
  }

  @Test
  void changesScopeAndDisablesAtOnce() {
    var path = add("jane", "BASIC").headers().firstValue("Location").orElseThrow();

    assertThat(change(path, "PREMIUM", true).statusCode()).isEqualTo(200);
    assertThat(TOKENS.clients.get("jane").get("scopes").toString()).isEqualTo("[\"premium\"]");
    assertThat(change(path, "PREMIUM", false).statusCode()).isEqualTo(200);
    assertThat(TOKENS.clients.get("jane").get("enabled").asBoolean()).isFalse();
    assertThat(TOKENS.clients.get("jane").get("secret").isNull()).isTrue();
    // What is the same needs no request.
    int before = TOKENS.requests().size();
    assertThat(change(path, "PREMIUM", false).statusCode()).isEqualTo(200);
    assertThat(TOKENS.requests()).hasSize(before);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void bringsAChangeToItsEnd(Fault fault) {
    var path = add("jane", "BASIC").headers().firstValue("Location").orElseThrow();
    TOKENS.fault = fault;
    unavailable(change(path, "BASIC", false));
    assertThat(market.get(path).body()).contains("\"enabled\":false");
    // Repeated until it is confirmed.
    unavailable(change(path, "BASIC", false));

    TOKENS.fault = Fault.NONE;
    await()
        .untilAsserted(
            () -> assertThat(TOKENS.clients.get("jane").get("enabled").asBoolean()).isFalse());
    assertThat(change(path, "BASIC", false).statusCode()).isEqualTo(200);
  }

  @Test
  void removesFromBoth() {
    var path = add("jane", "BASIC").headers().firstValue("Location").orElseThrow();

    assertThat(market.delete(path).statusCode()).isEqualTo(204);
    assertThat(TOKENS.clients).isEmpty();
    assertThat(rows()).isZero();
    problem(market.delete(path), ProblemType.NOT_FOUND);
    assertThat(add("jane", "BASIC").statusCode()).isEqualTo(201);
    assertThat(TOKENS.clients).containsOnlyKeys("jane");
  }

  @Test
  void removesNeitherWhileAnOrderIsInProgress() {
    DATABASE.run("stock.sql");
    var path = add("jane", "BASIC").headers().firstValue("Location").orElseThrow();
    var orders = "/api/inventory/orders";
    var order = market.post(orders, "[{\"beanId\":1,\"quantity\":1}]", "Market-Client", "jane");

    problem(market.delete(path), ProblemType.ORDER_IN_PROGRESS);
    assertThat(market.get(path).statusCode()).isEqualTo(200);
    assertThat(TOKENS.clients).containsOnlyKeys("jane");

    market.put(order.headers().firstValue("Location").orElseThrow(), "{\"status\":\"SUCCESSFUL\"}");
    assertThat(market.delete(path).statusCode()).isEqualTo(204);
    assertThat(market.get(orders, "Market-Client", "jane").body()).isEqualTo("[]");
    assertThat(TOKENS.clients).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void bringsARemovalToItsEnd(Fault fault) {
    var path = add("jane", "BASIC").headers().firstValue("Location").orElseThrow();
    TOKENS.fault = fault;
    unavailable(market.delete(path));
    problem(market.get(path), ProblemType.NOT_FOUND);
    unavailable(market.delete(path));

    TOKENS.fault = Fault.NONE;
    await().untilAsserted(() -> assertThat(rows()).isZero());
    assertThat(TOKENS.clients).isEmpty();
  }

  /** Another token server, whose clients are its own. */
  @ParameterizedTest
  @CsvSource({"off, market:own", "front, ''"})
  void isAloneWithoutTokensOrAnAccount(String where, String account) {
    var settings =
        new String[] {
          "market.front=false",
          "market.tokens=" + where,
          "market.tokens-issuer=" + TOKENS.address(),
          "market.tokens-account=" + account
        };
    try (var other = Market.on(Postgres.database(), settings)) {
      var added = other.post(PATH, client("jane", "BASIC"));
      assertThat(added.statusCode()).isEqualTo(201);
      assertThat(added.body()).doesNotContain("secret");
      var path = added.headers().firstValue("Location").orElseThrow();
      assertThat(other.put(path, changed("PREMIUM", false)).statusCode()).isEqualTo(200);
      assertThat(other.delete(path).statusCode()).isEqualTo(204);
      assertThat(other.get(PATH).body()).isEqualTo("[]");
    }
    assertThat(TOKENS.requests()).isEmpty();
  }

  private HttpResponse<String> add(String name, String type) {
    return market.post(PATH, client(name, type));
  }

  private HttpResponse<String> change(String path, String type, boolean enabled) {
    return market.put(path, changed(type, enabled));
  }

  private static String client(String name, String type) {
    return "{\"name\":\"%s\",\"mail\":\"j@example.org\",\"subscriptionType\":\"%s\"}"
        .formatted(name, type);
  }

  private static String changed(String type, boolean enabled) {
    return "{\"mail\":\"j@example.org\",\"subscriptionType\":\"%s\",\"enabled\":%s}"
        .formatted(type, enabled);
  }

  private long rows() {
    return DATABASE.sql().sql("select count(*) from clients.client").query(Long.class).single();
  }

  private static void unavailable(HttpResponse<String> answer) {
    problem(answer, ProblemType.UNAVAILABLE);
    assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
  }

  private static void problem(HttpResponse<String> answer, ProblemType type) {
    assertThat(answer.statusCode()).isEqualTo(type.status());
    assertThat(answer.body()).contains(type.uri().toString());
  }

  /** How the token server fails. */
  private enum Fault {
    NONE,
    BEFORE_THE_WRITE,
    AFTER_THE_WRITE,
    WITHOUT_AN_ANSWER;
  }

  /** A token server that has clients, by the rules of the real one. */
  private static final class TokenClients extends StandInServer {

    private final Map<String, JsonNode> clients = new ConcurrentHashMap<>();
    private volatile Fault fault = Fault.NONE;
    private volatile String own = "";
    private volatile String credentials = "";
    private volatile CountDownLatch released = new CountDownLatch(0);

    TokenClients() {
      does(this::change);
    }

    void empty() {
      clients.clear();
      requests().clear();
      fault = Fault.NONE;
      own = "";
    }

    private void change(HttpExchange request) throws IOException {
      credentials = request.getRequestHeaders().getFirst("Authorization");
      var name = request.getRequestURI().getPath().replaceFirst("/internal/clients/", "");
      var body = new String(request.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      try {
        released.await();
      } catch (InterruptedException stopped) {
        throw new IOException(stopped);
      }
      if (fault == Fault.BEFORE_THE_WRITE) {
        respond(request, 503, "text/plain", "");
        return;
      }
      if (name.equals(own)) {
        respond(request, 409, "text/plain", "");
        return;
      }
      if (request.getRequestMethod().equals("PUT")) {
        clients.put(name, JSON.readTree(body));
      } else {
        clients.remove(name);
      }
      switch (fault) {
        case AFTER_THE_WRITE -> respond(request, 500, "text/plain", "");
        case WITHOUT_AN_ANSWER -> request.close();
        default -> respond(request, 204, "text/plain", "");
      }
    }
  }
}
