/**
 * The AMQP messages between the broker and the cinemas: one record per intent, dispatched by type.
 */
@NullMarked
package testbed.contracts.message;

import org.jspecify.annotations.NullMarked;
