package testbed.tier.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import testbed.contracts.ProblemType;
import testbed.tier.token.Tier;

class SharedBucketsTest extends TierLimitsContract {

  private static EmbeddedPostgres server;

  @BeforeAll
  static void startServer() throws IOException {
    server = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(2)).start();
  }

  @AfterAll
  static void stopServer() throws IOException {
    server.close();
  }

  @BeforeEach
  void forget() throws SQLException {
    sql("delete from limits.bucket");
  }

  @Override
  Buckets buckets() {
    return buckets(clock);
  }

  private static SharedBuckets buckets(SetClock clock) {
    return new SharedBuckets(
        new LimitSettings.Location(
            server.getJdbcUrl("postgres", "postgres"), "postgres", "postgres"),
        clock);
  }

  @Override
  long stored() {
    try (var connection = server.getPostgresDatabase().getConnection();
        var rows =
            connection.createStatement().executeQuery("select count(*) from limits.bucket")) {
      rows.next();
      return rows.getLong(1);
    } catch (SQLException failure) {
      throw new IllegalStateException(failure);
    }
  }

  @Test
  void areOfAllProcessesTogether() {
    try (var other = new TierLimits(buckets(clock))) {
      assertThat(passed("jane", Tier.BASIC, 30) + passed(other, "jane", Tier.BASIC, 30))
          .isEqualTo(50);
      clock.pass(HOUR);
      assertThat(passed(other, "jane", Tier.BASIC, 60) + passed("jane", Tier.BASIC, 60))
          .isEqualTo(50);
    }
  }

  @Test
  void outliveTheirProcess() {
    passed("jane", Tier.BASIC, 50);
    limits.close();
    start();

    assertThat(passed("jane", Tier.BASIC, 1)).isZero();
  }

  @Test
  void areUsableAgainIfARowWasLeftEmpty() throws SQLException {
    sql("insert into limits.bucket values ('jane', '2026-01-01T00:01:00Z')");
    assertThat(passed("jane", Tier.BASIC, 60)).isEqualTo(50);
  }

  @Test
  void canBeRemoved() {
    try (var buckets = buckets(clock)) {
      passed("jane", Tier.BASIC, 50);
      passed("john", Tier.BASIC, 50);
      buckets.removeProxy("jane");
    }

    assertThat(passed("jane", Tier.BASIC, 60)).isEqualTo(50);
    assertThat(passed("john", Tier.BASIC, 1)).isZero();
  }

  @Test
  void refuseWhileTheyCannotBeCounted() throws SQLException {
    sql("alter table limits.bucket rename to away");
    try {
      assertThat(limits.refusal("jane", Tier.BASIC))
          .hasValueSatisfying(
              refusal -> {
                assertThat(refusal.type()).isEqualTo(ProblemType.UNAVAILABLE);
                assertThat(refusal.retryAfter()).contains(Duration.ofSeconds(1));
              });
    } finally {
      sql("alter table limits.away rename to bucket");
    }
    assertThat(limits.refusal("jane", Tier.BASIC)).isEmpty();
  }

  private static void sql(String statement) throws SQLException {
    try (var connection = server.getPostgresDatabase().getConnection()) {
      connection.createStatement().execute(statement);
    }
  }
}
