package testbed.cinema;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.mongodb.client.MongoClient;
import com.mongodb.observability.micrometer.MicrometerObservabilitySettings;
import io.micrometer.observation.ObservationRegistry;
import java.time.LocalDate;
import java.util.UUID;
import java.util.function.Function;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.data.convert.ConverterBuilder;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.convert.DefaultDbRefResolver;
import org.springframework.data.mongodb.core.convert.DefaultMongoTypeMapper;
import org.springframework.data.mongodb.core.convert.MappingMongoConverter;
import org.springframework.data.mongodb.core.convert.MongoCustomConversions;
import org.springframework.data.mongodb.core.convert.MongoCustomConversions.MongoConverterConfigurationAdapter;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;
import testbed.contracts.MovieId;
import testbed.contracts.ReservationId;
import testbed.contracts.ShowTime;
import testbed.support.trace.TracingProfile;

/** How the contract's records are stored: ids, dates and times as text, amounts as decimals. */
@Configuration(proxyBeanMethods = false)
class DatabaseConfiguration {

  /** Databases with the request's deadline. Not a bean: the framework would then make no client. */
  @Bean
  MongoTemplate mongoTemplate(
      MongoClient client, MongoDatabaseFactory databases, MappingMongoConverter converter) {
    var name = databases.getMongoDatabase().getName();
    return new MongoTemplate(new BoundedDatabases(client, name), converter);
  }

  @Bean
  MongoCustomConversions customConversions() {
    return MongoCustomConversions.create(
        adapter -> {
          register(adapter, MovieId.class, MovieId::value, MovieId::new);
          register(
              adapter, ReservationId.class, ReservationId::toString, DatabaseConfiguration::id);
          register(adapter, ShowTime.class, ShowTime::toString, ShowTime::parse);
          register(adapter, LocalDate.class, LocalDate::toString, LocalDate::parse);
          adapter.bigDecimal(MongoCustomConversions.BigDecimalRepresentation.DECIMAL128);
        });
  }

  @Bean
  MappingMongoConverter mappingMongoConverter(
      MongoDatabaseFactory databases,
      MongoMappingContext mapping,
      MongoCustomConversions conversions) {
    var converter = new MappingMongoConverter(new DefaultDbRefResolver(databases), mapping);
    converter.setCustomConversions(conversions);
    // Each collection has one type, so class names are not stored.
    converter.setTypeMapper(new DefaultMongoTypeMapper(null));
    return converter;
  }

  /**
   * Without these limits a request waits up to 30 s for a database that is away, and without end
   * for one that accepts a command and does not answer.
   */
  @Bean
  MongoClientSettingsBuilderCustomizer databaseLimits(CinemaSettings settings) {
    var limits = settings.database();
    var maxWait = limits.maxWait().toMillis();
    var commandTimeout = limits.commandTimeout().toMillis();
    return client ->
        client
            .applyToConnectionPoolSettings(
                pool ->
                    pool.minSize(limits.minConnections())
                        .maxSize(limits.maxConnections())
                        .maxConnecting(limits.maxConnecting())
                        .maxWaitTime(maxWait, MILLISECONDS))
            .applyToClusterSettings(
                cluster -> cluster.serverSelectionTimeout(maxWait, MILLISECONDS))
            .applyToSocketSettings(socket -> socket.readTimeout(commandTimeout, MILLISECONDS));
  }

  /** The driver's own spans: one for each operation, and below it one for each command. */
  @Bean
  @Profile(TracingProfile.NAME)
  MongoClientSettingsBuilderCustomizer databaseSpans(ObservationRegistry observations) {
    return client ->
        client.observabilitySettings(
            MicrometerObservabilitySettings.builder().observationRegistry(observations).build());
  }

  private static <T> void register(
      MongoConverterConfigurationAdapter adapter,
      Class<T> type,
      Function<T, String> write,
      Function<String, T> read) {
    adapter.registerConverters(
        ConverterBuilder.writing(type, String.class, write).andReading(read).getConverters());
  }

  private static ReservationId id(String text) {
    return new ReservationId(UUID.fromString(text));
  }
}
