package testbed.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL server. As a child of this process it ends with it, also where this one is killed. A
 * commit is on disk before it is answered.
 *
 * <p>Clients log in as postgres with any password.
 */
final class PostgreSql implements AutoCloseable {

  static final String USER = "postgres";

  private static final Logger log = LoggerFactory.getLogger(PostgreSql.class);

  private static final Duration TO_BE_READY = Duration.ofSeconds(60);
  private static final Duration TO_STOP = Duration.ofSeconds(20);
  private static final String READY = "database system is ready to accept connections";

  /** Sorts texts alike on each machine: by their code points. */
  private static final List<String> ORDER =
      List.of(
          "--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8");

  /**
   * Waits for the end of its input, which is that of this process, and then ends the server and
   * deletes its data. It ignores what ends the others with a word.
   */
  private static final String GUARD =
      """
      trap '' TERM INT HUP
      read -r _
      kill -QUIT "$1" 2>/dev/null
      tries=100
      while [ "$tries" -gt 0 ] && kill -0 "$1" 2>/dev/null; do sleep 0.1; tries=$((tries - 1)); done
      [ -z "$2" ] || rm -rf "$2"
      """;

  private final PostgreSqlPrograms programs;
  private final Process server;
  private final Process guard;
  private final Path data;
  private final List<Path> toDelete;
  private final int port;

  private PostgreSql(
      PostgreSqlPrograms programs,
      Process server,
      Process guard,
      Path data,
      List<Path> toDelete,
      int port) {
    this.programs = programs;
    this.server = server;
    this.guard = guard;
    this.data = data;
    this.toDelete = toDelete;
    this.port = port;
  }

  /**
   * Starts to listen.
   *
   * @throws CannotStart if the port is taken or the server does not start
   */
  static PostgreSql start(String address, int port, Settings.PostgreSqlFiles files) {
    var chosen = Ports.free("PostgreSQL", address, port, Settings.POSTGRESQL_PORT);
    var toDelete = new ArrayList<Path>();
    var folder =
        files
            .folder()
            .orElseGet(
                () -> {
                  var temporary = Folders.temporary("PostgreSQL");
                  toDelete.add(temporary);
                  return temporary;
                });
    var data = files.data().orElseGet(() -> folder.resolve("data-" + chosen));
    if (files.data().isEmpty()) {
      // Of a process that was killed together with its guard.
      Folders.delete(data);
      toDelete.addFirst(data);
    }
    try {
      var programs = PostgreSqlPrograms.in(folder);
      if (!Files.exists(data.resolve("PG_VERSION"))) {
        create(programs, data, files.databases());
      }
      var server =
          programs
              .command("postgres", options(address, chosen, data))
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .start();
      var guard = guard(server, toDelete);
      try {
        awaitReady(server);
      } catch (CannotStart notReady) {
        // The guard's work is this.
        guard.getOutputStream().close();
        throw notReady;
      }
      return new PostgreSql(programs, server, guard, data, List.copyOf(toDelete), chosen);
    } catch (IOException failed) {
      toDelete.forEach(Folders::delete);
      throw new CannotStart(
          "PostgreSQL does not start on %s:%d: %s".formatted(address, chosen, failed.getMessage()),
          failed);
    }
  }

  int port() {
    return port;
  }

  /** Completes when the server has ended, for whatever reason. */
  CompletableFuture<Process> ended() {
    return server.onExit();
  }

  @Override
  public void close() throws IOException {
    // In place of the guard, which would not let clients' transactions end.
    guard.destroyForcibly();
    if (server.isAlive()) {
      run(
          programs.command(
              "pg_ctl",
              List.of(
                  "stop", "-m", "fast", "-t", "" + TO_STOP.toSeconds(), "-D", data.toString())));
    }
    toDelete.forEach(Folders::delete);
  }

  private static List<String> options(String address, int port, Path data) {
    return List.of(
        "-D", data.toString(),
        "-c", "listen_addresses=" + address,
        "-c", "port=" + port,
        "-c", "unix_socket_directories=",
        "-c", "max_connections=200",
        "-c", "fsync=on",
        "-c", "synchronous_commit=on");
  }

  /** Makes the server's files, and in them empty databases. */
  private static void create(PostgreSqlPrograms programs, Path data, List<String> databases)
      throws IOException {
    var arguments = new ArrayList<String>(ORDER);
    arguments.addAll(List.of("--username=" + USER, "--auth=trust", "-D", data.toString()));
    run(programs.command("initdb", arguments));
    // Reads a statement from each line, without a server.
    var statements =
        databases.stream().map("create database %s;\n"::formatted).collect(Collectors.joining());
    run(programs.command("postgres", List.of("--single", "-D", data.toString(), USER)), statements);
  }

  private static Process guard(Process server, List<Path> toDelete) throws IOException {
    var folder = toDelete.isEmpty() ? "" : toDelete.getLast().toString();
    return new ProcessBuilder("/bin/sh", "-c", GUARD, "guard", "" + server.pid(), folder)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static void awaitReady(Process server) throws IOException {
    var ready = new CompletableFuture<Void>();
    Thread.ofVirtual()
        .name("postgresql")
        .start(
            () -> {
              try (var lines = server.inputReader(StandardCharsets.UTF_8)) {
                for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                  log.info("{}", line);
                  if (line.endsWith(READY)) {
                    ready.complete(null);
                  }
                }
                ready.completeExceptionally(new IOException("it ended, see the log"));
              } catch (IOException closed) {
                ready.completeExceptionally(closed);
              }
            });
    try {
      ready.get(TO_BE_READY.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException failed) {
      throw new CannotStart("PostgreSQL does not start: " + failed.getMessage(), failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CannotStart("PostgreSQL does not start: interrupted", interrupted);
    }
  }

  private static void run(ProcessBuilder command) throws IOException {
    run(command, "");
  }

  private static void run(ProcessBuilder command, String input) throws IOException {
    var process = command.start();
    try (var writer = process.outputWriter(StandardCharsets.UTF_8)) {
      writer.write(input);
    }
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException(output.strip());
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", interrupted);
    }
  }
}
