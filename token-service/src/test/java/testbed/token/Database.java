package testbed.token;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A PostgreSQL server of one test class. */
final class Database implements AutoCloseable {

  private final EmbeddedPostgres server;

  Database() {
    try {
      server = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(2)).start();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  String url() {
    return server.getJdbcUrl("postgres", "postgres");
  }

  JdbcClient sql() {
    return JdbcClient.create(server.getPostgresDatabase());
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
