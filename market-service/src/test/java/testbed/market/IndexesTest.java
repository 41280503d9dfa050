package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A database may be used with one set of indexes after another. */
class IndexesTest {

  private static final List<String> NAMES =
      List.of(
          "company_name",
          "country_name",
          "farm_name_region_id",
          "mill_name_region_id",
          "region_name_country_id",
          "variety_name");
  private static final List<String> REFERENCES =
      List.of(
          "bean_company_id",
          "bean_farm_id",
          "bean_mill_id",
          "bean_variety_id",
          "farm_region_id",
          "mill_region_id",
          "region_country_id");

  @Test
  void followTheSetting() {
    var database = Postgres.database();
    assertThat(after("seed", database)).containsExactlyInAnyOrderElementsOf(NAMES);
    assertThat(after("foreign-keys", database))
        .containsAll(NAMES)
        .containsAll(REFERENCES)
        .hasSize(NAMES.size() + REFERENCES.size());
    assertThat(after("none", database)).isEmpty();
    assertThat(after("seed", database)).containsExactlyInAnyOrderElementsOf(NAMES);
  }

  /** But those of primary keys. */
  private static List<String> after(String indexes, Postgres.Database database) {
    try (var market = Market.on(database, "market.indexes=" + indexes)) {
      return database
          .sql()
          .sql(
              """
              select indexname from pg_indexes
              where schemaname = 'beans' and tablename not like 'flyway%'
                and indexname not like '%_pkey'
              """)
          .query(String.class)
          .list();
    }
  }
}
