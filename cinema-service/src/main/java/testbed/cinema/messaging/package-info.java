/** The AMQP edge: unpacks, delegates, answers. */
@NullMarked
package testbed.cinema.messaging;

import org.jspecify.annotations.NullMarked;
