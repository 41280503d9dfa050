package testbed.market;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/** A PostgreSQL server for all tests of this JVM: each takes databases of its own. */
final class Postgres {

  private static final AtomicInteger DATABASES = new AtomicInteger();
  private static final EmbeddedPostgres SERVER = started();

  private Postgres() {}

  private static EmbeddedPostgres started() {
    try {
      // The library switches both off.
      return EmbeddedPostgres.builder()
          .setPGStartupWait(Duration.ofMinutes(2))
          .setServerConfig("fsync", "on")
          .setServerConfig("synchronous_commit", "on")
          .start();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** A new, empty database. */
  static Database database() {
    var name = "market" + DATABASES.incrementAndGet();
    JdbcClient.create(SERVER.getPostgresDatabase()).sql("create database " + name).update();
    return new Database(SERVER.getJdbcUrl("postgres", name), SERVER.getDatabase("postgres", name));
  }

  /** One database of the server. */
  record Database(String url, DataSource source) {

    JdbcClient sql() {
      return JdbcClient.create(source);
    }

    void run(String script) {
      try (var connection = source.getConnection()) {
        ScriptUtils.executeSqlScript(connection, new ClassPathResource(script));
      } catch (SQLException failure) {
        throw new IllegalStateException(failure);
      }
    }
  }
}
