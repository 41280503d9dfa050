/** What becomes of each ticket: built and kept within limits, dropped, failed, refused. */
@NullMarked
package testbed.ticket.office;

import org.jspecify.annotations.NullMarked;
