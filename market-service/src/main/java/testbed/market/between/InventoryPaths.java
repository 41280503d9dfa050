package testbed.market.between;

/** Where the inventory answers other parts. No gateway leads there. */
public final class InventoryPaths {

  public static final String STOCKS = "/internal/inventory/stocks";
  public static final String STOCK = STOCKS + "/{beanId}";
  public static final String ORDERS = "/internal/inventory/clients/{client}/orders";

  private InventoryPaths() {}
}
