package testbed.gateway.route;

import java.util.List;

/** A way to a part of the market. */
record MarketRoute(String service, String path) {

  static final List<MarketRoute> ALL =
      List.of(
          new MarketRoute("beans-service", "/api/beans/**"),
          new MarketRoute("inventory-service", "/api/inventory/**"),
          new MarketRoute("clients-service", "/api/admin/**"),
          // Each part has the description of all, and the page.
          new MarketRoute("beans-service", "/openapi.yaml"),
          new MarketRoute("beans-service", "/"));
}
