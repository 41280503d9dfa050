package testbed.generator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * A plan to run.
 *
 * @param plan the JMeter plan
 * @param samples the result file to write
 * @param properties what {@code jmeter -J} would set
 */
record Load(Path plan, Path samples, Properties properties) {

  private static final String PROPERTY = "property.";

  /**
   * Reads a UTF-8 properties file with the keys {@code plan}, {@code samples} and {@code
   * property.NAME} for each property.
   *
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if a key is missing or unknown
   */
  static Load read(Path file) throws IOException {
    var given = new Properties();
    try (var reader = Files.newBufferedReader(file)) {
      given.load(reader);
    }
    var plan = take(given, "plan");
    var samples = take(given, "samples");
    var properties = new Properties();
    for (var key : given.stringPropertyNames()) {
      if (!key.startsWith(PROPERTY)) {
        throw new IllegalArgumentException(
            "unknown key '%s'; choose from: plan, samples, property.NAME".formatted(key));
      }
      properties.setProperty(key.substring(PROPERTY.length()), given.getProperty(key));
    }
    return new Load(plan, samples, properties);
  }

  private static Path take(Properties given, String key) {
    if (given.remove(key) instanceof String path) {
      return Path.of(path);
    }
    throw new IllegalArgumentException("no '%s' is given".formatted(key));
  }
}
