/** The AMQP message format: JSON with stable type ids. */
@NullMarked
package testbed.support.messaging;

import org.jspecify.annotations.NullMarked;
