package testbed.cinema;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoNodeIsRecoveringException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ServerAddress;
import com.mongodb.connection.ClusterId;
import com.mongodb.connection.ServerId;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.data.mongodb.UncategorizedMongoDbException;

class DatabaseOutagesTest {

  private static final ServerAddress SERVER = new ServerAddress();

  private final DatabaseOutages translator = new DatabaseOutages();

  static Stream<RuntimeException> outages() {
    return Stream.of(
        new MongoTimeoutException("no server"),
        new MongoConnectionPoolClearedException(new ServerId(new ClusterId(), SERVER), null),
        new MongoInterruptedException("stopped", new InterruptedException()),
        new MongoNodeIsRecoveringException(new BsonDocument(), SERVER),
        new MongoNotPrimaryException(new BsonDocument(), SERVER),
        new IllegalStateException("state should be: open"));
  }

  @ParameterizedTest
  @MethodSource("outages")
  void knowsWhenTheDatabaseIsAway(RuntimeException failure) {
    assertThat(translator.translateExceptionIfPossible(failure))
        .isInstanceOf(DataAccessResourceFailureException.class)
        .hasCause(failure);
  }

  @Test
  void leavesTheRestToTheFramework() {
    assertThat(translator.translateExceptionIfPossible(new MongoException("odd")))
        .isInstanceOf(UncategorizedMongoDbException.class);
    assertThat(translator.translateExceptionIfPossible(new IllegalStateException("bug"))).isNull();
  }
}
