package testbed.cinema.movie;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How lists and reservations read the catalogue.
 *
 * @param catalogueRead asked: from the database, each time. snapshot: from memory, as of the last
 *     check, which is a pattern of its own
 * @param catalogueCheck how often a snapshot is compared with the database, so the age of a list at
 *     most
 */
@ConfigurationProperties("cinema")
record CatalogueSettings(
    @DefaultValue("asked") Read catalogueRead, @DefaultValue("1s") Duration catalogueCheck) {

  enum Read {
    ASKED,
    SNAPSHOT
  }
}
