package testbed.market.clients;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import testbed.market.database.Database;

/** How many clients there were on each day of ten years, by subscription. */
class GrowthReport {

  static final int DAYS = 3_652;

  private final Database database;

  GrowthReport(Database database) {
    this.database = database;
  }

  /** A line for each day, the oldest first, under a line with the names of columns. */
  String csv() {
    var joined = joined().iterator();
    var csv = new StringBuilder("day,basic,premium\n");
    long basic = 0;
    long premium = 0;
    var next = joined.hasNext() ? joined.next() : null;
    var today = LocalDate.now(ZoneOffset.UTC);
    for (var day = today.minusDays(DAYS - 1); !day.isAfter(today); day = day.plusDays(1)) {
      while (next != null && next.day <= day.toEpochDay()) {
        basic += next.basic;
        premium += next.premium;
        next = joined.hasNext() ? joined.next() : null;
      }
      csv.append(day).append(',').append(basic).append(',').append(premium).append('\n');
    }
    return csv.toString();
  }

  private List<Joined> joined() {
    return database.read(
        entities ->
            entities
                .createNativeQuery(
                    """
                    select cast(since at time zone 'UTC' as date) - date '1970-01-01' as day,
                      count(*) filter (where subscription_type = 'BASIC') as basic,
                      count(*) filter (where subscription_type = 'PREMIUM') as premium
                    from clients.client where state = 'ACTIVE' group by day order by day
                    """,
                    Joined.class)
                .getResultList());
  }

  /**
   * Who joined on a day.
   *
   * @param day since 1970
   */
  private record Joined(int day, long basic, long premium) {}
}
