/** PostgreSQL: one database for all parts of a process, or one for each. */
@NullMarked
package testbed.market.database;

import org.jspecify.annotations.NullMarked;
