/** What the gateway itself answers when something is wrong: problem details, always. */
@NullMarked
package testbed.gateway.problem;

import org.jspecify.annotations.NullMarked;
