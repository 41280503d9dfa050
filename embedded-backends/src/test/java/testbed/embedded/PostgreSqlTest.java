package testbed.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PostgreSqlTest {

  @TempDir private static Path folder;

  private static EmbeddedBackends backends;
  private static int port;

  @BeforeAll
  static void start() {
    backends =
        EmbeddedBackends.start(settings("0", Map.of("EMBEDDED_POSTGRESQL_DATABASES", "a, b_2")));
    port = backends.postgreSql().orElseThrow().port();
  }

  @AfterAll
  static void stop() {
    backends.close();

    assertThat(folder.resolve("data-" + port)).doesNotExist();
  }

  private static Map<String, String> settings(String port, Map<String, String> further) {
    var settings = new HashMap<>(further);
    settings.put("EMBEDDED_MONGODB_PORT", "off");
    settings.put("EMBEDDED_AMQP_PORT", "off");
    settings.put("EMBEDDED_POSTGRESQL_PORT", port);
    settings.put("EMBEDDED_POSTGRESQL_FOLDER", folder.toString());
    return settings;
  }

  private static Connection connected(int port, String database) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:%d/%s".formatted(port, database), PostgreSql.USER, "any");
  }

  private static String asked(Connection connection, String query) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getString(1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "fsync, on",
    "synchronous_commit, on",
    "full_page_writes, on",
    "max_connections, 200"
  })
  void answersACommitWhenItIsOnDisk(String setting, String value) throws SQLException {
    try (var connection = connected(port, "a")) {
      assertThat(asked(connection, "show " + setting)).isEqualTo(value);
    }
  }

  @Test
  void hasTheDatabasesOfItsSettingsAndSortsByCodePoints() throws SQLException {
    try (var connection = connected(port, "b_2")) {
      assertThat(
              asked(
                  connection,
                  "select string_agg(name, '' order by name) from unnest('{b,é,B,_}'::text[]) name"))
          .isEqualTo("B_bé");
    }
  }

  @Test
  void namesThePortThatIsInUse() throws IOException {
    try (var taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      var number = String.valueOf(taken.getLocalPort());

      assertThatExceptionOfType(CannotStart.class)
          .isThrownBy(() -> EmbeddedBackends.start(settings(number, Map.of())))
          .withMessageContainingAll(
              "PostgreSQL", "127.0.0.1:" + number, "EMBEDDED_POSTGRESQL_PORT");
    }
  }

  @Test
  void keepsTheDataOfAFolderThatIsNamed(@TempDir Path other) throws SQLException {
    var data = Map.of("EMBEDDED_POSTGRESQL_DATA", other.resolve("data").toString());
    try (var first = EmbeddedBackends.start(settings("0", data));
        var connection = connected(first.postgreSql().orElseThrow().port(), PostgreSql.USER)) {
      connection.createStatement().execute("create table kept as select 42 as number");
    }
    try (var second = EmbeddedBackends.start(settings("0", data));
        var connection = connected(second.postgreSql().orElseThrow().port(), PostgreSql.USER)) {
      assertThat(asked(connection, "select number from kept")).isEqualTo("42");
    }
  }

  @Test
  void leavesNeitherProcessesNorFilesBehindWhenItIsKilled(@TempDir Path temporary)
      throws Exception {
    int free = Ports.free("a test", "127.0.0.1", 0, "no setting");
    var java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-Djava.io.tmpdir=" + temporary,
                "--enable-native-access=ALL-UNNAMED",
                EmbeddedBackends.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("killed.log").toFile());
    java.environment().putAll(settings(String.valueOf(free), Map.of()));
    java.environment().remove("EMBEDDED_POSTGRESQL_FOLDER");
    var process = java.start();
    await().atMost(Duration.ofMinutes(1)).until(() -> !process.isAlive() || accepts(free));
    assertThat(process.isAlive()).as(Files.readString(folder.resolve("killed.log"))).isTrue();
    // The port is open before the server has started up.
    var connection =
        await()
            .atMost(Duration.ofMinutes(1))
            .ignoreExceptions()
            .until(() -> connected(free, PostgreSql.USER), Objects::nonNull);
    var descendants = process.descendants().toList();
    // The server, the process of this connection, and the guard at least.
    assertThat(descendants).hasSizeGreaterThan(3);

    process.destroyForcibly();

    await().until(() -> descendants.stream().noneMatch(ProcessHandle::isAlive));
    await().untilAsserted(() -> assertThat(temporary).isEmptyDirectory());
    assertThat(accepts(free)).isFalse();
    assertThatExceptionOfType(SQLException.class).isThrownBy(() -> asked(connection, "select 1"));
  }

  @Test
  void endsWithItsServer() throws Exception {
    try (var ending = EmbeddedBackends.start(settings("0", Map.of()))) {
      var server = ending.postgreSql().orElseThrow();
      var pid =
          Long.parseLong(
              Files.readAllLines(
                      folder.resolve("data-%d".formatted(server.port())).resolve("postmaster.pid"))
                  .getFirst());

      ProcessHandle.of(pid).orElseThrow().destroyForcibly();

      assertThat(server.ended()).succeedsWithin(Duration.ofMinutes(1));
    }
  }

  private static boolean accepts(int port) {
    try (var socket = new Socket("127.0.0.1", port)) {
      return socket.isConnected();
    } catch (IOException refused) {
      return false;
    }
  }
}
