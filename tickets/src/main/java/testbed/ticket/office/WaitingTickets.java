package testbed.ticket.office;

import java.util.function.IntSupplier;

/** How many tickets wait to be built; -1 if that cannot be said. */
@FunctionalInterface
public interface WaitingTickets extends IntSupplier {}
