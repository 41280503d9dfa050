package testbed.market.clients;

/** What a client has paid for. */
public enum Subscription {
  BASIC,
  PREMIUM
}
