package testbed.market.database;

import com.zaxxer.hikari.HikariDataSource;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import testbed.market.part.Part;
import testbed.market.part.PartOf;
import testbed.market.part.PartSettings;

/** A pool of connections for all parts of this process, or one for each. */
@Configuration(proxyBeanMethods = false)
class DatabaseConfiguration {

  private static final String POOL = "spring.datasource.hikari";

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(name = "market.databases", havingValue = "one")
  static class One {

    @Bean
    HikariDataSource market(DatabaseSettings settings, Environment environment) {
      return pool("market", settings.db().url(), settings, environment);
    }

    @Bean
    Databases databases(
        HikariDataSource market,
        DatabaseSettings settings,
        PartSettings process,
        ObjectProvider<Mapping> mappings) {
      var databases = new Databases(settings, mappings.stream().toList());
      databases.add(market, process.parts());
      return databases;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(name = "market.databases", havingValue = "each")
  static class Each {

    @Bean
    @PartOf(Part.BEANS)
    HikariDataSource beans(DatabaseSettings settings, Environment environment) {
      return pool(Part.BEANS, settings, environment);
    }

    @Bean
    @PartOf(Part.INVENTORY)
    HikariDataSource inventory(DatabaseSettings settings, Environment environment) {
      return pool(Part.INVENTORY, settings, environment);
    }

    @Bean
    @PartOf(Part.CLIENTS)
    HikariDataSource clients(DatabaseSettings settings, Environment environment) {
      return pool(Part.CLIENTS, settings, environment);
    }

    @Bean
    Databases databases(
        Map<String, HikariDataSource> pools,
        DatabaseSettings settings,
        PartSettings process,
        ObjectProvider<Mapping> mappings) {
      var databases = new Databases(settings, mappings.stream().toList());
      for (var part : process.parts()) {
        var pool = pools.get(part.lowerCase());
        if (pool == null) {
          throw new IllegalStateException("no pool of " + part);
        }
        databases.add(pool, Set.of(part));
      }
      return databases;
    }

    private static HikariDataSource pool(
        Part part, DatabaseSettings settings, Environment environment) {
      return DatabaseConfiguration.pool(
          part.lowerCase(), settings.urlOf(part), settings, environment);
    }
  }

  private static HikariDataSource pool(
      String name, String url, DatabaseSettings settings, Environment environment) {
    var pool = new HikariDataSource();
    pool.setPoolName(name);
    pool.setJdbcUrl(url);
    pool.setUsername(settings.db().user());
    pool.setPassword(settings.db().password());
    Binder.get(environment).bind(POOL, Bindable.ofInstance(pool));
    // As Hibernate is told (Databases).
    pool.setAutoCommit(false);
    return pool;
  }
}
