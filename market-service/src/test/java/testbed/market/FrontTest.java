package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What clients say of themselves, and paths of other parts, where a process is the front. */
class FrontTest {

  @Test
  void knowsOneGuestAndNoPathsOfOtherParts() {
    var database = Postgres.database();
    try (var front = Market.on(database);
        var behind = Market.on(database, "market.front=false")) {
      database.run("stock.sql");
      var path = "/api/inventory/orders";
      front.post(path, "[{\"beanId\":1,\"quantity\":1}]", "Market-Client", "jane");

      assertThat(front.get(path + "/1", "Market-Client", "john").statusCode()).isEqualTo(200);
      assertThat(behind.get(path + "/1", "Market-Client", "guest").statusCode()).isEqualTo(200);
      assertThat(behind.get(path + "/1", "Market-Client", "jane").statusCode()).isEqualTo(404);

      assertThat(front.get("/internal/inventory/stocks/1").statusCode()).isEqualTo(404);
      assertThat(behind.get("/internal/inventory/stocks/1").statusCode()).isEqualTo(200);
    }
  }
}
