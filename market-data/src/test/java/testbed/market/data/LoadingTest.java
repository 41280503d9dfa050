package testbed.market.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class LoadingTest {

  private static EmbeddedPostgres server;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(2)).start();
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  private static Connection connected(String schema) throws SQLException {
    var connection = server.getPostgresDatabase().getConnection();
    connection
        .createStatement()
        .execute(
            "create schema %1$s; create table %1$s.farm (id int primary key, name text, altitude int)"
                .formatted(schema));
    return connection;
  }

  private static List<Table> farms(Object... values) {
    return List.of(
        new Table("farm", List.of("id", "name", "altitude"), Stream.of(Arrays.asList(values))));
  }

  private static List<String> names(Connection connection, String schema) throws SQLException {
    try (var rows =
        connection
            .createStatement()
            .executeQuery("select name || coalesce(altitude, -1) from %s.farm".formatted(schema))) {
      var names = new ArrayList<String>();
      while (rows.next()) {
        names.add(rows.getString(1));
      }
      return names;
    }
  }

  @Test
  void keepsEveryCharacterAndNulls() throws SQLException {
    var name = "Finca \"O'Higgins\" 100%_\\N \\. Ñandú \t\n\r 😀";
    try (var connection = connected("characters")) {
      Loading.load(connection, "characters", farms(1, name, null));

      assertThat(names(connection, "characters")).containsExactly(name + "-1");
      assertThat(connection.getAutoCommit()).isTrue();
    }
  }

  @Test
  void leavesTablesThatHaveRowsAlone() throws SQLException {
    try (var connection = connected("filled")) {
      Loading.load(connection, "filled", farms(1, "first", 7));
      Loading.load(connection, "filled", farms(2, "second", 7));

      assertThat(names(connection, "filled")).containsExactly("first7");
    }
  }

  @Test
  void loadsNothingIfARowDoesNotFit() throws SQLException {
    try (var connection = connected("broken")) {
      assertThatExceptionOfType(SQLException.class)
          .isThrownBy(() -> Loading.load(connection, "broken", farms("one", "first", 7)))
          .withMessageContaining("integer");

      assertThat(names(connection, "broken")).isEmpty();
    }
  }

  @Test
  void loadsNothingIfTheRowsEndInAnError() throws SQLException {
    Stream<List<Object>> rows =
        Stream.of(1, 2)
            .map(
                id -> {
                  if (id == 2) {
                    throw new OutOfMemoryError("on purpose");
                  }
                  return Arrays.<Object>asList(id, "first", 7);
                });
    var farms = List.of(new Table("farm", List.of("id", "name", "altitude"), rows));
    try (var connection = connected("ended")) {
      assertThatExceptionOfType(OutOfMemoryError.class)
          .isThrownBy(() -> Loading.load(connection, "ended", farms));

      assertThat(names(connection, "ended")).isEmpty();
      assertThat(connection.getAutoCommit()).isTrue();
    }
  }
}
