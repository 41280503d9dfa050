package testbed.ticket.office;

import java.util.function.IntSupplier;

/** How many tickets wait to be built; -1 if unknown. */
@FunctionalInterface
public interface WaitingTickets extends IntSupplier {}
