package testbed.market.beans;

import java.util.function.LongConsumer;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import testbed.market.beans.Entry.ListedCompany;
import testbed.market.beans.Entry.ListedCountry;
import testbed.market.beans.Entry.ListedFarm;
import testbed.market.beans.Entry.ListedMill;
import testbed.market.beans.Entry.ListedRegion;
import testbed.market.beans.Entry.ListedVariety;
import testbed.market.beans.Entry.NewBean;
import testbed.market.beans.Entry.NewCompany;
import testbed.market.beans.Entry.NewCountry;
import testbed.market.beans.Entry.NewFarm;
import testbed.market.beans.Entry.NewMill;
import testbed.market.beans.Entry.NewRegion;
import testbed.market.beans.Entry.NewVariety;
import testbed.market.between.Inventory;
import testbed.market.database.Database;
import testbed.market.database.Databases;
import testbed.market.database.Mapping;
import testbed.market.part.Part;
import testbed.market.part.PartOf;

/** What administrators may change. */
@Configuration(proxyBeanMethods = false)
@PartOf(Part.BEANS)
class BeansConfiguration {

  private static final LongConsumer NOTHING_ELSE = id -> {};

  private final Database database;
  private final Lists lists;

  BeansConfiguration(Databases databases, Lists lists) {
    this.database = databases.of(Part.BEANS);
    this.lists = lists;
  }

  @Bean
  Entries<Country, NewCountry, ListedCountry> countries() {
    return new Entries<>(
        database,
        Country.class,
        Country::new,
        (country, wanted, references) -> country.name(wanted.name()),
        country -> new ListedCountry(country.id(), country.name()),
        NOTHING_ELSE,
        lists::forget);
  }

  @Bean
  Entries<Region, NewRegion, ListedRegion> regions() {
    return new Entries<>(
        database,
        Region.class,
        Region::new,
        (region, wanted, references) -> {
          region.name(wanted.name());
          region.country(references.find(Country.class, wanted.countryId()));
        },
        region -> new ListedRegion(region.id(), region.name()),
        NOTHING_ELSE,
        lists::forget);
  }

  @Bean
  Entries<Farm, NewFarm, ListedFarm> farms() {
    return new Entries<>(
        database,
        Farm.class,
        Farm::new,
        (farm, wanted, references) -> {
          farm.name(wanted.name());
          farm.altitude(wanted.altitude());
          farm.region(references.find(Region.class, wanted.regionId()));
        },
        farm -> new ListedFarm(farm.id(), farm.name(), farm.altitude()),
        NOTHING_ELSE,
        lists::forget);
  }

  @Bean
  Entries<Mill, NewMill, ListedMill> mills() {
    return new Entries<>(
        database,
        Mill.class,
        Mill::new,
        (mill, wanted, references) -> {
          mill.name(wanted.name());
          mill.region(references.find(Region.class, wanted.regionId()));
        },
        mill -> new ListedMill(mill.id(), mill.name()),
        NOTHING_ELSE,
        lists::forget);
  }

  @Bean
  Entries<Company, NewCompany, ListedCompany> companies() {
    return new Entries<>(
        database,
        Company.class,
        Company::new,
        (company, wanted, references) -> {
          company.name(wanted.name());
          company.contact(wanted.phone(), wanted.email());
        },
        company ->
            new ListedCompany(company.id(), company.name(), company.phone(), company.email()),
        NOTHING_ELSE,
        lists::forget);
  }

  @Bean
  Entries<Variety, NewVariety, ListedVariety> varieties() {
    return new Entries<>(
        database,
        Variety.class,
        Variety::new,
        (variety, wanted, references) -> {
          variety.name(wanted.name());
          variety.type(wanted.type());
        },
        variety -> new ListedVariety(variety.id(), variety.name(), variety.type()),
        NOTHING_ELSE,
        lists::forget);
  }

  /** A bean that is removed is no longer sold. */
  @Bean
  Entries<testbed.market.beans.Bean, NewBean, ListedBean> beanEntries(Inventory inventory) {
    return new Entries<>(
        database,
        testbed.market.beans.Bean.class,
        testbed.market.beans.Bean::new,
        (bean, wanted, references) -> {
          bean.harvested(wanted.harvestYear(), wanted.processingMethod(), wanted.color());
          bean.from(
              wanted.farmId() == null ? null : references.find(Farm.class, wanted.farmId()),
              wanted.millId() == null ? null : references.find(Mill.class, wanted.millId()));
          bean.of(
              references.find(Company.class, wanted.companyId()),
              references.find(Variety.class, wanted.varietyId()));
        },
        ListedBean::of,
        inventory::remove,
        lists::forget);
  }

  /** Of the library's default: references are read at once. */
  @Configuration(proxyBeanMethods = false)
  @PartOf(Part.BEANS)
  @ConditionalOnProperty(name = "market.fetch", havingValue = "n-plus-1")
  static class Eager {

    @Bean
    Mapping eager() {
      return new Mapping("eager.xml");
    }
  }
}
