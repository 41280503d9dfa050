package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.hibernate.Session;
import org.hibernate.resource.jdbc.spi.StatementInspector;
import org.hibernate.stat.Statistics;
import org.junit.jupiter.api.AfterAll;
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

  private static final List<String> ALIKE =
      List.of(PLACE, "/api/beans?pageNumber=0&pageSize=20", "/api/beans/13", "/api/beans/14");

  private static Postgres.Database database;
  private static Market usual;

  @BeforeAll
  static void start() {
    database = Postgres.database();
    usual = started();
    database.run("market.sql");
    database.run("stock.sql");
  }

  @AfterAll
  static void stop() {
    usual.close();
  }

  @Test
  void readsAPageByOneStatementThatJoinsEachTableOnce() {
    assertReads(usual, 1, 6);
  }

  /**
   * Farms, mills and companies of the page are ten each, in one region of one country, and five
   * varieties. A lazy page reads each of them, and the region and the country, by itself; with
   * eager references a farm brings its region and country.
   */
  @ParameterizedTest
  @CsvSource({"duplicate-joins, 1, 10", "lazy, 38, 4", "n-plus-1, 36, 4"})
  void readsTheSamePageInOtherWays(String fetch, long statements, long joins) {
    try (var market = started("market.fetch=" + fetch)) {
      assertReads(market, statements, joins);
      for (var path : ALIKE) {
        assertThat(market.get(path).body()).isEqualTo(usual.get(path).body());
      }
    }
  }

  private static void assertReads(Market market, long statements, long joins) {
    var seen = statistics(market);
    Statements.SEEN.clear();

    var page = market.get(PLACE);

    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(seen.getPrepareStatementCount()).isEqualTo(statements);
    assertThat(JOIN.matcher(Statements.SEEN.getFirst()).results().count()).isEqualTo(joins);
  }

  /** An inner join would lose them. */
  @Test
  void keepsBeansWithoutAFarmInUnfilteredPages() {
    assertThat(usual.get("/api/beans?pageNumber=0&pageSize=20").body())
        .contains("{\"id\":14,\"harvestYear\":2016");
  }

  @Test
  void readsDetailsInOneTransactionAndListsEachTime() {
    assertThat(usual.get(PLACE).body()).doesNotContain("availableQuantity");
    assertDetails(usual, 1);
    assertLists(usual, 4);
  }

  @Test
  void readsStockByPageDetailsApartAndListsOnce() {
    try (var market =
        started("market.details=page", "market.transaction=apart", "market.cache=lists")) {
      var seen = statistics(market);
      assertThat(market.get(PLACE).body()).contains("\"availableQuantity\":100,\"price\":21.00");
      assertThat(seen.getPrepareStatementCount()).isEqualTo(2);
      assertDetails(market, 2);
      assertLists(market, 2);
      assertForgetsListsAfterAChange(market);
    }
  }

  private static void assertDetails(Market market, long transactions) {
    var seen = statistics(market);

    assertThat(market.get("/api/beans/1").body()).contains("\"availableQuantity\":100");

    assertThat(seen.getPrepareStatementCount()).isEqualTo(2);
    assertThat(seen.getTransactionCount()).isEqualTo(transactions);
  }

  private static void assertLists(Market market, long statements) {
    var seen = statistics(market);
    for (int i = 0; i < 2; i++) {
      assertThat(market.get("/api/beans/countries").body()).contains("Mexico");
      assertThat(market.get("/api/beans/regions?countryName=Mexico").body()).contains("veracruz");
    }

    assertThat(seen.getPrepareStatementCount()).isEqualTo(statements);
  }

  private static void assertForgetsListsAfterAChange(Market market) {
    var added = market.post("/api/beans/countries", "{\"name\":\"Peru\"}");
    var path = added.headers().firstValue("Location").orElseThrow();

    assertThat(market.get("/api/beans/countries").body()).contains("Peru");
    assertThat(market.delete(path).statusCode()).isEqualTo(204);
    assertThat(market.get("/api/beans/countries").body()).doesNotContain("Peru");
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
