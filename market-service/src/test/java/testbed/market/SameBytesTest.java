package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A process with all parts, one with a database for each part, and a process for each part that ask
 * each other by HTTP: all give the same bytes to the same requests.
 */
class SameBytesTest {

  private static final String[] HEADERS = {"Market-Client", "jane"};
  private static final String[] KEYED = {"Market-Client", "jane", "Idempotency-Key", "key"};

  private static Market monolith;
  private static Market severalDatabases;
  private static Market inventory;
  private static Market beans;
  private static Market clients;

  @BeforeAll
  static void start() {
    var database = Postgres.database();
    monolith = Market.on(database, "market.front=false");
    fill(database, database);

    var owned = List.of(Postgres.database(), Postgres.database(), Postgres.database());
    severalDatabases =
        Market.started(
            "market.front=false",
            "market.databases=each",
            "market.beans.db.url=" + owned.get(0).url(),
            "market.inventory.db.url=" + owned.get(1).url(),
            "market.clients.db.url=" + owned.get(2).url());
    fill(owned.get(0), owned.get(1));

    var each = List.of(Postgres.database(), Postgres.database(), Postgres.database());
    inventory = Market.on(each.get(0), "market.parts=inventory", "market.front=false");
    var address = "market.inventory.url=" + inventory.address();
    beans = Market.on(each.get(1), "market.parts=beans", "market.front=false", address);
    clients = Market.on(each.get(2), "market.parts=clients", "market.front=false", address);
    fill(each.get(1), each.get(0));
  }

  private static void fill(Postgres.Database beans, Postgres.Database inventory) {
    beans.run("market.sql");
    inventory.run("stock.sql");
  }

  @AfterAll
  static void stop() {
    Stream.of(monolith, severalDatabases, beans, clients, inventory)
        .filter(Objects::nonNull)
        .forEach(Market::close);
  }

