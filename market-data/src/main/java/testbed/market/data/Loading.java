package testbed.market.data;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.PGCopyOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Copies data into tables that are empty. */
public final class Loading {

  private static final Logger log = LoggerFactory.getLogger(Loading.class);

  /** Several instances may start at once; one of them loads. */
  private static final long LOCK = 0x6d61726b6574L;

  private Loading() {}

  /**
   * Loads tables of a schema in one transaction, unless the first of them has rows.
   *
   * @param connection ends as it was, without a transaction
   * @throws SQLException if a table is missing or does not take a row; then nothing is loaded
   */
  public static void load(Connection connection, String schema, List<Table> tables)
      throws SQLException {
    var committed = connection.getAutoCommit();
    var done = false;
    connection.setAutoCommit(false);
    try {
      lock(connection);
      if (!hasRows(connection, "%s.%s".formatted(schema, tables.getFirst().name()))) {
        for (var table : tables) {
          var count = copy(connection.unwrap(PGConnection.class), schema, table);
          log.info("Loaded {} rows into {}.{}", count, schema, table.name());
        }
        analyze(connection, schema, tables);
      }
      connection.commit();
      done = true;
    } finally {
      // Whatever failed, an error too: auto-commit would commit what is there.
      if (!done) {
        connection.rollback();
      }
      connection.setAutoCommit(committed);
    }
  }

  private static void lock(Connection connection) throws SQLException {
    // Of a service, these are short.
    try (var statement = connection.createStatement()) {
      statement.execute("set local lock_timeout = 0");
      statement.execute("set local statement_timeout = 0");
    }
    try (var statement = connection.prepareStatement("select pg_advisory_xact_lock(?)")) {
      statement.setLong(1, LOCK);
      statement.execute();
    }
  }

  private static boolean hasRows(Connection connection, String table) throws SQLException {
    try (var statement = connection.createStatement();
        var row = statement.executeQuery("select exists (select from %s)".formatted(table))) {
      row.next();
      return row.getBoolean(1);
    }
  }

  private static long copy(PGConnection connection, String schema, Table table)
      throws SQLException {
    var statement =
        "copy %s.%s (%s) from stdin"
            .formatted(schema, table.name(), String.join(", ", table.columns()));
    try (var bytes = new PGCopyOutputStream(connection, statement);
        var writer = new BufferedWriter(new OutputStreamWriter(bytes, StandardCharsets.UTF_8))) {
      long count = 0;
      for (var rows = table.rows().iterator(); rows.hasNext(); count++) {
        write(rows.next().iterator(), writer);
      }
      return count;
    } catch (IOException refused) {
      if (refused.getCause() instanceof SQLException reason) {
        throw reason;
      }
      throw new SQLException(refused);
    }
  }

  /** Writes a row in the text format of COPY. */
  private static void write(Iterator<@Nullable Object> values, Writer writer) throws IOException {
    while (values.hasNext()) {
      var value = values.next();
      if (value == null) {
        writer.write("\\N");
      } else {
        writer.write(
            value
                .toString()
                .replace("\\", "\\\\")
                .replace("\t", "\\t")
                .replace("\n", "\\n")
                .replace("\r", "\\r"));
      }
      writer.write(values.hasNext() ? '\t' : '\n');
    }
  }

  /** Without it the first plans would be made for tables of an unknown size. */
  private static void analyze(Connection connection, String schema, List<Table> tables)
      throws SQLException {
    try (var statement = connection.createStatement()) {
      for (var table : tables) {
        statement.execute("analyze %s.%s".formatted(schema, table.name()));
      }
    }
  }
}
