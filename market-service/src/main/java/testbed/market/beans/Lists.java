package testbed.market.beans;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import testbed.market.beans.BeansSettings.Kept;
import testbed.market.beans.Entry.ListedCompany;
import testbed.market.beans.Entry.ListedCountry;
import testbed.market.beans.Entry.ListedFarm;
import testbed.market.beans.Entry.ListedMill;
import testbed.market.beans.Entry.ListedRegion;
import testbed.market.beans.Entry.ListedVariety;
import testbed.market.database.Database;
import testbed.market.database.Databases;
import testbed.market.part.Part;
import testbed.market.part.PartOf;

/** All countries and so on, or those that meet the conditions that are given, by id. */
@Component
@PartOf(Part.BEANS)
public class Lists {

  private final Database database;

  /** Null if nothing is kept. */
  private final @Nullable KeptLists kept;

  Lists(Databases databases, BeansSettings settings) {
    this.database = databases.of(Part.BEANS);
    this.kept = settings.cache() == Kept.LISTS ? new KeptLists() : null;
  }

  public List<ListedCountry> countries(@Nullable String name) {
    return kept(
        "countries",
        name,
        null,
        () ->
            list(
                new Filter().equal("c.name", name),
                "select c.id, c.name from Country c",
                "c.id",
                ListedCountry.class));
  }

  public List<ListedRegion> regions(@Nullable String name, @Nullable String country) {
    return kept(
        "regions",
        name,
        country,
        () ->
            list(
                new Filter().equal("r.name", name).equal("r.country.name", country),
                "select r.id, r.name from Region r",
                "r.id",
                ListedRegion.class));
  }

  public List<ListedFarm> farms(
      @Nullable String name, @Nullable String region, @Nullable String country) {
    return list(
        ofRegion("f", name, region, country),
        "select f.id, f.name, f.altitude from Farm f",
        "f.id",
        ListedFarm.class);
  }

  public List<ListedMill> mills(
      @Nullable String name, @Nullable String region, @Nullable String country) {
    return list(
        ofRegion("m", name, region, country),
        "select m.id, m.name from Mill m",
        "m.id",
        ListedMill.class);
  }

  public List<ListedCompany> companies(@Nullable String name) {
    return list(
        new Filter().equal("c.name", name),
        "select c.id, c.name, c.phone, c.email from Company c",
        "c.id",
        ListedCompany.class);
  }

  public List<ListedVariety> varieties(@Nullable String name, @Nullable VarietyType type) {
    return list(
        new Filter().equal("v.name", name).equal("v.type", type),
        "select v.id, v.name, v.type from Variety v",
        "v.id",
        ListedVariety.class);
  }

  private static Filter ofRegion(
      String entity, @Nullable String name, @Nullable String region, @Nullable String country) {
    return new Filter()
        .equal(entity + ".name", name)
        .equal(entity + ".region.name", region)
        .equal(entity + ".region.country.name", country);
  }

  /** A record is made of the columns. */
  private <T> List<T> list(Filter filter, String selection, String order, Class<T> type) {
    return database.read(
        entities -> filter.query(entities, selection, order, type).getResultList());
  }

  private <T> List<T> kept(
      String list, @Nullable String name, @Nullable String country, Supplier<List<T>> read) {
    return kept == null ? read.get() : kept.get(list, name, country, read);
  }

  /** Forgets what is kept. */
  void forget() {
    if (kept != null) {
      kept.forget();
    }
  }
}
