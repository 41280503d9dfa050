package testbed.market.between;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Where the inventory is, for processes without it.
 *
 * @param url its address; without it an instance from the registry
 */
@ConfigurationProperties("market.inventory")
record InventorySettings(@Nullable URI url) {}
