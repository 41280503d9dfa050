package testbed.market.beans;

import jakarta.validation.constraints.NotNull;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * How the beans are read.
 *
 * @param fetch how a page of beans is read from the database
 * @param details whether a page has quantity and price of its beans, from one question to the
 *     inventory (page), or each is asked for by itself (each)
 * @param transaction whether a bean and its stock are read in one transaction (together), where
 *     both are in one database, or in one each (apart)
 * @param cache what is kept in memory: nothing (none), or the lists of countries and regions
 *     (lists)
 */
@Validated
@ConfigurationProperties("market")
public record BeansSettings(
    @NotNull Fetch fetch,
    @NotNull Details details,
    @NotNull Transactions transaction,
    @NotNull Kept cache) {

  /** How a page of beans, with all that they belong to, is read. */
  public enum Fetch {
    /** An entity graph; conditions are paths: one statement, each table once. */
    GRAPH,
    /** Eager references, as the framework's default is: a statement for each of them. */
    N_PLUS_1,
    /** References are read when they are used. */
    LAZY,
    /** An entity graph; conditions are joins: one statement, tables of conditions twice. */
    DUPLICATE_JOINS
  }

  /** Where quantity and price are. */
  public enum Details {
    EACH,
    PAGE
  }

  /** How many transactions the details of a bean take. */
  public enum Transactions {
    TOGETHER,
    APART
  }

  /** What is kept in memory. */
  public enum Kept {
    NONE,
    LISTS
  }
}
