/** The AMQP edge: orders come from a bounded queue. */
@NullMarked
package testbed.ticketservice.messaging;

import org.jspecify.annotations.NullMarked;
