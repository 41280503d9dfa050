package testbed.market.clients;

/**
 * A client as administrators see it.
 *
 * @param enabled whether it may be served
 */
public record ListedClient(
    long id, String name, String mail, Subscription subscriptionType, boolean enabled) {}
