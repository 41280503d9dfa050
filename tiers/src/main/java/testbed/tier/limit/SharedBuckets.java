package testbed.tier.limit;

import com.zaxxer.hikari.HikariDataSource;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketExceptions;
import io.github.bucket4j.TimeMeter;
import io.github.bucket4j.distributed.proxy.ClientSideConfig;
import io.github.bucket4j.distributed.proxy.generic.select_for_update.AbstractSelectForUpdateBasedProxyManager;
import io.github.bucket4j.distributed.proxy.generic.select_for_update.LockAndGetResult;
import io.github.bucket4j.distributed.proxy.generic.select_for_update.SelectForUpdateBasedTransaction;
import io.github.bucket4j.distributed.remote.RemoteBucketState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import org.flywaydb.core.Flyway;

/**
 * Buckets as rows of a table in PostgreSQL. A row is locked while its bucket is used. A row whose
 * hour has ended counts as none; whoever begins an hour deletes such rows.
 */
final class SharedBuckets extends AbstractSelectForUpdateBasedProxyManager<String>
    implements Buckets {

  /** Until the database answers at the start, one second more each time. */
  private static final int CONNECT_RETRIES = 10;

  private static final int CONNECTIONS = 5;
  private static final Duration ACQUIRE = Duration.ofSeconds(2);

  /**
   * Milliseconds: the longest wait for a row, and the longest statement. A crash of the database
   * may forget the last requests, which is cheaper than a write to disk for each.
   */
  private static final String OPTIONS =
      "-c lock_timeout=1500 -c statement_timeout=3000 -c synchronous_commit=off";

  private static final String LOCK =
      "select state from limits.bucket where client = ? and ends_at > ? for update";
  private static final String BEGIN =
      """
      insert into limits.bucket (client, ends_at) values (?, ?) on conflict (client)
      do update set state = null, ends_at = excluded.ends_at where bucket.ends_at <= ?""";
  private static final String FORGET =
      """
      delete from limits.bucket where client in
      (select client from limits.bucket where ends_at <= ? for update skip locked)""";
  private static final String UPDATE = "update limits.bucket set state = ? where client = ?";
  private static final String REMOVE = "delete from limits.bucket where client = ?";

  private final HikariDataSource pool;

  /** With the newest schema. */
  SharedBuckets(LimitSettings.Location database, TimeMeter clock) {
    super(ClientSideConfig.getDefault().withClientClock(clock));
    Flyway.configure()
        .dataSource(database.url(), database.user(), database.password())
        .connectRetries(CONNECT_RETRIES)
        .connectRetriesInterval(1)
        .defaultSchema("limits")
        .locations("classpath:db/limits")
        .load()
        .migrate();
    this.pool = new HikariDataSource();
    pool.setPoolName("limits");
    pool.setJdbcUrl(database.url());
    pool.setUsername(database.user());
    pool.setPassword(database.password());
    pool.setAutoCommit(false);
    pool.setMaximumPoolSize(CONNECTIONS);
    pool.setConnectionTimeout(ACQUIRE.toMillis());
    pool.addDataSourceProperty("options", OPTIONS);
    // Seconds.
    pool.addDataSourceProperty("connectTimeout", "1");
    pool.addDataSourceProperty("socketTimeout", "4");
  }

  @Override
  public Bucket of(String client) {
    return builder().build(client, () -> CONFIGURATION);
  }

  @Override
  public boolean areShared() {
    return true;
  }

  @Override
  protected SelectForUpdateBasedTransaction allocateTransaction(
      String client, Optional<Long> timeout) {
    return new Transaction(client, executed(pool::getConnection));
  }

  @Override
  public void removeProxy(String client) {
    run(
        () -> {
          try (var connection = pool.getConnection();
              var statement = connection.prepareStatement(REMOVE)) {
            statement.setString(1, client);
            statement.executeUpdate();
            connection.commit();
          }
        });
  }

  @Override
  public void close() {
    pool.close();
  }

  private OffsetDateTime now() {
    return Instant.EPOCH.plusNanos(currentTimeNanos()).atOffset(ZoneOffset.UTC);
  }

  @FunctionalInterface
  private interface Work<T> {
    T execute() throws SQLException;
  }

  private static <T> T executed(Work<T> work) {
    try {
      return work.execute();
    } catch (SQLException failure) {
      throw new BucketExceptions.BucketExecutionException(failure);
    }
  }

  @FunctionalInterface
  private interface Action {
    void run() throws SQLException;
  }

  private static void run(Action action) {
    executed(
        () -> {
          action.run();
          return true;
        });
  }

  /** On one row. The connection has begun a transaction by itself. */
  private final class Transaction implements SelectForUpdateBasedTransaction {

    private final String client;
    private final Connection connection;

    Transaction(String client, Connection connection) {
      this.client = client;
      this.connection = connection;
    }

    @Override
    public void begin(Optional<Long> timeout) {}

    @Override
    public LockAndGetResult tryLockAndGet(Optional<Long> timeout) {
      return executed(
          () -> {
            try (var statement = prepared(LOCK)) {
              statement.setString(1, client);
              statement.setObject(2, now());
              try (var rows = statement.executeQuery()) {
                return rows.next()
                    ? LockAndGetResult.locked(rows.getBytes(1))
                    : LockAndGetResult.notLocked();
              }
            }
          });
    }

    @Override
    public boolean tryInsertEmptyData(Optional<Long> timeout) {
      return executed(
          () -> {
            var now = now();
            try (var begin = prepared(BEGIN);
                var forget = prepared(FORGET)) {
              begin.setString(1, client);
              begin.setObject(2, now.plus(HOUR));
              begin.setObject(3, now);
              if (begin.executeUpdate() == 0) {
                return false;
              }
              forget.setObject(1, now);
              forget.executeUpdate();
              return true;
            }
          });
    }

    @Override
    public void update(byte[] state, RemoteBucketState bucket, Optional<Long> timeout) {
      run(
          () -> {
            try (var statement = prepared(UPDATE)) {
              statement.setBytes(1, state);
              statement.setString(2, client);
              statement.executeUpdate();
            }
          });
    }

    private PreparedStatement prepared(String sql) throws SQLException {
      return connection.prepareStatement(sql);
    }

    @Override
    public void commit(Optional<Long> timeout) {
      run(connection::commit);
    }

    @Override
    public void rollback() {
      run(connection::rollback);
    }

    @Override
    public void release() {
      run(connection::close);
    }
  }
}
