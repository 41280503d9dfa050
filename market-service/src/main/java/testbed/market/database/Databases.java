package testbed.market.database;

import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.EntityManagerFactory;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.flywaydb.core.Flyway;
import org.hibernate.boot.model.naming.PhysicalNamingStrategySnakeCaseImpl;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import testbed.market.data.Dataset;
import testbed.market.data.Loading;
import testbed.market.data.Table;
import testbed.market.database.DatabaseSettings.Quantities;
import testbed.market.part.Part;

/** The databases of the parts of this process, with the newest schemas. */
public class Databases implements AutoCloseable {

  /** Packages of entities have the names of their parts. */
  private static final String PACKAGES = "testbed.market.";

  /** Until the database answers at the start, one second more each time. */
  private static final int CONNECT_RETRIES = 10;

  private final Map<Part, Database> databases = new EnumMap<>(Part.class);
  private final List<EntityManagerFactory> open = new ArrayList<>();
  private final DatabaseSettings settings;
  private final List<Mapping> mappings;

  Databases(DatabaseSettings settings, List<Mapping> mappings) {
    this.settings = settings;
    this.mappings = mappings;
  }

  /** Adds a database for these parts. */
  void add(HikariDataSource source, Set<Part> parts) {
    parts.forEach(part -> migrate(part, source));
    var factory = entities(source, parts);
    open.add(factory);
    var database = new Database(factory, source);
    parts.forEach(part -> databases.put(part, database));
  }

  /** The database of a part of this process. */
  public Database of(Part part) {
    return Objects.requireNonNull(databases.get(part), () -> "not of this process: " + part);
  }

  /** Whether two parts have one database, in this process. */
  public boolean areTogether(Part first, Part second) {
    return databases.containsKey(first) && databases.get(first) == databases.get(second);
  }

  private void migrate(Part part, HikariDataSource source) {
    var locations = new ArrayList<>(List.of("classpath:db/" + part.lowerCase()));
    if (part == Part.BEANS) {
      locations.add("classpath:db/beans-indexes/" + settings.indexes().folder());
    }
    Flyway.configure()
        // A connection of its own: to build an index may take longer than requests may.
        .dataSource(source.getJdbcUrl(), source.getUsername(), source.getPassword())
        .connectRetries(CONNECT_RETRIES)
        .connectRetriesInterval(1)
        .defaultSchema(part.lowerCase())
        .locations(locations.toArray(String[]::new))
        .load()
        .migrate();
    if (settings.scale() > 0) {
      load(part, source);
    }
  }

  private void load(Part part, HikariDataSource source) {
    var data = new Dataset(settings.scale());
    var tables =
        switch (part) {
          case BEANS -> data.ofBeans();
          case INVENTORY -> List.of(data.stock(settings.stock() == Quantities.ENDLESS));
          case CLIENTS -> List.<Table>of();
        };
    if (tables.isEmpty()) {
      return;
    }
    // Not of the pool, whose statements are cut short.
    try (var connection =
        DriverManager.getConnection(
            source.getJdbcUrl(), source.getUsername(), source.getPassword())) {
      Loading.load(connection, part.lowerCase(), tables);
    } catch (SQLException failed) {
      throw new IllegalStateException("The data of %s cannot be loaded".formatted(part), failed);
    }
  }

  private EntityManagerFactory entities(HikariDataSource source, Set<Part> parts) {
    Map<String, Object> properties = new HashMap<>();
    // A transaction takes its connection when it needs it.
    properties.put("hibernate.connection.provider_disables_autocommit", true);
    properties.put("hibernate.physical_naming_strategy", PhysicalNamingStrategySnakeCaseImpl.class);
    properties.put("hibernate.jdbc.batch_size", 100);
    properties.put("hibernate.order_inserts", true);
    properties.put("hibernate.order_updates", true);
    properties.putAll(settings.hibernate());
    var factory = new LocalContainerEntityManagerFactoryBean();
    factory.setPersistenceUnitName(source.getPoolName());
    factory.setDataSource(source);
    factory.setPackagesToScan(
        parts.stream().map(part -> PACKAGES + part.lowerCase()).toArray(String[]::new));
    if (parts.contains(Part.BEANS)) {
      factory.setMappingResources(mappings.stream().map(Mapping::resource).toArray(String[]::new));
    }
    factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
    factory.setJpaPropertyMap(properties);
    factory.afterPropertiesSet();
    return Objects.requireNonNull(factory.getNativeEntityManagerFactory());
  }

  @Override
  public void close() {
    open.forEach(EntityManagerFactory::close);
  }
}
