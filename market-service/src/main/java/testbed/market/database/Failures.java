package testbed.market.database;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.hibernate.exception.JDBCConnectionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.CannotCreateTransactionException;

/** Tells failures of PostgreSQL apart by their codes. */
final class Failures {

  private static final Logger log = LoggerFactory.getLogger(Failures.class);

  private static final String UNIQUE_VIOLATION = "23505";
  private static final String FOREIGN_KEY_VIOLATION = "23503";
  private static final String DEADLOCK = "40P01";
  private static final String SERIALIZATION_FAILURE = "40001";
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private Failures() {}

  /** Whether the transaction was taken back for another one's sake, and may be tried again. */
  static boolean isTransient(Throwable failure) {
    var code = codeOf(failure);
    return DEADLOCK.equals(code) || SERIALIZATION_FAILURE.equals(code);
  }

  /** What a failure means to those who ask. */
  static RuntimeException translated(RuntimeException failure) {
    var code = codeOf(failure);
    if (UNIQUE_VIOLATION.equals(code)) {
      return new Broken(Broken.Rule.UNIQUE, failure);
    }
    if (FOREIGN_KEY_VIOLATION.equals(code)) {
      return new Broken(Broken.Rule.REFERENCE, failure);
    }
    if (isOutage(failure, code)) {
      log.warn("Database not available: {}", rootOf(failure).getMessage());
      return new DatabaseAway();
    }
    return failure;
  }

  private static boolean isOutage(Throwable failure, @Nullable String code) {
    if (code == null) {
      return has(failure, SQLTransientConnectionException.class)
          || has(failure, JDBCConnectionException.class)
          || failure instanceof CannotCreateTransactionException;
    }
    // Connections, resources, the server's operator (who ends statements that take too long, too).
    return code.startsWith("08")
        || code.startsWith("53")
        || code.startsWith("57")
        || code.equals(LOCK_NOT_AVAILABLE)
        || isTransient(failure);
  }

  private static @Nullable String codeOf(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql && sql.getSQLState() != null) {
        return sql.getSQLState();
      }
    }
    return null;
  }

  private static boolean has(Throwable failure, Class<? extends Throwable> type) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (type.isInstance(cause)) {
        return true;
      }
    }
    return false;
  }

  private static Throwable rootOf(Throwable failure) {
    var root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
