/** CPU time that a service burns on purpose. */
@NullMarked
package testbed.support.handicap;

import org.jspecify.annotations.NullMarked;
