/**
 * The MongoDB wire protocol and AMQP 0-9-1 in one JVM, all in memory, for a machine without Docker.
 */
@NullMarked
package testbed.embedded;

import org.jspecify.annotations.NullMarked;
