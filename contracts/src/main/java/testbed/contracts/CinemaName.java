package testbed.contracts;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A cinema's name, for example {@code cineworld}: part of URLs, queue names, database names and
 * service names, therefore restricted to lower-case letters, digits and hyphens.
 */
public record CinemaName(@JsonValue String value) implements Comparable<CinemaName> {

  private static final Pattern VALID = Pattern.compile("[a-z][a-z0-9-]{0,39}");
  private static final String SERVICE_PREFIX = "cinema-";
  private static final String SERVICE_SUFFIX = "-service";

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public CinemaName {
    if (!VALID.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "'%s' is not a cinema name: 1 to 40 lower-case letters, digits and hyphens, a letter first"
              .formatted(value));
    }
  }

  /** The name in {@code text}, or nothing if it cannot be a cinema's name. */
  public static Optional<CinemaName> parse(String text) {
    return VALID.matcher(text).matches() ? Optional.of(new CinemaName(text)) : Optional.empty();
  }

  /** The name under which the cinema's service registers, for example cinema-ucd-service. */
  public String serviceName() {
    return SERVICE_PREFIX + value + SERVICE_SUFFIX;
  }

  /** The cinema's public id: a name-based UUID (version 3) of its service name. */
  public UUID id() {
    return UUID.nameUUIDFromBytes(serviceName().getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public int compareTo(CinemaName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
