package testbed.cinema;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.io.Resource;
import testbed.contracts.CinemaName;
import testbed.support.preset.InvalidSetting;

/**
 * Which cinema this is.
 *
 * @param name the cinema's name, from which its database, queue and service name follow
 * @param catalogue the movies that the cinema shows, a JSON list
 * @param presenceInterval how often an AMQP cinema announces its presence
 * @param database the connection to the cinema's database
 * @param handicap CPU time that each call burns, for experiments with a known difference
 * @param drills whether an HTTP cinema has operations that answer late on purpose
 */
@ConfigurationProperties("cinema")
public record CinemaSettings(
    String name,
    Resource catalogue,
    @DefaultValue("1s") Duration presenceInterval,
    Database database,
    @DefaultValue("0s") Duration handicap,
    @DefaultValue("false") boolean drills) {

  /**
   * Limits of the database driver.
   *
   * @param minConnections opened at the start, so that the first requests do not wait for them
   * @param maxConnections open at most
   * @param maxConnecting opened at the same time
   * @param maxWait the longest wait for a connection or for a server
   * @param commandTimeout the longest wait for the answer to one command; 0 for no limit, as the
   *     thesis had none. The driver repeats a failed read once, with the same limit.
   * @param startWait the longest wait of a start for a database that is not there yet
   */
  public record Database(
      int minConnections,
      int maxConnections,
      int maxConnecting,
      Duration maxWait,
      @DefaultValue("0s") Duration commandTimeout,
      @DefaultValue("1m") Duration startWait) {}

  public CinemaSettings {
    if (CinemaName.parse(name).isEmpty()) {
      throw new InvalidSetting(
          "CINEMA_NAME",
          name,
          List.of("cineworld", "dundrum", "ucd", "any lower-case name with a CINEMA_CATALOGUE"));
    }
  }

  public CinemaName cinemaName() {
    return new CinemaName(name);
  }
}
