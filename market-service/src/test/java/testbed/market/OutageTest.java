package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import testbed.contracts.ProblemType;

/** While the database is away, requests get 503; afterwards all goes on by itself. */
class OutageTest {

  private static final String ORDERS = "/api/inventory/orders";
  private static final String ORDER = "[{\"beanId\":1,\"quantity\":1}]";

  private Postgres.Database database;

  @BeforeEach
  void create() {
    database = Postgres.database();
  }

  @Test
  void refusesWhileAllConnectionsAreTaken() throws Exception {
    try (var market = impatient("spring.datasource.hikari.maximum-pool-size=2")) {
      var pool = market.bean(HikariDataSource.class);
      var taken = new ArrayList<Connection>();
      for (int i = 0; i < 2; i++) {
        taken.add(pool.getConnection());
      }
      assertAway(market.get("/api/beans/countries"));
      assertAway(market.post(ORDERS, ORDER));
      for (var connection : taken) {
        connection.close();
      }

      await().until(() -> market.get("/api/beans/countries").statusCode() == 200);
    }
  }

  @Test
  void refusesWhileARowIsLocked() throws Exception {
    try (var market =
            started(
                "spring.datasource.hikari.data-source-properties.options=-c lock_timeout=1500");
        var other = database.source().getConnection()) {
      other.setAutoCommit(false);
      try (var lock = other.createStatement()) {
        lock.execute("select * from inventory.stock where bean_id = 1 for update");
        assertAway(market.post(ORDERS, ORDER));
        other.rollback();
      }

      assertThat(market.post(ORDERS, ORDER).statusCode()).isEqualTo(201);
      assertThat(quantity()).isEqualTo(99);
    }
  }

  /** The database takes one of two transactions back; it is tried again. */
  @Test
  void triesAgainAfterADeadlock() throws Exception {
    try (var market = started();
        var other = database.source().getConnection()) {
      other.setAutoCommit(false);
      try (var lock = other.createStatement()) {
        // So that the market's transaction is the one that is taken back.
        lock.execute("set deadlock_timeout = '1h'");
        lock.execute("select * from inventory.stock where bean_id = 2 for update");
        var order =
            CompletableFuture.supplyAsync(
                () ->
                    market.post(
                        ORDERS, "[{\"beanId\":1,\"quantity\":1},{\"beanId\":2,\"quantity\":1}]"));
        await().until(this::someoneWaits);
        lock.execute("select * from inventory.stock where bean_id = 1 for update");
        other.rollback();

        assertThat(order.get().statusCode()).isEqualTo(201);
        assertThat(quantity()).isEqualTo(99);
      }
    }
  }

  private boolean someoneWaits() {
    return database
            .sql()
            .sql("select count(*) from pg_stat_activity where wait_event_type = 'Lock'")
            .query(Long.class)
            .single()
        > 0;
  }

  @Test
  void refusesWhenItsConnectionIsKilledAndTakesAnother() {
    try (var market = impatient("spring.datasource.hikari.maximum-pool-size=1")) {
      await().until(() -> market.get("/api/beans/countries").statusCode() == 200);
      database
          .sql()
          .sql(
              """
              select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and pid <> pg_backend_pid()
              """)
          .query(Boolean.class)
          .list();

      var answer = market.post(ORDERS, ORDER);
      if (answer.statusCode() != 201) {
        // The pool has not noticed that the connection is gone.
        assertAway(answer);
      }
      await().until(() -> market.post(ORDERS, ORDER).statusCode() == 201);
    }
  }

  @Test
  void refusesWhileTheServerIsStoppedAndGoesOnAfterwards(@TempDir Path data) throws Exception {
    var server = server(data);
    try (var first = server.setCleanDataDirectory(false).start()) {
      int port = first.getPort();
      try (var market =
          Market.started(
              "market.db.url=" + first.getJdbcUrl("postgres", "postgres"),
              "spring.datasource.hikari.connection-timeout=250")) {
        var stocked = new Postgres.Database("", first.getPostgresDatabase());
        stocked.run("stock.sql");
        // On a busy machine the pool's time may be too short for a connection.
        await().until(() -> market.post(ORDERS, ORDER).statusCode() == 201);
        first.close();
        // On a busy machine it is still stopping then.
        await().until(() -> !accepts(port));

        assertAway(market.get("/api/beans/countries"));
        assertAway(market.get("/api/beans/1"));
        assertAway(market.post(ORDERS, ORDER));
        assertThat(market.management("/actuator/health/readiness")).contains("DOWN");
        assertThat(market.management("/actuator/health/liveness")).contains("UP");

        try (var second = server(data).setCleanDataDirectory(false).setPort(port).start()) {
          assertThat(second.getPort()).isEqualTo(port);
          await().until(() -> market.post(ORDERS, ORDER).statusCode() == 201);
          await().until(() -> market.management("/actuator/health/readiness").contains("UP"));
        }
      }
    }
  }

  /** A change whose answer was lost may have been stored. */
  @Test
  void forgetsListsAfterAChangeThatIsNotAnswered() {
    try (var market = started("market.cache=lists")) {
      var countries = "/api/beans/countries";
      assertThat(market.get(countries).body()).isEqualTo("[]");
      var sql = database.sql();
      sql.sql("insert into beans.country (name) values ('Peru')").update();
      assertThat(market.get(countries).body()).isEqualTo("[]");
      sql.sql(
              """
              create function lose() returns trigger language plpgsql as
              $$ begin raise exception 'lost' using errcode = '08006'; end $$
              """)
          .update();
      sql.sql(
              """
              create constraint trigger lose after insert on beans.country
              deferrable initially deferred for each row execute function lose()
              """)
          .update();

      assertThat(market.post(countries, "{\"name\":\"Cuba\"}").statusCode()).isEqualTo(504);
      assertThat(market.get(countries).body()).contains("Peru");
    }
  }

  private Market impatient(String... settings) {
    var all = new ArrayList<>(List.of(settings));
    // Milliseconds; as short as the pool allows.
    all.add("spring.datasource.hikari.connection-timeout=250");
    return started(all.toArray(String[]::new));
  }

  private static EmbeddedPostgres.Builder server(Path data) {
    return EmbeddedPostgres.builder()
        .setPGStartupWait(Duration.ofMinutes(2))
        .setDataDirectory(data.resolve("pg"));
  }

  private Market started(String... settings) {
    var market = Market.on(database, settings);
    database.run("stock.sql");
    return market;
  }

  private static boolean accepts(int port) {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException refused) {
      return false;
    }
  }

  private long quantity() {
    return database
        .sql()
        .sql("select quantity from inventory.stock where bean_id = 1")
        .query(Long.class)
        .single();
  }

  private static void assertAway(HttpResponse<String> answer) {
    assertThat(answer.body()).contains(ProblemType.UNAVAILABLE.uri().toString());
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
  }
}
