package testbed.market.database;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.FindOption;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import javax.sql.DataSource;
import org.hibernate.engine.spi.SessionImplementor;
import org.jspecify.annotations.Nullable;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaDialect;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A database, and the transactions on it. Work inside of work on the same database is part of the
 * outer transaction.
 */
public class Database {

  /** Orders lock in one order, so that only changes by administrators can meet. */
  private static final RetryTemplate RETRIED =
      new RetryTemplate(
          RetryPolicy.builder()
              .maxRetries(3)
              .delay(Duration.ofMillis(10))
              .jitter(Duration.ofMillis(10))
              .predicate(Failures::isTransient)
              .build());

  private final EntityManagerFactory factory;
  private final EntityManager entities;
  private final TransactionTemplate reading;
  private final TransactionTemplate writing;

  Database(EntityManagerFactory factory, DataSource source) {
    this.factory = factory;
    this.entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
    var transactions = new JpaTransactionManager(factory);
    transactions.setDataSource(source);
    transactions.setJpaDialect(new HibernateJpaDialect());
    transactions.afterPropertiesSet();
    this.reading = new TransactionTemplate(transactions);
    this.reading.setReadOnly(true);
    this.writing = new TransactionTemplate(transactions);
  }

  /**
   * Reads in one transaction.
   *
   * @throws DatabaseAway if the database does not answer in time
   */
  public <T> T read(Function<EntityManager, T> work) {
    try {
      return execute(reading, work, new AtomicBoolean());
    } catch (RuntimeException failure) {
      throw isOpen() ? failure : Failures.translated(failure);
    }
  }

  /**
   * Changes data in one transaction: all or nothing. Repeats the work if the database has taken it
   * back for the sake of another transaction.
   *
   * @throws DatabaseAway if the database does not answer in time; then nothing has changed
   * @throws MayBeStored if the connection was lost at the end
   * @throws Broken if a rule of the schema would be broken
   */
  public <T> T write(Function<EntityManager, T> work) {
    if (isOpen()) {
      return execute(writing, work, new AtomicBoolean());
    }
    try {
      return RETRIED.invoke(() -> written(work));
    } catch (RuntimeException failure) {
      throw Failures.translated(failure);
    }
  }

  private <T> T written(Function<EntityManager, T> work) {
    var done = new AtomicBoolean();
    try {
      return execute(writing, work, done);
    } catch (RuntimeException failure) {
      throw done.get() && !Failures.isTransient(failure) ? new MayBeStored() : failure;
    }
  }

  /**
   * Does the work in a transaction.
   *
   * @param done is set when only the end of the transaction is left
   */
  private <T> T execute(
      TransactionTemplate transaction, Function<EntityManager, T> work, AtomicBoolean done) {
    var first = new AtomicReference<@Nullable RuntimeException>();
    try {
      return transaction.execute(
          status -> {
            try {
              var result = work.apply(entities);
              if (!transaction.isReadOnly()) {
                entities.flush();
              }
              done.set(true);
              return result;
            } catch (RuntimeException failure) {
              first.set(failure);
              throw failure;
            }
          });
    } catch (RuntimeException last) {
      // On a connection that is lost, the work cannot be taken back either.
      var failure = first.get();
      throw failure == null ? last : failure;
    }
  }

  /**
   * Returns an entity; null if there is none.
   *
   * @throws DatabaseAway if the statement fails and the transaction is to be taken back; {@code
   *     find} of Hibernate logs that, and returns null as if there were nothing
   */
  public static <T> @Nullable T find(
      EntityManager entities, Class<T> type, Object id, FindOption... options) {
    return checked(entities, entities.find(type, id, options));
  }

  /** The same with hints, such as a graph of what is loaded with it. */
  public static <T> @Nullable T find(
      EntityManager entities, Class<T> type, Object id, Map<String, Object> hints) {
    return checked(entities, entities.find(type, id, hints));
  }

  private static <T> @Nullable T checked(EntityManager entities, @Nullable T entity) {
    if (entity == null
        && entities.unwrap(SessionImplementor.class).accessTransaction().getRollbackOnly()) {
      throw new DatabaseAway();
    }
    return entity;
  }

  /** Whether this thread has a transaction here. */
  private boolean isOpen() {
    return TransactionSynchronizationManager.hasResource(factory);
  }
}
