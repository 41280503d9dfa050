package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import testbed.contracts.ProblemType;
import testbed.support.testing.HeldPort;

/** Beans and clients without the inventory. */
class InventoryAwayTest {

  private static Postgres.Database beans;

  @BeforeAll
  static void fill() {
    beans = Postgres.database();
    try (var market = Market.on(beans)) {
      beans.run("market.sql");
    }
  }

  @Test
  void refusesDetailsAndGoesOnWithLists() throws Exception {
    try (var nobody = new HeldPort();
        var market = without("beans", nobody)) {
      var details = market.get("/api/beans/1");
      assertThat(details.statusCode()).isEqualTo(503);
      assertThat(details.headers().firstValue("Retry-After")).hasValue("1");
      assertThat(details.body())
          .contains(ProblemType.UNAVAILABLE.uri().toString())
          .contains("The inventory does not answer.");

      for (var list : List.of("/countries", "/regions", "?pageNumber=0&pageSize=10")) {
        assertThat(market.get("/api/beans" + list).statusCode()).isEqualTo(200);
      }
      // What does not exist is known without the inventory.
      assertThat(market.get("/api/beans/99").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void leavesQuantityAndPriceOutOfPages() throws Exception {
    try (var nobody = new HeldPort();
        var market = without("beans", nobody, "market.details=page")) {
      var page = market.get("/api/beans?pageNumber=0&pageSize=10");

      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.body()).contains("\"id\":1,").doesNotContain("price");
    }
  }

  @Test
  void keepsABeanThatCannotBeTakenFromSale() throws Exception {
    try (var nobody = new HeldPort();
        var market = without("beans", nobody)) {
      assertThat(market.delete("/api/beans/14").statusCode()).isEqualTo(503);
      assertThat(market.get("/api/beans?pageNumber=0&pageSize=20").body()).contains("\"id\":14,");
    }
  }

  @Test
  void keepsAClientWhoseOrdersAreNotKnown() throws Exception {
    try (var nobody = new HeldPort();
        var market =
            Market.on(
                Postgres.database(),
                "market.parts=clients",
                "market.inventory.url=" + address(nobody))) {
      var added =
          market.post(
              "/api/admin/clients",
              "{\"name\":\"jane\",\"mail\":\"j@example.org\",\"subscriptionType\":\"BASIC\"}");
      var path = added.headers().firstValue("Location").orElseThrow();

      assertThat(market.delete(path).statusCode()).isEqualTo(503);
      assertThat(market.get(path).statusCode()).isEqualTo(200);
    }
  }

  private static Market without(String part, HeldPort nobody, String... settings) {
    var all = new ArrayList<>(List.of(settings));
    all.add("market.parts=" + part);
    all.add("market.inventory.url=" + address(nobody));
    return Market.on(beans, all.toArray(String[]::new));
  }

  private static URI address(HeldPort nobody) {
    return URI.create("http://localhost:" + nobody.number());
  }
}
