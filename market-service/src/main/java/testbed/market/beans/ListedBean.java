package testbed.market.beans;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import testbed.market.between.Stock;

/**
 * A bean as clients see it (document, figures 4.13 and 4.14).
 *
 * @param altitude of the farm, in metres
 * @param region of the farm
 * @param availableQuantity kilograms; only where the inventory was asked
 * @param price of a kilogram, in US dollars; without it the bean is not sold
 */
public record ListedBean(
    long id,
    @Nullable Integer harvestYear,
    @Nullable String processingMethod,
    @Nullable String color,
    @Nullable String farm,
    @Nullable Integer altitude,
    @Nullable String mill,
    @Nullable String region,
    @Nullable String country,
    String company,
    VarietyType varietyType,
    String varietyName,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long availableQuantity,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable BigDecimal price) {

  static ListedBean of(Bean bean) {
    var farm = bean.farm();
    var mill = bean.mill();
    var region = farm == null ? null : farm.region();
    return new ListedBean(
        bean.id(),
        bean.harvestYear(),
        bean.processingMethod(),
        bean.color(),
        farm == null ? null : farm.name(),
        farm == null ? null : farm.altitude(),
        mill == null ? null : mill.name(),
        region == null ? null : region.name(),
        region == null ? null : region.country().name(),
        bean.company().name(),
        bean.variety().type(),
        bean.variety().name(),
        null,
        null);
  }

  /**
   * The same with what the inventory says.
   *
   * @param stock null if the bean is not sold
   */
  ListedBean with(@Nullable Stock stock) {
    return new ListedBean(
        id,
        harvestYear,
        processingMethod,
        color,
        farm,
        altitude,
        mill,
        region,
        country,
        company,
        varietyType,
        varietyName,
        stock == null ? 0 : stock.quantity(),
        stock == null ? null : stock.price());
  }
}
