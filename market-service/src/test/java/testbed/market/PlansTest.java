package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * What the planner expects a full page of the largest region to cost, in its own unit, with each
 * set of indexes; and how it finds the beans. At scale 100 the beans are 100 times as many, the
 * regions too, and the page is the same.
 */
class PlansTest {

  private static final String PAGE =
      "/api/beans?countryName=Guatemala&regionName=Oriente&varietyType=ARABICA&pageNumber=0&pageSize=10";
  private static final List<Object> VALUES = List.of("Guatemala", "Oriente", "ARABICA", 0, 10);

  /** 300 times as many rows are sampled: all of the largest table, so that none is drawn. */
  private static final int STATISTICS = 500;

  private static final Pattern COST = Pattern.compile("^Limit .*cost=[\\d.]+\\.\\.([\\d.]+)");
  private static final Pattern BEANS = Pattern.compile("-> +(\\S.*) on bean ");

  private static final String WHOLE_TABLE = "Seq Scan";
  private static final String BY_FARM = "Index Scan using bean_farm_id";

  private record Plan(long cost, String beans) {}

  @ParameterizedTest
  @CsvSource({"1, 56, 18, 56", "10, 476, 19, 540", "100, 3783, 23, 5353"})
  void costsLittleWhereAnIndexLeadsFromFarmsToBeans(
      int scale, long seed, long foreignKeys, long none) throws SQLException {
    var database = Postgres.database();
    var statement = statementOfThePage(database, scale);
    // Costs depend on the number of pages. Loading leaves some empty, a busy machine others.
    database.sql().sql("vacuum full").update();
    try (var connection = database.source().getConnection()) {
      assertThat(
              List.of(
                  plan(connection, "seed", statement),
                  plan(connection, "foreign-keys", statement),
                  plan(connection, "none", statement)))
          .containsExactly(
              new Plan(seed, WHOLE_TABLE),
              new Plan(foreignKeys, BY_FARM),
              new Plan(none, WHOLE_TABLE));
    }
  }

  /** Loads the data of a scale. */
  private static String statementOfThePage(Postgres.Database database, int scale) {
    try (var market =
        Market.on(
            database,
            "market.scale=" + scale,
            "market.parts=beans",
            "market.inventory.url=http://localhost",
            "market.hibernate[hibernate.session_factory.statement_inspector]="
                + FetchTest.Statements.class.getName())) {
      FetchTest.Statements.SEEN.clear();
      assertThat(market.get(PAGE).body().split("\"id\":")).hasSize(11);
      return FetchTest.Statements.SEEN.getFirst();
    }
  }

  /** In one transaction, or the server might sample the tables by itself in between. */
  private static Plan plan(Connection connection, String indexes, String page) throws SQLException {
    connection.setAutoCommit(false);
    try (var statement = connection.createStatement()) {
      statement.execute("set local search_path = beans");
      statement.execute("set local default_statistics_target = " + STATISTICS);
      ScriptUtils.executeSqlScript(
          connection,
          new ClassPathResource("db/beans-indexes/%s/R__indexes.sql".formatted(indexes)));
      statement.execute("analyze country, region, farm, mill, company, variety, bean");
      var plan = explained(connection, page);
      return new Plan(Math.round(Double.parseDouble(matched(COST, plan))), matched(BEANS, plan));
    } finally {
      connection.rollback();
    }
  }

  private static String explained(Connection connection, String page) throws SQLException {
    try (var statement = connection.prepareStatement("explain " + page)) {
      for (int i = 0; i < VALUES.size(); i++) {
        statement.setObject(i + 1, VALUES.get(i));
      }
      var plan = new StringJoiner("\n");
      try (var lines = statement.executeQuery()) {
        while (lines.next()) {
          plan.add(lines.getString(1));
        }
      }
      return plan.toString();
    }
  }

  private static String matched(Pattern pattern, String plan) {
    var matcher = pattern.matcher(plan);
    assertThat(matcher.find()).as(plan).isTrue();
    return matcher.group(1);
  }
}
