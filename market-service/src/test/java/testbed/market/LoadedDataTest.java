package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LoadedDataTest {

  private static long count(Postgres.Database database, String table) {
    return database.sql().sql("select count(*) from " + table).query(Long.class).single();
  }

  @Test
  void startsWithTheDataOfItsScaleAndEnoughStock() {
    var database = Postgres.database();
    for (var instance : List.of("first", "second")) {
      try (var market = Market.on(database, "market.scale=1", "market.stock=endless")) {
        assertThat(count(database, "beans.bean")).as(instance).isEqualTo(1_339);
        assertThat(count(database, "beans.bean where farm_id is null")).isEqualTo(59);
        assertThat(count(database, "inventory.stock where quantity = 1000000")).isEqualTo(1_339);

        assertThat(market.get("/api/beans/countries").body()).contains("Côte d'Ivoire");
        var page =
            market.get(
                "/api/beans?countryName=Guatemala&regionName=Oriente&varietyType=ARABICA"
                    + "&pageNumber=3&pageSize=10");
        assertThat(page.body().split("\"id\":")).hasSize(11);
        assertThat(market.get("/api/beans/1339").body()).contains("availableQuantity\":1000000");
      }
    }
  }

  @Test
  void filtersByNamesThatHaveQuotesAndWildcards() {
    try (var market = Market.on(Postgres.database(), "market.scale=1")) {
      assertThat(market.get("/api/beans/countries?name=C%C3%B4te%20d%27Ivoire").body())
          .contains("Côte d'Ivoire");
      assertThat(market.get("/api/beans/countries?name=%25").body()).isEqualTo("[]");
      assertThat(market.get("/api/beans/companies?name=del_Sur%20Coffee%20S.A.").body())
          .contains("del_Sur");
      assertThat(market.get("/api/beans/companies?name=del-Sur%20Coffee%20S.A.").body())
          .isEqualTo("[]");
    }
  }
}
