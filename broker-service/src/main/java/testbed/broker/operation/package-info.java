/**
 * Operations in progress: who was asked, who has answered, and until when an answer is kept. Knows
 * neither HTTP nor AMQP.
 */
@NullMarked
package testbed.broker.operation;

import org.jspecify.annotations.NullMarked;
