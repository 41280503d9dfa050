package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import testbed.discovery.testing.InMemoryRegistry;
import testbed.support.testing.HeldPort;

/** Parts find each other in the registry. */
class RegistryTest {

  @Test
  void asksAnInventoryThatIsRegistered() throws Exception {
    var databases = List.of(Postgres.database(), Postgres.database());
    try (var inventory =
            Market.on(databases.get(0), "market.parts=inventory", "market.front=false");
        var nobody = new HeldPort();
        var beans =
            Market.started(
                List.of(InMemoryRegistry.class),
                "market.parts=beans",
                "market.db.url=" + databases.get(1).url(),
                "eureka.client.enabled=true",
                "eureka.client.register-with-eureka=false",
                "eureka.client.fetch-registry=false")) {
      databases.get(0).run("stock.sql");
      databases.get(1).run("market.sql");
      assertThat(beans.get("/api/beans/1").statusCode()).isEqualTo(503);

      var registry = beans.bean(InMemoryRegistry.class);
      registry.add("inventory-service", inventory.address(), Map.of());
      // It has gone a moment ago.
      registry.add(
          "inventory-service", URI.create("http://localhost:" + nobody.number()), Map.of());
      beans.publish(registry.heartbeat());

      for (int i = 0; i < 4; i++) {
        assertThat(beans.get("/api/beans/1").statusCode()).isEqualTo(200);
      }
    }
  }
}
