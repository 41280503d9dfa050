package testbed.market.beans;

import static java.util.stream.Collectors.toMap;

import jakarta.persistence.EntityManager;
import jakarta.persistence.TypedQuery;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.hibernate.jpa.SpecHints;
import org.springframework.stereotype.Component;
import testbed.contracts.Page;
import testbed.market.beans.BeansSettings.Details;
import testbed.market.beans.BeansSettings.Fetch;
import testbed.market.beans.BeansSettings.Transactions;
import testbed.market.between.Inventory;
import testbed.market.between.InventoryAway;
import testbed.market.between.Stock;
import testbed.market.database.Database;
import testbed.market.database.Databases;
import testbed.market.part.Part;
import testbed.market.part.PartOf;

/** Beans, and what the inventory knows of them. */
@Component
@PartOf(Part.BEANS)
public class Beans {

  private final Database database;
  private final Inventory inventory;
  private final BeansSettings settings;

  /** Whether the inventory is asked in the transaction of the beans. */
  private final boolean together;

  Beans(Databases databases, Inventory inventory, BeansSettings settings) {
    this.database = databases.of(Part.BEANS);
    this.inventory = inventory;
    this.settings = settings;
    this.together =
        settings.transaction() == Transactions.TOGETHER
            && databases.areTogether(Part.BEANS, Part.INVENTORY);
  }

  /**
   * A page of the beans that are wanted, by id. While the inventory is away, pages have neither
   * quantity nor price.
   */
  public List<ListedBean> page(Wanted wanted, Page page) {
    return settings.details() == Details.PAGE
        ? withInventory(() -> read(wanted, page), this::withStocks)
        : read(wanted, page);
  }

  /**
   * A bean, with quantity and price.
   *
   * @throws Unknown if there is no such bean
   * @throws InventoryAway if the inventory does not answer
   */
  public ListedBean details(long id) {
    return withInventory(
        () -> database.read(entities -> ListedBean.of(find(entities, id))),
        bean -> bean.with(inventory.stock(id).orElse(null)));
  }

  /** Asks the inventory in the transaction of the question before, or after it. */
  private <T> T withInventory(Supplier<T> question, Function<T, T> inventoryAsked) {
    return together
        ? database.read(entities -> inventoryAsked.apply(question.get()))
        : inventoryAsked.apply(question.get());
  }

  private List<ListedBean> withStocks(List<ListedBean> beans) {
    List<Stock> stocks;
    try {
      stocks = inventory.stocks(beans.stream().map(ListedBean::id).toList());
    } catch (InventoryAway away) {
      return beans;
    }
    var byBean = stocks.stream().collect(toMap(Stock::beanId, Function.identity()));
    return beans.stream().map(bean -> bean.with(byBean.get(bean.id()))).toList();
  }

  private List<ListedBean> read(Wanted wanted, Page page) {
    return database.read(
        entities ->
            query(entities, wanted)
                .setFirstResult(Math.toIntExact(page.offset()))
                .setMaxResults(page.size())
                .getResultList()
                .stream()
                .map(ListedBean::of)
                .toList());
  }

  private TypedQuery<Bean> query(EntityManager entities, Wanted wanted) {
    return switch (settings.fetch()) {
      case N_PLUS_1, LAZY -> byPaths(entities, wanted);
      case GRAPH ->
          byPaths(entities, wanted).setHint(SpecHints.HINT_SPEC_LOAD_GRAPH, graph(entities));
      case DUPLICATE_JOINS ->
          byJoins(entities, wanted).setHint(SpecHints.HINT_SPEC_LOAD_GRAPH, graph(entities));
    };
  }

  private static TypedQuery<Bean> byPaths(EntityManager entities, Wanted wanted) {
    return new Filter()
        .equal("b.farm.region.country.name", wanted.countryName())
        .equal("b.farm.region.name", wanted.regionName())
        .equal("b.variety.name", wanted.varietyName())
        .equal("b.variety.type", wanted.varietyType())
        .equal("b.company.name", wanted.companyName())
        .query(entities, "select b from Bean b", "b.id", Bean.class);
  }

  /** Joins only what has a condition: an inner join loses beans without a farm. */
  private static TypedQuery<Bean> byJoins(EntityManager entities, Wanted wanted) {
    var selection = new StringBuilder("select b from Bean b");
    if (wanted.countryName() != null || wanted.regionName() != null) {
      selection.append(" join b.farm f join f.region r");
    }
    if (wanted.countryName() != null) {
      selection.append(" join r.country c");
    }
    if (wanted.varietyName() != null || wanted.varietyType() != null) {
      selection.append(" join b.variety v");
    }
    if (wanted.companyName() != null) {
      selection.append(" join b.company o");
    }
    return new Filter()
        .equal("c.name", wanted.countryName())
        .equal("r.name", wanted.regionName())
        .equal("v.name", wanted.varietyName())
        .equal("v.type", wanted.varietyType())
        .equal("o.name", wanted.companyName())
        .query(entities, selection.toString(), "b.id", Bean.class);
  }

  private Bean find(EntityManager entities, long id) {
    Map<String, Object> hints =
        settings.fetch() == Fetch.GRAPH || settings.fetch() == Fetch.DUPLICATE_JOINS
            ? Map.of(SpecHints.HINT_SPEC_LOAD_GRAPH, graph(entities))
            : Map.of();
    var bean = Database.find(entities, Bean.class, id, hints);
    if (bean == null) {
      throw new Unknown("bean", id);
    }
    return bean;
  }

  private static Object graph(EntityManager entities) {
    return entities.getEntityGraph(Bean.GRAPH);
  }
}
