/**
 * What services that use queues have in common: the message format, connections, meters, traces.
 */
@NullMarked
package testbed.messaging;

import org.jspecify.annotations.NullMarked;
