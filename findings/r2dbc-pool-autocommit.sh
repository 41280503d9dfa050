#!/usr/bin/env bash
# r2dbc-pool 1.0.2, with r2dbc-h2 1.1.0 and H2 2.4.240.
# Guess: a connection goes back to the pool as it came: what was not committed is taken back, and auto-commit is on
# again, as HikariCP does.
# What happens: the pool takes back only what beginTransaction() began. After setAutoCommit(false) close() leaves the
# transaction open, and auto-commit off: PooledConnection takes no note of setAutoCommit. The next that borrows the
# connection inserts a row without a transaction, and it is not stored; the one after that commits all three rows, or
# takes back all three.
# Why it matters: an error between the first insert and its commit stores half an order later, or loses the rows of
# other requests that had been answered. A pool with a single connection in use shows it at once, a test that opens a
# connection for each case never.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries io.r2dbc:r2dbc-pool:1.0.2.RELEASE io.r2dbc:r2dbc-h2:1.1.0.RELEASE com.h2database:h2:2.4.240 \
  org.slf4j:slf4j-nop:2.0.17

cat > AutoCommit.java <<'END'
import io.r2dbc.h2.*;
import io.r2dbc.pool.*;
import io.r2dbc.spi.*;
import java.util.List;
import org.reactivestreams.Publisher;
import reactor.core.publisher.*;

public class AutoCommit extends Finding {

  static final ConnectionFactory database =
      new H2ConnectionFactory(
          H2ConnectionConfiguration.builder().inMemory("orders").option("DB_CLOSE_DELAY=-1").build());
  static final ConnectionPool pool =
      new ConnectionPool(ConnectionPoolConfiguration.builder(database).initialSize(1).maxSize(1).build());

  static <T> T await(Publisher<T> publisher) {
    return Mono.from(publisher).block();
  }

  static void write(Connection connection, String statement) {
    Flux.from(connection.createStatement(statement).execute()).flatMap(Result::getRowsUpdated).blockLast();
  }

  /** The rows that another connection, beside the pool, sees. */
  static List<Object> stored() {
    var connection = await(database.create());
    var rows =
        Flux.from(connection.createStatement("select id from orders order by id").execute())
            .flatMap(result -> result.map((row, metadata) -> row.get(0)))
            .collectList()
            .block();
    await(connection.close());
    return rows;
  }

  /** Borrows the connection for a transaction of its own. */
  static List<Object> afterTransaction(int id, boolean commit) {
    var connection = await(pool.create());
    await(connection.beginTransaction());
    write(connection, "insert into orders values (" + id + ")");
    await(commit ? connection.commitTransaction() : connection.rollbackTransaction());
    await(connection.close());
    return stored();
  }

  /** A transaction without an end, and an insert by the next borrower without a transaction. */
  static void twoBorrowers() {
    var failing = await(pool.create());
    await(failing.setAutoCommit(false));
    write(failing, "insert into orders values (1)");
    await(failing.close());

    var next = await(pool.create());
    var autoCommit = next.isAutoCommit();
    write(next, "insert into orders values (2)");
    await(next.close());
    System.out.printf("the next borrower has auto-commit %s; after its insert stored: %s%n", autoCommit, stored());
    expect(!autoCommit, "auto-commit stays off");
    expect(stored().isEmpty(), "the next borrower's row is not stored");
  }

  public static void main(String[] arguments) {
    var setup = await(database.create());
    write(setup, "create table orders (id int)");
    twoBorrowers();
    var taken = afterTransaction(3, false);
    System.out.println("stored after a third has rolled its transaction back: " + taken);
    twoBorrowers();
    var committed = afterTransaction(3, true);
    System.out.println("stored after a third has committed its transaction: " + committed);
    expect(taken.isEmpty(), "a rollback takes the row of the second");
    expect(committed.equals(List.of(1, 2, 3)), "a commit stores the rows of all three");
  }
}
END
run_java AutoCommit
