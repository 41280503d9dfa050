package testbed.cinema;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.LocalDate;
import java.util.UUID;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.convert.converter.Converter;
import org.springframework.data.convert.ReadingConverter;
import org.springframework.data.convert.WritingConverter;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.convert.DefaultDbRefResolver;
import org.springframework.data.mongodb.core.convert.DefaultMongoTypeMapper;
import org.springframework.data.mongodb.core.convert.MappingMongoConverter;
import org.springframework.data.mongodb.core.convert.MongoCustomConversions;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;
import testbed.contracts.MovieId;
import testbed.contracts.ReservationId;
import testbed.contracts.ShowTime;

/** How the contract's records are stored: ids, dates and times as text, amounts as decimals. */
@Configuration(proxyBeanMethods = false)
class DatabaseConfiguration {

  @Bean
  MongoCustomConversions customConversions() {
    return MongoCustomConversions.create(
        adapter -> {
          adapter.registerConverter(new WriteMovieId());
          adapter.registerConverter(new ReadMovieId());
          adapter.registerConverter(new WriteReservationId());
          adapter.registerConverter(new ReadReservationId());
          adapter.registerConverter(new WriteShowTime());
          adapter.registerConverter(new ReadShowTime());
          adapter.registerConverter(new WriteDate());
          adapter.registerConverter(new ReadDate());
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
    // One type per collection: class names have no place in the data.
    converter.setTypeMapper(new DefaultMongoTypeMapper(null));
    return converter;
  }

  /** Without these limits a request waits up to 30 s for a database that is gone. */
  @Bean
  MongoClientSettingsBuilderCustomizer databaseLimits(CinemaSettings settings) {
    var limits = settings.database();
    var maxWait = limits.maxWait().toMillis();
    return client ->
        client
            .applyToConnectionPoolSettings(
                pool ->
                    pool.minSize(limits.minConnections())
                        .maxSize(limits.maxConnections())
                        .maxConnecting(limits.maxConnecting())
                        .maxWaitTime(maxWait, MILLISECONDS))
            .applyToClusterSettings(
                cluster -> cluster.serverSelectionTimeout(maxWait, MILLISECONDS));
  }

  @WritingConverter
  static class WriteMovieId implements Converter<MovieId, String> {
    @Override
    public String convert(MovieId id) {
      return id.value();
    }
  }

  @ReadingConverter
  static class ReadMovieId implements Converter<String, MovieId> {
    @Override
    public MovieId convert(String text) {
      return new MovieId(text);
    }
  }

  @WritingConverter
  static class WriteReservationId implements Converter<ReservationId, String> {
    @Override
    public String convert(ReservationId id) {
      return id.toString();
    }
  }

  @ReadingConverter
  static class ReadReservationId implements Converter<String, ReservationId> {
    @Override
    public ReservationId convert(String text) {
      return new ReservationId(UUID.fromString(text));
    }
  }

  @WritingConverter
  static class WriteShowTime implements Converter<ShowTime, String> {
    @Override
    public String convert(ShowTime time) {
      return time.toString();
    }
  }

  @ReadingConverter
  static class ReadShowTime implements Converter<String, ShowTime> {
    @Override
    public ShowTime convert(String text) {
      return ShowTime.parse(text);
    }
  }

  @WritingConverter
  static class WriteDate implements Converter<LocalDate, String> {
    @Override
    public String convert(LocalDate date) {
      return date.toString();
    }
  }

  @ReadingConverter
  static class ReadDate implements Converter<String, LocalDate> {
    @Override
    public LocalDate convert(String text) {
      return LocalDate.parse(text);
    }
  }
}
