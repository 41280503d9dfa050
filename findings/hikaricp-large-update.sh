#!/usr/bin/env bash
# HikariCP 7.0.2, on H2 2.4.240.
# Guess: a connection that goes back to the pool in the middle of a transaction is taken back, whatever wrote: a row of
# executeLargeUpdate or executeLargeBatch (JDBC 4.2, counts as long) as one of executeUpdate.
# What happens: the pool does not notice these two, and takes back nothing. It sets auto-commit to true again, which by
# JDBC commits: the rows are there. Where the pool's connections have auto-commit off, the transaction stays open, and
# the next that borrows the connection commits them with its own.
# Why it matters: an exception between a write and its commit leaves half of an order. A test with a plain connection
# does not show it, nor does one that uses executeUpdate.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries com.zaxxer:HikariCP:7.0.2 com.h2database:h2:2.4.240 org.slf4j:slf4j-nop:2.0.17

cat > LargeUpdate.java <<'END'
import com.zaxxer.hikari.*;
import java.sql.*;

public class LargeUpdate extends Finding {

  interface Write {
    void to(PreparedStatement statement) throws SQLException;
  }

  /** The rows, after a transaction that wrote one was closed without a commit, and another committed nothing. */
  static int rows(boolean autoCommit, Write write) throws SQLException {
    var settings = new HikariConfig();
    settings.setJdbcUrl("jdbc:h2:mem:finding");
    settings.setMaximumPoolSize(1);
    settings.setAutoCommit(autoCommit);
    try (var pool = new HikariDataSource(settings)) {
      try (var connection = pool.getConnection();
          var statement = connection.createStatement()) {
        statement.execute("create table orders (id int)");
        if (!autoCommit) {
          connection.commit();
        }
      }
      try (var connection = pool.getConnection()) {
        connection.setAutoCommit(false);
        try (var statement = connection.prepareStatement("insert into orders values (1)")) {
          write.to(statement);
        }
      }
      try (var connection = pool.getConnection()) {
        connection.setAutoCommit(false);
        connection.commit();
      }
      try (var connection = pool.getConnection();
          var statement = connection.createStatement();
          var row = statement.executeQuery("select count(*) from orders")) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  public static void main(String[] arguments) throws SQLException {
    for (var autoCommit : new boolean[] {true, false}) {
      var update = rows(autoCommit, PreparedStatement::executeUpdate);
      var largeUpdate = rows(autoCommit, PreparedStatement::executeLargeUpdate);
      var largeBatch =
          rows(
              autoCommit,
              statement -> {
                statement.addBatch();
                statement.executeLargeBatch();
              });
      System.out.printf(
          "pool with auto-commit %s, closed without a commit: executeUpdate leaves %d rows, "
              + "executeLargeUpdate %d, executeLargeBatch %d%n",
          autoCommit ? "on" : "off", update, largeUpdate, largeBatch);
      expect(update == 0, "a row of executeUpdate is taken back");
      expect(largeUpdate == 1, "a row of executeLargeUpdate stays");
      expect(largeBatch == 1, "a row of executeLargeBatch stays");
    }
  }
}
END
run_java LargeUpdate
