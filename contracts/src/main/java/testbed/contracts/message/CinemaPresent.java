package testbed.contracts.message;

import testbed.contracts.CinemaName;

/** Sent by every AMQP cinema when it starts and periodically: how the broker knows whom it asks. */
public record CinemaPresent(CinemaName cinema) {}
