package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.hibernate.Session;
import org.hibernate.resource.jdbc.spi.StatementInspector;
import org.hibernate.stat.Statistics;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import testbed.market.database.Databases;
import testbed.market.part.Part;

/** Statements and joins of each way to read a page of ten beans: exact counts. */
class FetchTest {

  private static final String PLACE =
      "/api/beans?countryName=Mexico&regionName=veracruz&varietyType=ARABICA&pageNumber=0&pageSize=10";
  private static final Pattern JOIN = Pattern.compile("\\bjoin\\b");

  private static Postgres.Database database;

  @BeforeAll
  static void fill() {
    database = Postgres.database();
    try (var market = Market.on(database)) {
      database.run("market.sql");
      database.run("stock.sql");
    }
  }

  /**
   * Farms, mills and companies of the page are ten each, in one region of one country, and five
   * varieties. A lazy page reads each of them, and the region and the country, by itself; with
   * eager references a farm brings its region and country.
   */
  @ParameterizedTest
  @CsvSource({
    "graph,           1,  6",
    "duplicate-joins, 1, 10",
    "lazy,           38,  4",
    "n-plus-1,       36,  4"
  })
  void readsAPage(String fetch, long statements, long joins) {
    try (var market = started("market.fetch=" + fetch)) {
      var seen = statistics(market);
      Statements.SEEN.clear();

      var page = market.get(PLACE);

      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(seen.getPrepareStatementCount()).isEqualTo(statements);
      assertThat(JOIN.matcher(Statements.SEEN.getFirst()).results().count()).isEqualTo(joins);
    }
  }

  @ParameterizedTest
  @CsvSource({"graph", "duplicate-joins", "lazy", "n-plus-1"})
  void answersTheSameHoweverItReads(String fetch) {
    List<String> paths = List.of(PLACE, "/api/beans?pageNumber=0&pageSize=20", "/api/beans/14");
    try (var usual = started();
        var market = started("market.fetch=" + fetch)) {
      for (var path : paths) {
        assertThat(market.get(path).body()).isEqualTo(usual.get(path).body());
      }
    }
  }

  /** An inner join would lose them. */
  @Test
  void keepsBeansWithoutAFarmInUnfilteredPages() {
    try (var market = started()) {
      assertThat(market.get("/api/beans?pageNumber=0&pageSize=20").body())
          .contains("{\"id\":14,\"harvestYear\":2016");
    }
  }

  @ParameterizedTest
  @CsvSource({"each, 1", "page, 2"})
  void readsTheStockOfAPageByOneStatement(String details, long statements) {
    try (var market = started("market.details=" + details)) {
      var seen = statistics(market);

      var page = market.get(PLACE).body();

      assertThat(seen.getPrepareStatementCount()).isEqualTo(statements);
      assertThat(page.contains("availableQuantity")).isEqualTo(details.equals("page"));
    }
  }

  @ParameterizedTest
  @CsvSource({"together, 1", "apart, 2"})
  void readsDetailsInOneTransactionOrTwo(String transaction, long transactions) {
    try (var market = started("market.transaction=" + transaction)) {
      var seen = statistics(market);

      assertThat(market.get("/api/beans/1").body()).contains("\"availableQuantity\":100");

      assertThat(seen.getPrepareStatementCount()).isEqualTo(2);
      assertThat(seen.getTransactionCount()).isEqualTo(transactions);
    }
  }

  @ParameterizedTest
  @CsvSource({"none, 4", "lists, 2"})
  void keepsListsOfCountriesAndRegions(String cache, long statements) {
    try (var market = started("market.cache=" + cache)) {
      var seen = statistics(market);
      for (int i = 0; i < 2; i++) {
        assertThat(market.get("/api/beans/countries").body()).contains("Mexico");
        assertThat(market.get("/api/beans/regions?countryName=Mexico").body()).contains("veracruz");
      }

      assertThat(seen.getPrepareStatementCount()).isEqualTo(statements);
    }
  }

  @Test
  void forgetsKeptListsAfterAChange() {
    try (var market = started("market.cache=lists")) {
      market.get("/api/beans/countries");
      var added = market.post("/api/beans/countries", "{\"name\":\"Peru\"}");
      var path = added.headers().firstValue("Location").orElseThrow();

      assertThat(market.get("/api/beans/countries").body()).contains("Peru");
      assertThat(market.delete(path).statusCode()).isEqualTo(204);
      assertThat(market.get("/api/beans/countries").body()).doesNotContain("Peru");
    }
  }

  private static Market started(String... settings) {
    var all = new ArrayList<>(List.of(settings));
    all.add("market.hibernate[hibernate.generate_statistics]=true");
    all.add(
        "market.hibernate[hibernate.session_factory.statement_inspector]="
            + Statements.class.getName());
    return Market.on(database, all.toArray(String[]::new));
  }

  private static Statistics statistics(Market market) {
    var statistics =
        market
            .bean(Databases.class)
            .of(Part.BEANS)
            .read(entities -> entities.unwrap(Session.class).getSessionFactory().getStatistics());
    statistics.clear();
    return statistics;
  }

  /** The statements of all processes of this JVM. */
  public static class Statements implements StatementInspector {

    static final List<String> SEEN = new CopyOnWriteArrayList<>();

    @Override
    public String inspect(String sql) {
      SEEN.add(sql);
      return sql;
    }
  }
}
