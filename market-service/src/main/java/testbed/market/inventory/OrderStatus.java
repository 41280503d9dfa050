package testbed.market.inventory;

/** Where an order is. */
public enum OrderStatus {
  /** Its beans are taken. */
  IN_PROGRESS,
  /** The client has its beans. */
  SUCCESSFUL,
  /** Its beans are given back. */
  CANCELED
}
