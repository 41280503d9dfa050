/** The MongoDB wire protocol, AMQP 0-9-1 and PostgreSQL, for a machine without Docker. */
@NullMarked
package testbed.embedded;

import org.jspecify.annotations.NullMarked;
