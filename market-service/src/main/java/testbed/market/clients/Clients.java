package testbed.market.clients;

import jakarta.persistence.EntityManager;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import testbed.contracts.Page;
import testbed.market.between.Inventory;
import testbed.market.between.InventoryAway;
import testbed.market.database.Broken;
import testbed.market.database.Database;
import testbed.market.database.Databases;
import testbed.market.part.Part;
import testbed.market.part.PartOf;

/** The market's clients. */
@Component
@PartOf(Part.CLIENTS)
public class Clients {

  private final Database database;
  private final Inventory inventory;

  Clients(Databases databases, Inventory inventory) {
    this.database = databases.of(Part.CLIENTS);
    this.inventory = inventory;
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
                  "select c from StoredClient c"
                      + (name == null ? "" : " where c.name = :name")
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
    return database.read(entities -> find(entities, id).shown());
  }

  /**
   * Adds a client.
   *
   * @throws ClientNameTaken if another one has its name
   */
  public ListedClient add(String name, String mail, Subscription type) {
    try {
      return database.write(
          entities -> {
            var client = new StoredClient(name);
            client.set(mail, type, true);
            entities.persist(client);
            return client.shown();
          });
    } catch (Broken taken) {
      throw new ClientNameTaken();
    }
  }

  /**
   * Changes all of a client but its name, which its orders have.
   *
   * @throws ClientUnknown if there is none
   */
  public ListedClient change(long id, String mail, Subscription type, boolean enabled) {
    return database.write(
        entities -> {
          var client = find(entities, id);
          client.set(mail, type, enabled);
          return client.shown();
        });
  }

  /**
   * Removes a client and its orders.
   *
   * @throws ClientUnknown if there is none
   * @throws OrderInProgress if one of its orders is in progress
   * @throws InventoryAway if the inventory does not answer; then the client is kept
   */
  public void remove(long id) {
    database.write(
        entities -> {
          var client = find(entities, id);
          entities.remove(client);
          entities.flush();
          if (!inventory.removeOrdersOf(client.name())) {
            throw new OrderInProgress(client.name());
          }
          return id;
        });
  }

  private static StoredClient find(EntityManager entities, long id) {
    var client = Database.find(entities, StoredClient.class, id);
    if (client == null) {
      throw new ClientUnknown(id);
    }
    return client;
  }
}
