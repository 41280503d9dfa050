package testbed.market.database;

/** A rule of the schema would be broken. */
public class Broken extends RuntimeException {

  private final Rule rule;

  /** The kind of rule. */
  public enum Rule {
    /** Something else has the same name. */
    UNIQUE,
    /** What is referred to does not exist, or is still referred to. */
    REFERENCE
  }

  Broken(Rule rule, RuntimeException cause) {
    super(cause);
    this.rule = rule;
  }

  public Rule rule() {
    return rule;
  }
}
