package testbed.market.beans;

import jakarta.persistence.EntityManager;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import testbed.market.database.Broken;
import testbed.market.database.Database;

/**
 * Reads and changes the entries of one table.
 *
 * @param <E> the entity
 * @param <W> what is written
 * @param <S> what is shown
 */
public class Entries<E, W, S> {

  private final Database database;
  private final Class<E> type;
  private final Supplier<E> newEntity;
  private final Change<E, W> change;
  private final Function<E, S> shown;
  private final LongConsumer removal;
  private final Runnable changed;

  /** Writes to an entity. */
  @FunctionalInterface
  interface Change<E, W> {
    void to(E entity, W wanted, References references);
  }

  /**
   * @param removal what else is removed with an entry
   * @param changed is told after each change, also one that failed
   */
  Entries(
      Database database,
      Class<E> type,
      Supplier<E> newEntity,
      Change<E, W> change,
      Function<E, S> shown,
      LongConsumer removal,
      Runnable changed) {
    this.database = database;
    this.type = type;
    this.newEntity = newEntity;
    this.change = change;
    this.shown = shown;
    this.removal = removal;
    this.changed = changed;
  }

  /**
   * Finds an entry.
   *
   * @throws Unknown if there is none
   */
  public S get(long id) {
    return database.read(entities -> shown.apply(find(entities, id)));
  }

  /**
   * Adds an entry.
   *
   * @throws ReferenceUnknown if it refers to something that does not exist
   * @throws NameTaken if another one has its name
   */
  public S add(W wanted) {
    return write(
        entities -> {
          var entity = newEntity.get();
          change.to(entity, wanted, new References(entities));
          entities.persist(entity);
          return shown.apply(entity);
        });
  }

  /**
   * Replaces an entry.
   *
   * @throws Unknown if there is none
   * @throws ReferenceUnknown if it refers to something that does not exist
   * @throws NameTaken if another one has its name
   */
  public S change(long id, W wanted) {
    return write(
        entities -> {
          var entity = find(entities, id);
          change.to(entity, wanted, new References(entities));
          return shown.apply(entity);
        });
  }

  /**
   * Removes an entry.
   *
   * @throws Unknown if there is none
   * @throws StillUsed if others refer to it
   */
  public void remove(long id) {
    try {
      database.write(
          entities -> {
            entities.remove(find(entities, id));
            entities.flush();
            removal.accept(id);
            return id;
          });
    } catch (Broken referred) {
      throw new StillUsed(name(), id);
    } finally {
      // Also without an answer of the database, which may have stored it.
      changed.run();
    }
  }

  private S write(Function<EntityManager, S> work) {
    try {
      return database.write(work);
    } catch (Broken broken) {
      throw switch (broken.rule()) {
        case UNIQUE -> new NameTaken(name());
        case REFERENCE -> new ReferenceUnknown();
      };
    } finally {
      changed.run();
    }
  }

  private E find(EntityManager entities, long id) {
    var entry = Database.find(entities, type, id);
    if (entry == null) {
      throw new Unknown(name(), id);
    }
    return entry;
  }

  private String name() {
    return type.getSimpleName().toLowerCase(Locale.ROOT);
  }

  /** What entries refer to. */
  record References(EntityManager entities) {

    /**
     * @throws ReferenceUnknown if there is none
     */
    <R> R find(Class<R> type, long id) {
      var reference = Database.find(entities, type, id);
      if (reference == null) {
        throw new ReferenceUnknown(type.getSimpleName().toLowerCase(Locale.ROOT), id);
      }
      return reference;
    }
  }
}
