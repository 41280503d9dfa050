package testbed.cinema;

import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoNodeIsRecoveringException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoServerUnavailableException;
import com.mongodb.MongoTimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.data.mongodb.core.MongoExceptionTranslator;

/**
 * Translates the driver's exceptions as the framework does, and some more that the framework leaves
 * uncategorised although the database is away.
 */
class DatabaseOutages extends MongoExceptionTranslator {

  /** The message of the driver's assertion after the client is closed. */
  private static final String CLOSED = "state should be: open";

  @Override
  public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException failure) {
    return isOutage(failure)
        ? new DataAccessResourceFailureException(String.valueOf(failure.getMessage()), failure)
        : super.translateExceptionIfPossible(failure);
  }

  private static boolean isOutage(RuntimeException failure) {
    return failure instanceof MongoConnectionPoolClearedException
        || failure instanceof MongoInterruptedException
        || failure instanceof MongoNodeIsRecoveringException
        || failure instanceof MongoNotPrimaryException
        || failure instanceof MongoServerUnavailableException
        || failure instanceof MongoTimeoutException
        || (failure instanceof IllegalStateException && CLOSED.equals(failure.getMessage()));
  }
}
