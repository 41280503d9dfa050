package testbed.market.clients;

import testbed.tier.token.Tier;

/**
 * A client as administrators see it.
 *
 * @param enabled whether it may be served
 */
public record ListedClient(
    long id, String name, String mail, Tier subscriptionType, boolean enabled) {}
