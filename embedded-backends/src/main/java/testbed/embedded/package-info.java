/** The MongoDB wire protocol and AMQP 0-9-1 in one JVM, for a machine without Docker. */
@NullMarked
package testbed.embedded;

import org.jspecify.annotations.NullMarked;