  @Test
  void giveTheSameBytes() {
    for (var list : List.of("countries", "companies", "varieties", "regions", "farms", "mills")) {
      get("/api/beans/" + list, 200);
      get("/api/beans/" + list + "?name=Mexico", 200);
      get("/api/beans/" + list + "/1", 200);
      get("/api/beans/" + list + "/99", 404);
    }
    get("/api/beans/varieties?type=ROBUSTA", 200);
    get("/api/beans/regions?countryName=C%C3%B4te%20d%27Ivoire", 200);
    get("/api/beans/farms?countryName=Mexico&regionName=veracruz", 200);
    get("/api/beans/mills?regionName=veracruz", 200);
    get("/api/beans?pageNumber=0&pageSize=20", 200);
    get("/api/beans?countryName=Mexico&regionName=veracruz&pageNumber=1&pageSize=10", 200);
    get("/api/beans?pageNumber=0", 400);
    for (int bean = 1; bean <= 14; bean++) {
      get("/api/beans/" + bean, 200);
    }
    get("/api/beans/15", 404);

    post(
        "/api/inventory/orders",
        "[{\"beanId\":1,\"quantity\":3},{\"beanId\":2,\"quantity\":4}]",
        201,
        KEYED);
    post(
        "/api/inventory/orders",
        "[{\"beanId\":1,\"quantity\":3},{\"beanId\":2,\"quantity\":4}]",
        201,
        KEYED);
    post("/api/inventory/orders", "[{\"beanId\":1,\"quantity\":2}]", 422, KEYED);
    post("/api/inventory/orders", "[{\"beanId\":1,\"quantity\":98}]", 409, HEADERS);
    post("/api/inventory/orders", "[{\"beanId\":14,\"quantity\":1}]", 422, HEADERS);
    post("/api/inventory/orders", "[{\"beanId\":13,\"quantity\":1}]", 201, HEADERS);
    get("/api/inventory/orders", 200);
    get("/api/inventory/orders/1", 200);
    get("/api/beans/1", 200);

    post(
        "/api/admin/clients",
        "{\"name\":\"jane\",\"mail\":\"j@example.org\",\"subscriptionType\":\"BASIC\"}",
        201,
        HEADERS);
    post(
        "/api/admin/clients",
        "{\"name\":\"JANE\",\"mail\":\"j@example.org\",\"subscriptionType\":\"BASIC\"}",
        409,
        HEADERS);
    get("/api/admin/clients", 200);
    put(
        "/api/admin/clients/1000000000",
        "{\"mail\":\"k@example.org\",\"subscriptionType\":\"PREMIUM\",\"enabled\":false}",
        200);
    delete("/api/admin/clients/1000000000", 409);
    delete("/api/inventory/orders/1", 200);
    put("/api/inventory/orders/2", "{\"status\":\"SUCCESSFUL\"}", 200);
    delete("/api/admin/clients/1000000000", 204);
    get("/api/admin/clients/1000000000", 404);
    get("/api/inventory/orders", 200);
    get("/api/beans/1", 200);

    post("/api/beans/countries", "{\"name\":\"Peru\"}", 201, HEADERS);
    post("/api/beans/countries", "{\"name\":\"Peru\"}", 409, HEADERS);
    post("/api/beans/regions", "{\"name\":\"puno\",\"countryId\":1000000000}", 201, HEADERS);
    post("/api/beans/regions", "{\"name\":\"puno\",\"countryId\":99}", 422, HEADERS);
    post(
        "/api/beans/farms",
        "{\"name\":\"f\",\"altitude\":1200,\"regionId\":1000000000}",
        201,
        HEADERS);
    post("/api/beans/mills", "{\"name\":\"m\",\"regionId\":1000000000}", 201, HEADERS);
    post("/api/beans/companies", "{\"name\":\"c\",\"email\":\"c@example.org\"}", 201, HEADERS);
    post("/api/beans/varieties", "{\"name\":\"Maragogipe\",\"type\":\"ARABICA\"}", 201, HEADERS);
    post(
        "/api/beans",
        "{\"harvestYear\":2020,\"farmId\":1000000000,\"millId\":1000000000,\"companyId\":1000000000,\"varietyId\":1000000000}",
        201,
        HEADERS);
    put("/api/beans/1000000000", "{\"color\":\"Green\",\"companyId\":1,\"varietyId\":1}", 200);
    put("/api/inventory/stocks/1000000000", "{\"quantity\":10,\"price\":7.5}", 200);
    get("/api/beans/1000000000", 200);
    put("/api/beans/countries/1000000000", "{\"name\":\"Perú\"}", 200);
    delete("/api/beans/countries/1000000000", 409);
    delete("/api/beans/1000000000", 204);
    get("/api/beans/1000000000", 404);
    // A bean that is removed is no longer sold.
    get("/api/inventory/stocks/1000000000", 404);
    for (var used : List.of("farms", "mills", "regions", "countries", "companies", "varieties")) {
      delete("/api/beans/%s/1000000000".formatted(used), 204);
      delete("/api/beans/%s/1000000000".formatted(used), 404);
    }
    get("/api/nothing", 404);
    get("/openapi.yaml", 200);
    get("/", 200);
  }

  private static Market partOf(String path) {
    if (path.startsWith("/api/inventory")) {
      return inventory;
    }
    return path.startsWith("/api/admin") ? clients : beans;
  }

  private static void get(String path, int status) {
    same("GET " + path, status, market -> market.get(path, HEADERS), path);
  }

  private static void delete(String path, int status) {
    same("DELETE " + path, status, market -> market.delete(path, HEADERS), path);
  }

  private static void put(String path, String body, int status) {
    same("PUT " + path, status, market -> market.put(path, body, HEADERS), path);
  }

  private static void post(String path, String body, int status, String... headers) {
    same("POST " + path + body, status, market -> market.post(path, body, headers), path);
  }

  private static void same(String request, int status, Sent sent, String path) {
    var answer = sent.to(monolith);
    assertThat(answer.statusCode()).as(request).isEqualTo(status);
    for (var other : List.of(severalDatabases, partOf(path))) {
      var same = sent.to(other);
      assertThat(same.statusCode()).as(request).isEqualTo(status);
      assertThat(same.body()).as(request).isEqualTo(answer.body());
      assertThat(headers(same)).as(request).isEqualTo(headers(answer));
    }
  }

  private interface Sent {
    HttpResponse<String> to(Market market);
  }

  private static Map<String, List<String>> headers(HttpResponse<String> answer) {
    var headers = new TreeMap<>(answer.headers().map());
    headers.keySet().removeAll(List.of("date", "last-modified", "keep-alive"));
    return headers;
  }
}
