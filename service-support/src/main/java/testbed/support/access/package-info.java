/** Who may do what at a front door: its accounts, and whether they are asked for. */
@NullMarked
package testbed.support.access;

import org.jspecify.annotations.NullMarked;
