/** The AMQP edge: publishes requests, unpacks responses and presence. */
@NullMarked
package testbed.broker.messaging;

import org.jspecify.annotations.NullMarked;
