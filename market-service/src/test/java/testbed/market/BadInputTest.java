package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import testbed.contracts.ProblemType;
import testbed.support.testing.RawHttp;

/** Every invalid request gets a problem, and none a 500. */
class BadInputTest {

  private static final String ORDERS = "/api/inventory/orders";
  private static final String BEANS = "/api/beans";

  private static Market market;

  @BeforeAll
  static void start() {
    var database = Postgres.database();
    market = Market.on(database, "market.front=false");
    database.run("market.sql");
    database.run("stock.sql");
  }

  @AfterAll
  static void stop() {
    market.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "?pageNumber=0",
        "?pageSize=10",
        "?pageNumber=-1&pageSize=10",
        "?pageNumber=0&pageSize=-1",
        "?pageNumber=0&pageSize=0",
        "?pageNumber=1000000000&pageSize=10",
        "?pageNumber=0&pageSize=1000000000",
        "?pageNumber=0&pageSize=201",
        "?pageNumber=99999999999999999999&pageSize=10",
        "?pageNumber=x&pageSize=10",
        "?pageNumber=0&pageSize=ten",
        "?pageNumber=&pageSize=10",
        "?pageNumber=0&pageNumber=1&pageSize=10",
        "?pageNumber=%D9%A1&pageSize=10",
        "?pageNumber=0&pageSize=10&varietyType=LIBERICA",
        "?pageNumber=0&pageSize=10&varietyType=arabica",
        "?pageNumber=0&pageSize=10&varietyType=",
        "?pageNumber=0&pageSize=10&countryName=%00",
        "?pageNumber=0&pageSize=10&countryName=a%0Ab",
        "?pageNumber=0&pageSize=10&countryName=%FF%FE",
        "?pageNumber=0&pageSize=10&countryName=%C3",
        "?pageNumber=0&pageSize=10&regionName=%ZZ"
      })
  void refusesPagesThatCannotBe(String query) {
    var port = market.address().getPort();
    var answer = RawHttp.answer(port, "GET %s%s HTTP/1.1".formatted(BEANS, query));

    assertThat(answer)
        .startsWith("HTTP/1.1 400")
        .contains("application/problem+json")
        .contains(ProblemType.INVALID_REQUEST.uri().toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "?pageNumber=1000000&pageSize=200",
        "?pageNumber=2&pageSize=10",
        "?pageNumber=0&pageSize=10&countryName=Atlantis",
        "?pageNumber=0&pageSize=10&countryName=",
        "?pageNumber=0&pageSize=10&countryName=Mexi%25",
        "?pageNumber=0&pageSize=10&countryName=Mexic_",
        "?pageNumber=0&pageSize=10&regionName=%27%20or%201%3D1%20--",
        "?pageNumber=0&pageSize=10&companyName=company%20"
      })
  void answersAnEmptyPageWhereThereIsNothing(String query) {
    var answer = market.get(BEANS + query);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("[]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          100%25%20_Arabica_             | 100% _Arabica_
          C%C3%B4te%20d%27Ivoire         | Côte d'Ivoire
          """)
  void findsNamesWithAnyCharacters(String written, String name) {
    assertThat(market.get("/api/beans/countries?name=" + written).body())
        .contains("\"name\":\"%s\"".formatted(name));
  }

  @Test
  void refusesALongFilter() throws Exception {
    var path = "/api/beans/countries?name=";
    assertProblem(market.get(path + "x".repeat(7_000)), ProblemType.INVALID_REQUEST);
    // Longer than Tomcat reads: its limit of a request line. It ends the connection, which the
    // client of the other tests might still use for the next of them.
    try (var client = HttpClient.newHttpClient()) {
      var tooLong = URI.create(market.address() + path + "x".repeat(10_000));
      var answer = client.send(HttpRequest.newBuilder(tooLong).build(), BodyHandlers.ofString());
      assertProblem(answer, 431, ProblemType.TOO_LARGE);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{}",
        "null",
        "[null]",
        "[1]",
        "[{}]",
        "[{\"beanId\":1}]",
        "[{\"quantity\":1}]",
        "[{\"beanId\":1,\"quantity\":0}]",
        "[{\"beanId\":1,\"quantity\":-1}]",
        "[{\"beanId\":1,\"quantity\":2147483648}]",
        "[{\"beanId\":1,\"quantity\":9223372036854775808}]",
        "[{\"beanId\":1,\"quantity\":1.5}]",
        "[{\"beanId\":1,\"quantity\":\"1\"}]",
        "[{\"beanId\":1,\"quantity\":null}]",
        "[{\"beanId\":0,\"quantity\":1}]",
        "[{\"beanId\":1,\"quantity\":1,\"price\":1}]",
        "[{\"beanId\":1,\"quantity\":1},{\"beanId\":1,\"quantity\":2}]",
        "[{\"beanId\":1,\"quantity\":1}",
        "[{\"beanId\":1,\"quantity\":1,\"quantity\":2}]"
      })
  void refusesOrdersThatCannotBe(String body) {
    assertProblem(market.post(ORDERS, body, "Market-Client", "jane"), ProblemType.INVALID_REQUEST);
  }

  @Test
  void refusesOrdersOfTooManyItems() {
    assertProblem(
        market.post(ORDERS, items(101), "Market-Client", "jane"), ProblemType.INVALID_REQUEST);
    assertProblem(
        market.post(ORDERS, items(10_000), "Market-Client", "jane"), ProblemType.TOO_LARGE);
    assertProblem(
        market.post(ORDERS, " ".repeat(1_000_000) + "[]", "Market-Client", "jane"),
        ProblemType.TOO_LARGE);
  }

  private static String items(int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj("{\"beanId\":%d,\"quantity\":1}"::formatted)
        .collect(Collectors.joining(",", "[", "]"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/plain", "application/*", "*/*", "application/*+json", "nonsense"})
  void refusesOtherContentTypes(String type) {
    assertProblem(
        market.post(
            ORDERS,
            "[{\"beanId\":1,\"quantity\":1}]",
            "Market-Client",
            "jane",
            "Content-Type",
            type),
        ProblemType.UNSUPPORTED_MEDIA_TYPE);
  }

  @Test
  void refusesKeysThatAreNone() {
    assertProblem(
        market.post(
            ORDERS,
            "[{\"beanId\":1,\"quantity\":1}]",
            "Market-Client",
            "jane",
            "Idempotency-Key",
            "x".repeat(65)),
        ProblemType.INVALID_REQUEST);
  }

  /** Behind a front, only a client that the front names may order. */
  @ParameterizedTest
  @ValueSource(strings = {"", "a:b", "a b", "-jane", "%", "long"})
  void refusesClientsThatCannotBe(String name) {
    var client = name.equals("long") ? "x".repeat(1_000) : name;
    assertProblem(market.get(ORDERS, "Market-Client", client), ProblemType.INVALID_REQUEST);
    assertProblem(market.get(ORDERS), ProblemType.INVALID_REQUEST);
    assertProblem(market.post("/api/admin/clients", client(client)), ProblemType.INVALID_REQUEST);
  }

  @Test
  void keepsClientsApartWhoseNamesDifferInTheirLettersOnly() {
    assertThat(market.post("/api/admin/clients", client("Jane")).statusCode()).isEqualTo(201);
    assertProblem(market.post("/api/admin/clients", client("jANE")), ProblemType.NAME_TAKEN);
  }

  private static String client(String name) {
    return "{\"name\":\"%s\",\"mail\":\"a@example.org\",\"subscriptionType\":\"BASIC\"}"
        .formatted(name);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /api/beans/countries  | {}
          /api/beans/countries  | {"name":null}
          /api/beans/countries  | {"name":" "}
          /api/beans/countries  | {"name":"a\\u0000b"}
          /api/beans/countries  | {"name":1}
          /api/beans/regions    | {"name":"x"}
          /api/beans/regions    | {"name":"x","countryId":-1}
          /api/beans/farms      | {"name":"x","regionId":1,"altitude":9001}
          /api/beans/varieties  | {"name":"x","type":"LIBERICA"}
          /api/beans/varieties  | {"name":"x"}
          /api/beans/varieties  | {"name":"x","type":1}
          /api/beans/companies  | {"name":"x","email":"none"}
          /api/beans            | {"companyId":1}
          /api/beans            | {"companyId":1,"varietyId":1,"harvestYear":20120}
          /api/admin/clients    | {"name":"x","mail":"none","subscriptionType":"BASIC"}
          /api/admin/clients    | {"name":"x","mail":"x@example.org","subscriptionType":"GOLD"}
          /api/admin/clients    | {"name":"x","mail":"x@example.org","subscriptionType":0}
          """)
  void refusesEntriesThatCannotBe(String path, String body) {
    assertProblem(market.post(path, body), ProblemType.INVALID_REQUEST);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"quantity\":-1,\"price\":1}",
        "{\"quantity\":1000000001,\"price\":1}",
        "{\"quantity\":1,\"price\":-1}",
        "{\"quantity\":1,\"price\":1.001}",
        "{\"quantity\":1,\"price\":1e400}"
      })
  void refusesStocksThatCannotBe(String body) {
    assertProblem(market.put("/api/inventory/stocks/1", body), ProblemType.INVALID_REQUEST);
  }

  /** No order may name it. */
  @Test
  void refusesStockOfABeanThatCannotBe() {
    assertProblem(
        market.put("/api/inventory/stocks/0", "{\"quantity\":1,\"price\":1}"),
        ProblemType.NOT_FOUND);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/beans/0",
        "/api/beans/99",
        "/api/beans/999999999999999999",
        "/api/beans/9999999999999999999",
        "/api/beans/-1",
        "/api/beans/x",
        "/api/beans/countries/x",
        "/api/beans/planets",
        "/api/inventory/orders/99",
        "/api/inventory/orders/x",
        "/api/inventory/stocks/0",
        "/api/inventory/stocks/99",
        "/api/admin/clients/99"
      })
  void findsNothing(String path) {
    assertProblem(market.get(path, "Market-Client", "jane"), ProblemType.NOT_FOUND);
  }

  @Test
  void refusesOtherMethods() {
    assertProblem(market.delete(ORDERS), ProblemType.METHOD_NOT_ALLOWED);
    assertProblem(market.post("/api/beans/1", "{}"), ProblemType.METHOD_NOT_ALLOWED);
  }

  private static void assertProblem(HttpResponse<String> answer, ProblemType type) {
    assertProblem(answer, type.status(), type);
  }

  private static void assertProblem(HttpResponse<String> answer, int status, ProblemType type) {
    assertThat(answer.body()).contains(type.uri().toString());
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
  }
}
