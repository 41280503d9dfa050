package testbed.market.beans;

/** The two kinds of coffee. */
public enum VarietyType {
  ARABICA,
  ROBUSTA
}
