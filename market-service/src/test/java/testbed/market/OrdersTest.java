package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import testbed.contracts.ProblemType;

class OrdersTest {

  private static final String ORDERS = "/api/inventory/orders";
  private static final String[] JANE = {"Market-Client", "jane"};
  private static final String[] JOHN = {"Market-Client", "john"};

  private static Postgres.Database database;
  private static Market market;

  @BeforeAll
  static void start() {
    database = Postgres.database();
    market = Market.on(database, "market.front=false");
  }

  @AfterAll
  static void stop() {
    market.close();
  }

  @BeforeEach
  void fill() {
    database
        .sql()
        .sql("truncate inventory.stock, inventory.orders restart identity cascade")
        .update();
    database.run("stock.sql");
  }

  @Test
  void takesAllItemsFromTheStock() {
    var placed = market.post(ORDERS, "[%s,%s]".formatted(item(2, 30), item(1, 5)), JANE);

    assertThat(placed.statusCode()).isEqualTo(201);
    assertThat(placed.headers().firstValue("Location")).hasValue(ORDERS + "/1");
    assertThat(placed.body())
        .isEqualTo(
            "{\"orderNumber\":1,\"status\":\"IN_PROGRESS\",\"totalCost\":765.00,\"items\":"
                + "[{\"beanId\":1,\"quantity\":5},{\"beanId\":2,\"quantity\":30}]}");
    assertThat(quantity(1)).isEqualTo(95);
    assertThat(quantity(2)).isEqualTo(70);
    assertThat(market.get(ORDERS + "/1", JANE).body()).isEqualTo(placed.body());
    assertThat(market.get(ORDERS, JANE).body()).isEqualTo("[" + placed.body() + "]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"101", "1000000"})
  void takesNothingIfThereIsTooLittleOfOne(String tooMuch) {
    var refused =
        market.post(
            ORDERS, "[%s,%s]".formatted(item(1, 1), item(2, Long.parseLong(tooMuch))), JANE);

    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.body())
        .contains(ProblemType.STOCK_TOO_LOW.uri().toString())
        .contains("There are 100 kg of bean 2.");
    assertThat(quantity(1)).isEqualTo(100);
    assertThat(market.get(ORDERS, JANE).body()).isEqualTo("[]");
  }

  @Test
  void takesNothingIfABeanIsNotSold() {
    var refused = market.post(ORDERS, "[%s,%s]".formatted(item(1, 1), item(99, 1)), JANE);

    assertThat(refused.statusCode()).isEqualTo(422);
    assertThat(refused.body()).contains("Bean 99 is not sold.");
    assertThat(quantity(1)).isEqualTo(100);
  }

  @Test
  void givesBackOnceWhatIsCancelled() {
    market.post(ORDERS, "[%s,%s]".formatted(item(1, 40), item(2, 1)), JANE);

    for (int i = 0; i < 2; i++) {
      var cancelled = market.delete(ORDERS + "/1", JANE);
      assertThat(cancelled.statusCode()).isEqualTo(200);
      assertThat(cancelled.body()).contains("CANCELED");
      assertThat(quantity(1)).isEqualTo(100);
      assertThat(quantity(2)).isEqualTo(100);
    }
    assertThat(end(1, "SUCCESSFUL")).isEqualTo(409);
  }

  @Test
  void keepsWhatASuccessfulOrderHasTaken() {
    market.post(ORDERS, "[%s]".formatted(item(1, 40)), JANE);

    assertThat(market.put(ORDERS + "/1", "{\"status\":1}", JANE).statusCode()).isEqualTo(400);
    assertThat(market.get(ORDERS + "/1", JANE).body()).contains("IN_PROGRESS");
    assertThat(end(1, "SUCCESSFUL")).isEqualTo(200);
    assertThat(end(1, "SUCCESSFUL")).isEqualTo(200);
    assertThat(end(1, "IN_PROGRESS")).isEqualTo(400);
    assertThat(market.delete(ORDERS + "/1", JANE).body())
        .contains(ProblemType.ORDER_CLOSED.uri().toString());
    assertThat(quantity(1)).isEqualTo(60);
    assertThat(market.get(ORDERS + "?status=SUCCESSFUL", JANE).body())
        .contains("\"orderNumber\":1");
    assertThat(market.get(ORDERS + "?status=IN_PROGRESS", JANE).body()).isEqualTo("[]");
  }

  @Test
  void hidesOrdersOfOtherClients() {
    market.post(ORDERS, "[%s]".formatted(item(1, 40)), JANE);

    assertThat(market.get(ORDERS + "/1", JOHN).statusCode()).isEqualTo(404);
    assertThat(market.delete(ORDERS + "/1", JOHN).statusCode()).isEqualTo(404);
    assertThat(market.get(ORDERS, JOHN).body()).isEqualTo("[]");
    assertThat(quantity(1)).isEqualTo(60);
  }

  @Test
  void placesAnOrderOnceForEachKey() {
    var order = "[%s]".formatted(item(1, 60));
    var first = market.post(ORDERS, order, "Market-Client", "jane", "Idempotency-Key", "k1");

    var again = market.post(ORDERS, order, "Market-Client", "jane", "Idempotency-Key", "k1");
    assertThat(again.statusCode()).isEqualTo(201);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(quantity(1)).isEqualTo(40);

    var other =
        market.post(
            ORDERS, "[%s]".formatted(item(1, 1)), "Market-Client", "jane", "Idempotency-Key", "k1");
    assertThat(other.statusCode()).isEqualTo(422);
    assertThat(other.body()).contains(ProblemType.IDEMPOTENCY_KEY_REUSED.uri().toString());

    // Another client's equal key is another key.
    var johns =
        market.post(
            ORDERS, "[%s]".formatted(item(1, 1)), "Market-Client", "john", "Idempotency-Key", "k1");
    assertThat(johns.statusCode()).isEqualTo(201);
    assertThat(quantity(1)).isEqualTo(39);
  }

  @Test
  void placesAnOrderOnceHoweverOftenItComesAtOnce() throws Exception {
    var statuses =
        atOnce(
            20,
            number ->
                market
                    .post(
                        ORDERS,
                        "[%s]".formatted(item(1 + number % 2, 10)),
                        "Market-Client",
                        "jane",
                        "Idempotency-Key",
                        "k2")
                    .statusCode());

    assertThat(statuses).containsOnly(201, 422);
    assertThat(statuses).filteredOn(status -> status == 201).hasSize(10);
    assertThat(quantity(1) + quantity(2)).isEqualTo(190);
  }

  /** Locked in the order of beans, they cannot deadlock. */
  @Test
  void takesExactlyWhatIsAcceptedInOppositeOrders() throws Exception {
    database.sql().sql("update inventory.stock set quantity = 600").update();

    var statuses =
        atOnce(
            1_000,
            number ->
                market
                    .post(
                        ORDERS,
                        number % 2 == 0
                            ? "[%s,%s]".formatted(item(1, 1), item(2, 1))
                            : "[%s,%s]".formatted(item(2, 1), item(1, 1)),
                        JANE)
                    .statusCode());

    assertThat(statuses).containsOnly(201, 409);
    assertThat(statuses).filteredOn(status -> status == 201).hasSize(600);
    assertThat(quantity(1)).isZero();
    assertThat(quantity(2)).isZero();
  }

  @Test
  void staysAmongThoseWhoAddAndRemoveStockAtOnce() throws Exception {
    var path = "/api/inventory/stocks/1";
    var statuses =
        atOnce(
            400,
            number ->
                switch (number % 4) {
                  case 0 -> market.delete(path).statusCode();
                  case 1 ->
                      market
                          .post(ORDERS, "[%s,%s]".formatted(item(1, 1), item(2, 1)), JANE)
                          .statusCode();
                  default -> market.put(path, "{\"quantity\":50,\"price\":2}").statusCode();
                });

    assertThat(statuses).isSubsetOf(200, 201, 204, 404, 409, 422);
  }

  private static List<Integer> atOnce(int times, Numbered request) throws Exception {
    try (var threads = Executors.newFixedThreadPool(50)) {
      var requests =
          IntStream.range(0, times)
              .<Callable<Integer>>mapToObj(number -> () -> request.status(number))
              .toList();
      var statuses = new ArrayList<Integer>();
      for (Future<Integer> answer : threads.invokeAll(requests)) {
        statuses.add(answer.get());
      }
      return statuses;
    }
  }

  private interface Numbered {
    int status(int number);
  }

  private static int end(long number, String status) {
    return market
        .put(ORDERS + "/" + number, "{\"status\":\"%s\"}".formatted(status), JANE)
        .statusCode();
  }

  private static String item(long bean, long quantity) {
    return "{\"beanId\":%d,\"quantity\":%d}".formatted(bean, quantity);
  }

  private static long quantity(long bean) {
    return database
        .sql()
        .sql("select quantity from inventory.stock where bean_id = ?")
        .param(bean)
        .query(Long.class)
        .single();
  }
}
