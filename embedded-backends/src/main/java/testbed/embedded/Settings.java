package testbed.embedded;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Where the backends listen, and where their data is.
 *
 * @param address the local address to bind to
 * @param mongoDbPort empty if MongoDB is off; 0 takes any free port
 * @param amqpPort empty if AMQP is off; 0 takes any free port
 * @param postgreSqlPort empty if PostgreSQL is off, as it is by default; 0 takes any free port
 * @param mongoDbFile what MongoDB's data is written to; empty if it is in memory only
 * @param postgreSqlFiles the files of PostgreSQL
 */
record Settings(
    String address,
    OptionalInt mongoDbPort,
    OptionalInt amqpPort,
    OptionalInt postgreSqlPort,
    Optional<String> mongoDbFile,
    PostgreSqlFiles postgreSqlFiles) {

  /**
   * The files of PostgreSQL.
   *
   * @param folder where its programs are unpacked, and kept for the next start; empty for a
   *     temporary folder
   * @param data the folder of its data, which is kept; empty for one that is deleted at the end
   * @param databases the databases that new data has
   */
  record PostgreSqlFiles(Optional<Path> folder, Optional<Path> data, List<String> databases) {

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,62}");

    PostgreSqlFiles {
      for (var name : databases) {
        if (!NAME.matcher(name).matches()) {
          throw new CannotStart(
              "%s has '%s': set it to names of small letters, digits and _, separated by commas."
                  .formatted(POSTGRESQL_DATABASES, name));
        }
      }
    }
  }

  static final String ADDRESS = "EMBEDDED_ADDRESS";
  static final String MONGODB_PORT = "EMBEDDED_MONGODB_PORT";
  static final String AMQP_PORT = "EMBEDDED_AMQP_PORT";
  static final String POSTGRESQL_PORT = "EMBEDDED_POSTGRESQL_PORT";
  static final String POSTGRESQL_FOLDER = "EMBEDDED_POSTGRESQL_FOLDER";
  static final String POSTGRESQL_DATA = "EMBEDDED_POSTGRESQL_DATA";
  static final String POSTGRESQL_DATABASES = "EMBEDDED_POSTGRESQL_DATABASES";
  static final String MONGODB_FILE = "EMBEDDED_MONGODB_FILE";

  private static final String OFF = "off";
  private static final int HIGHEST_PORT = 65_535;

  Settings {
    if (mongoDbPort.isEmpty() && amqpPort.isEmpty() && postgreSqlPort.isEmpty()) {
      throw new CannotStart(
          "%s, %s and %s are all off: nothing to start."
              .formatted(MONGODB_PORT, AMQP_PORT, POSTGRESQL_PORT));
    }
  }

  /**
   * Reads the settings from environment variables.
   *
   * @throws CannotStart if a port is neither a port number nor {@code off}
   */
  static Settings from(Map<String, String> environment) {
    return new Settings(
        environment.getOrDefault(ADDRESS, "127.0.0.1"),
        port(environment, MONGODB_PORT, "27017"),
        port(environment, AMQP_PORT, "5672"),
        port(environment, POSTGRESQL_PORT, OFF),
        text(environment, MONGODB_FILE),
        new PostgreSqlFiles(
            text(environment, POSTGRESQL_FOLDER).map(Path::of),
            text(environment, POSTGRESQL_DATA).map(Path::of),
            text(environment, POSTGRESQL_DATABASES).stream()
                .flatMap(names -> Stream.of(names.split(",")))
                .map(String::strip)
                .toList()));
  }

  private static Optional<String> text(Map<String, String> environment, String variable) {
    return Optional.ofNullable(environment.get(variable)).filter(text -> !text.isBlank());
  }

  private static OptionalInt port(
      Map<String, String> environment, String variable, String otherwise) {
    var text = environment.getOrDefault(variable, otherwise);
    if (text.equals(OFF)) {
      return OptionalInt.empty();
    }
    try {
      int port = Integer.parseInt(text);
      if (port >= 0 && port <= HIGHEST_PORT) {
        return OptionalInt.of(port);
      }
    } catch (NumberFormatException notANumber) {
      // Reported below, like a number that is no port.
    }
    throw new CannotStart(
        "%s is '%s': set it to a port (0 to %d) or to %s."
            .formatted(variable, text, HIGHEST_PORT, OFF));
  }
}
