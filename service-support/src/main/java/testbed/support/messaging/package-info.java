/**
 * What services that use queues have in common: the message format, connections, meters, traces.
 */
@NullMarked
package testbed.support.messaging;

import org.jspecify.annotations.NullMarked;
