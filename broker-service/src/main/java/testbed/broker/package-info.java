/** The asynchronous variant's front door: settings and wiring. */
@NullMarked
package testbed.broker;

import org.jspecify.annotations.NullMarked;
