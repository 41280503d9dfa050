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
 * Translates the driver's failures as the framework does, and those in addition that the framework
 * leaves uncategorised although only the database is away.
 */
class DatabaseOutages extends MongoExceptionTranslator {

  /** What the driver's own assertion says once the service has closed it. */
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
