package testbed.market.clients;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.security.crypto.keygen.Base64StringKeyGenerator;
import org.springframework.security.crypto.keygen.StringKeyGenerator;
import org.springframework.stereotype.Component;
import testbed.contracts.Page;
import testbed.market.between.Inventory;
import testbed.market.between.InventoryAway;
import testbed.market.clients.StoredClient.State;
import testbed.market.database.Broken;
import testbed.market.database.Database;
import testbed.market.database.Databases;
import testbed.market.part.Part;
import testbed.market.part.PartOf;
import testbed.market.token.TokenServer;
import testbed.support.problem.ProblemException;
import testbed.tier.token.Tier;

/**
 * The market's clients. Where they have tokens, the token server has them, too.
 *
 * <p>No transaction spans both. So a change is stored here first, then made there, then marked as
 * confirmed here. What is left without that, {@link Reconciliation} brings to its end: a change or
 * a removal is sent again, and a client that was not confirmed is removed, as nobody has its
 * secret.
 */
@Component
@PartOf(Part.CLIENTS)
public class Clients {

  private static final int AT_ONCE = 100;

  /** Of 32 random bytes. */
  private static final StringKeyGenerator SECRETS =
      new Base64StringKeyGenerator(Base64.getUrlEncoder().withoutPadding(), 32);

  private final Database database;
  private final Inventory inventory;
  private final @Nullable TokenServer tokens;

  /**
   * @param tokens the token server, if there is one
   */
  Clients(Databases databases, Inventory inventory, ObjectProvider<TokenServer> tokens) {
    this.database = databases.of(Part.CLIENTS);
    this.inventory = inventory;
    this.tokens = tokens.getIfAvailable();
  }

  /**
   * A page of the clients, by id.
   *
   * @param name only the client of this name
   */
  public List<ListedClient> list(@Nullable String name, Page page) {
    return database.read(
        entities -> {
          var query =
              entities.createQuery(
                  "select c from StoredClient c where c.state = ACTIVE"
                      + (name == null ? "" : " and c.name = :name")
                      + " order by c.id",
                  StoredClient.class);
          if (name != null) {
            query.setParameter("name", name);
          }
          return query
              .setFirstResult(Math.toIntExact(page.offset()))
              .setMaxResults(page.size())
              .getResultList()
              .stream()
              .map(StoredClient::shown)
              .toList();
        });
  }

  /**
   * Finds a client.
   *
   * @throws ClientUnknown if there is none
   */
  public ListedClient get(long id) {
    return database.read(
        entities -> {
          var client = Database.find(entities, StoredClient.class, id);
          if (client == null || client.state() != State.ACTIVE) {
            throw new ClientUnknown(id);
          }
          return client.shown();
        });
  }

  /**
   * Adds a client.
   *
   * @throws ClientNameTaken if another one has its name
   * @throws ProblemException if the token server does not confirm it; then there is no such client
   */
  public AddedClient add(String name, String mail, Tier type) {
    if (tokens == null) {
      return new AddedClient(stored(name, mail, type, State.ACTIVE).shown(), null);
    }
    var client = stored(name, mail, type, State.PENDING);
    var secret = SECRETS.generateKey();
    try {
      if (!tokens.put(client.name(), client.version(), secret, client.scope(), true)) {
        throw new ClientNameTaken();
      }
    } catch (ProblemException notRegistered) {
      removeUnconfirmed(client.id());
      throw notRegistered;
    }
    return new AddedClient(confirmed(client), secret);
  }

  private StoredClient stored(String name, String mail, Tier type, State state) {
    try {
      return database.write(
          entities -> {
            var client = new StoredClient(name, state);
            client.set(mail, type, true);
            entities.persist(client);
            // Now that no other client has the name: later than each change of earlier ones.
            client.changed(nextVersion(entities));
            return client;
          });
    } catch (Broken taken) {
      throw new ClientNameTaken();
    }
  }

  private ListedClient confirmed(StoredClient pending) {
    return database.write(
        entities -> {
          var client = locked(entities, pending.id());
          if (client == null || client.state() != State.PENDING) {
            // It took so long that it was given up.
            throw new NotAdded();
          }
          client.become(State.ACTIVE);
          client.confirm(client.version());
          return client.shown();
        });
  }

