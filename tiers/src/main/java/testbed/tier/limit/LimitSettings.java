package testbed.tier.limit;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How many requests clients of the market may make.
 *
 * @param limit where each client's requests of the hour are counted, for the limit of its tier: off
 *     (no limit), local (in each process) or shared (in PostgreSQL, for all)
 * @param limitDb where they are counted, if shared
 */
@ConfigurationProperties("market")
public record LimitSettings(@DefaultValue("off") Counting limit, @DefaultValue Location limitDb) {

  /**
   * A database, and its account.
   *
   * @param url of the database
   * @param user may create a schema
   * @param password of the user
   */
  public record Location(
      @DefaultValue("jdbc:postgresql://localhost:5432/limits") String url,
      @DefaultValue("testbed") String user,
      @DefaultValue("testbed") String password) {}
}
