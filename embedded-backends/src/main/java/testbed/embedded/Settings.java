package testbed.embedded;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Where the backends listen, and where MongoDB's data is.
 *
 * @param address the local address to bind to
 * @param mongoDbPort empty if MongoDB is off; 0 takes any free port
 * @param amqpPort empty if AMQP is off; 0 takes any free port
 * @param mongoDbFile what MongoDB's data is written to; empty if it is in memory only
 */
record Settings(
    String address, OptionalInt mongoDbPort, OptionalInt amqpPort, Optional<String> mongoDbFile) {

  static final String ADDRESS = "EMBEDDED_ADDRESS";
  static final String MONGODB_PORT = "EMBEDDED_MONGODB_PORT";
  static final String AMQP_PORT = "EMBEDDED_AMQP_PORT";
  static final String MONGODB_FILE = "EMBEDDED_MONGODB_FILE";

  private static final String OFF = "off";
  private static final int HIGHEST_PORT = 65_535;

  Settings {
    if (mongoDbPort.isEmpty() && amqpPort.isEmpty()) {
      throw new CannotStart(
          "%s and %s are both off: nothing to start.".formatted(MONGODB_PORT, AMQP_PORT));
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
        port(environment, MONGODB_PORT, 27_017),
        port(environment, AMQP_PORT, 5_672),
        Optional.ofNullable(environment.get(MONGODB_FILE)).filter(file -> !file.isBlank()));
  }

  private static OptionalInt port(
      Map<String, String> environment, String variable, int defaultPort) {
    var text = environment.get(variable);
    if (text == null) {
      return OptionalInt.of(defaultPort);
    }
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