  /** Gives up a client that is not confirmed: from now on its name is free. */
  void removeUnconfirmed(long id) {
    database.write(
        entities -> {
          var client = locked(entities, id);
          if (client != null && client.state() == State.PENDING) {
            client.become(State.REMOVING);
            client.changed(nextVersion(entities));
          }
          return id;
        });
  }

  /**
   * Changes all of a client but its name, which its orders have.
   *
   * @throws ClientUnknown if there is none
   * @throws NotYetConfirmed if the token server does not answer
   */
  public ListedClient change(long id, String mail, Tier type, boolean enabled) {
    var changed =
        database.write(
            entities -> {
              var client = locked(entities, id);
              if (client == null || client.state() != State.ACTIVE) {
                throw new ClientUnknown(id);
              }
              if (client.set(mail, type, enabled)) {
                client.changed(nextVersion(entities));
              }
              return client;
            });
    settleNow(changed);
    return changed.shown();
  }

  /**
   * Removes a client and its orders.
   *
   * @throws ClientUnknown if there is none
   * @throws OrderInProgress if one of its orders is in progress
   * @throws InventoryAway if the inventory does not answer; then the client is kept
   * @throws NotYetConfirmed if the token server does not answer; the client is removed nevertheless
   */
  public void remove(long id) {
    settleNow(
        database.write(
            entities -> {
              var client = locked(entities, id);
              if (client == null || client.state() == State.PENDING) {
                throw new ClientUnknown(id);
              }
              if (client.state() == State.ACTIVE) {
                remove(entities, client);
              }
              return client;
            }));
  }

  private void remove(EntityManager entities, StoredClient client) {
    if (client.isRegistered()) {
      client.become(State.REMOVING);
      client.changed(nextVersion(entities));
    } else {
      entities.remove(client);
    }
    entities.flush();
    if (!inventory.removeOrdersOf(client.name())) {
      throw new OrderInProgress(client.name());
    }
  }

  private void settleNow(StoredClient client) {
    if (tokens == null || client.isInStep()) {
      return;
    }
    try {
      send(tokens, client);
    } catch (ProblemException away) {
      throw new NotYetConfirmed();
    }
    confirm(client);
  }

  /** Makes a stored change at the token server, and marks it as confirmed. */
  void settle(TokenServer server, StoredClient client) {
    send(server, client);
    confirm(client);
  }

  /** If the server has a later change, it needs none. */
  private static void send(TokenServer server, StoredClient client) {
    if (client.state() == State.REMOVING) {
      server.remove(client.name(), client.version());
    } else {
      server.put(client.name(), client.version(), null, client.scope(), client.isEnabled());
    }
  }

  private void confirm(StoredClient sent) {
    database.write(
        entities -> {
          var client = locked(entities, sent.id());
          if (client != null
              && client.state() == State.REMOVING
              && sent.version() == client.version()) {
            entities.remove(client);
          } else if (client != null) {
            client.confirm(sent.version());
          }
          return sent.version();
        });
  }

  /** Clients of which the token server has not confirmed the last change. */
  List<StoredClient> unsettled() {
    return database.read(
        entities ->
            entities
                .createQuery(
                    "select c from StoredClient c where c.state = REMOVING"
                        + " or c.state = ACTIVE and c.confirmed <> c.version order by c.version",
                    StoredClient.class)
                .setMaxResults(AT_ONCE)
                .getResultList());
  }

  /** Clients that were not confirmed in time: whoever was adding them has gone. */
  List<Long> abandoned() {
    return database.read(
        entities ->
            entities
                .createNativeQuery(
                    "select id from clients.client"
                        + " where state = 'PENDING' and since < now() - interval '10 seconds'",
                    Long.class)
                .getResultList());
  }

  private static @Nullable StoredClient locked(EntityManager entities, long id) {
    return Database.find(entities, StoredClient.class, id, LockModeType.PESSIMISTIC_WRITE);
  }

  private static long nextVersion(EntityManager entities) {
    return (Long)
        entities
            .createNativeQuery("select nextval('clients.client_version')", Long.class)
            .getSingleResult();
  }
}
