package testbed.market.database;

import com.zaxxer.hikari.HikariDataSource;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import testbed.market.database.DatabaseSettings.Sharing;
import testbed.market.part.Part;
import testbed.market.part.PartOf;
import testbed.market.part.PartSettings;

/** A pool of connections for all parts of this process, or one for each. */
@Configuration(proxyBeanMethods = false)
class DatabaseConfiguration {

  private static final String CHOICE = "market.databases";
  private static final String COMMON = "market";

  /** Pools by the names of their beans. */
  @Bean
  Databases databases(
      DatabaseSettings settings,
      PartSettings process,
      Map<String, HikariDataSource> pools,
      ObjectProvider<Mapping> mappings) {
    var databases = new Databases(settings, mappings.stream().toList());
    if (settings.databases() == Sharing.ONE) {
      databases.add(of(COMMON, pools), process.parts());
    } else {
      process.parts().forEach(part -> databases.add(of(part.lowerCase(), pools), Set.of(part)));
    }
    return databases;
  }

  private static HikariDataSource of(String name, Map<String, HikariDataSource> pools) {
    return Objects.requireNonNull(pools.get(name + "Pool"), name);
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(name = CHOICE, havingValue = "one")
  static class One {

    @Bean
    HikariDataSource marketPool(DatabaseSettings settings, Environment environment) {
      return pool(COMMON, settings.db().url(), settings, environment);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(name = CHOICE, havingValue = "each")
  static class Each {

    @Bean
    @PartOf(Part.BEANS)
    HikariDataSource beansPool(DatabaseSettings settings, Environment environment) {
      return poolOf(Part.BEANS, settings, environment);
    }

    @Bean
    @PartOf(Part.INVENTORY)
    HikariDataSource inventoryPool(DatabaseSettings settings, Environment environment) {
      return poolOf(Part.INVENTORY, settings, environment);
    }

    @Bean
    @PartOf(Part.CLIENTS)
    HikariDataSource clientsPool(DatabaseSettings settings, Environment environment) {
      return poolOf(Part.CLIENTS, settings, environment);
    }
  }

  private static HikariDataSource poolOf(
      Part part, DatabaseSettings settings, Environment environment) {
    return pool(part.lowerCase(), settings.urlOf(part), settings, environment);
  }

  private static HikariDataSource pool(
      String name, String url, DatabaseSettings settings, Environment environment) {
    var pool = new HikariDataSource();
    pool.setPoolName(name);
    pool.setJdbcUrl(url);
    pool.setUsername(settings.db().user());
    pool.setPassword(settings.db().password());
    Binder.get(environment).bind("spring.datasource.hikari", Bindable.ofInstance(pool));
    // As Hibernate is told (Databases).
    pool.setAutoCommit(false);
    return pool;
  }
}
