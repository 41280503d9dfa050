package testbed.broker;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import testbed.broker.operation.Client;
import testbed.broker.operation.Correlations;
import testbed.broker.operation.Correlations.Limits;
import testbed.broker.operation.Operations;
import testbed.broker.operation.Origin;
import testbed.broker.operation.RequestChannel;
import testbed.cinemas.KnownCinemas;
import testbed.cinemas.SteadyClock;
import testbed.support.access.AccessSettings;
import testbed.support.handicap.Handicap;
import testbed.support.trace.TracingProfile;

/** Wires the core, which knows no framework. */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
@EnableConfigurationProperties(AccessSettings.class)
class BrokerConfiguration {

  @Bean
  KnownCinemas knownCinemas(BrokerSettings settings) {
    var presence = settings.presence();
    return new KnownCinemas(presence.presentFor(), presence.rememberedFor(), new SteadyClock());
  }

  @Bean
  Correlations correlations(BrokerSettings settings) {
    var store = settings.store();
    return new Correlations(
        new Limits(
            store.capacity(),
            store.maxBytes().toBytes(),
            settings.deadline(),
            store.expiry(),
            store.fetchedExpiry()),
        InstantSource.system(),
        System::nanoTime);
  }

  @Bean
  Handicap handicap(BrokerSettings settings, Environment environment) {
    return new Handicap(settings.handicap(), "broker.handicap", environment);
  }

  @Bean
  Operations operations(
      Correlations correlations,
      KnownCinemas cinemas,
      RequestChannel requests,
      AccessSettings access,
      Handicap handicap,
      Environment environment) {
    return new Operations(
        correlations,
        cinemas,
        (id, operation, request, answered) -> {
          handicap.burn();
          return requests.send(id, operation, request, answered);
        },
        access.isRequired() ? AskingClient::here : () -> Client.ANONYMOUS,
        environment.matchesProfiles(TracingProfile.NAME)
            ? TracedOrigin::here
            : () -> Origin.UNTRACED);
  }

  /** Expired answers hold personal data, so they are removed even while no requests come. */
  @Bean
  SchedulingConfigurer expiry(Correlations correlations, BrokerSettings settings) {
    var store = settings.store();
    var interval =
        store.fetchedExpiry().compareTo(store.expiry()) < 0
            ? store.fetchedExpiry()
            : store.expiry();
    return tasks -> tasks.addFixedDelayTask(correlations::forgetExpired, interval);
  }

  @Bean
  MeterBinder storeMeters(Correlations correlations, BrokerSettings settings) {
    return meters -> {
      Gauge.builder("broker.operations", correlations, Correlations::pending)
          .tag("state", "pending")
          .description("Operations in the correlation store")
          .register(meters);
      Gauge.builder("broker.operations", correlations, Correlations::settled)
          .tag("state", "settled")
          .description("Operations in the correlation store")
          .register(meters);
      FunctionCounter.builder("broker.operations.evicted", correlations, Correlations::evicted)
          .description("Answers dropped before their time to make room")
          .register(meters);
      Gauge.builder("broker.store.bytes", correlations, Correlations::bytes)
          .baseUnit(BaseUnits.BYTES)
          .description("About how much memory the operations in the correlation store take")
          .register(meters);
      Gauge.builder("broker.store.max.bytes", () -> settings.store().maxBytes().toBytes())
          .baseUnit(BaseUnits.BYTES)
          .description("How much memory they take at most")
          .register(meters);
      TimeGauge.builder(
              "broker.operations.pending.age",
              correlations,
              TimeUnit.NANOSECONDS,
              store -> store.oldestPending().toNanos())
          .description("Age of the operation that has been pending longest")
          .register(meters);
    };
  }
}
