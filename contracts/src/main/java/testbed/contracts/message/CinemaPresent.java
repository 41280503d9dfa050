package testbed.contracts.message;

import testbed.contracts.CinemaName;

/**
 * Sent by every AMQP cinema when it starts, periodically and when asked: how the broker knows whom
 * it asks.
 */
public record CinemaPresent(CinemaName cinema) {}
