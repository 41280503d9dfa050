package testbed.support.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.cloud.client.DefaultServiceInstance;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.cloud.client.discovery.event.HeartbeatEvent;
import testbed.contracts.CinemaName;
import testbed.support.presence.KnownCinemas;
import testbed.support.presence.Presence;

class RegisteredCinemasTest {

  private static final CinemaName DUNDRUM = new CinemaName("dundrum");
  private static final CinemaName UCD = new CinemaName("ucd");

  private final Registry registry = new Registry();
  private Instant now = Instant.EPOCH;
  private final RegisteredCinemas cinemas =
      new RegisteredCinemas(
          registry, new KnownCinemas(Duration.ZERO, Duration.ofHours(1), () -> now));

  @Test
  void findsCinemasByTheirMetadataWhateverTheirServiceIsCalled() {
    registry.add("cinema-ucd-service", 8084, Map.of("cinema", "ucd"));
    registry.add("another-name", 9084, Map.of("cinema", "ucd"));
    registry.add("aggregator-service", 8081, Map.of());
    registry.add("odd-service", 8081, Map.of("cinema", "Not A Name"));

    answer();

    assertThat(cinemas.presence()).isEqualTo(Presence.of(List.of(UCD), List.of()));
    assertThat(cinemas.instancesOf(UCD))
        .containsExactlyInAnyOrder(
            URI.create("http://127.0.0.1:8084"), URI.create("http://127.0.0.1:9084"));
    assertThat(cinemas.instancesOf(DUNDRUM)).isEmpty();
  }

  @Test
  void namesACinemaThatIsGoneUntilItReturns() {
    registry.add("cinema-ucd-service", 8084, Map.of("cinema", "ucd"));
    registry.add("cinema-dundrum-service", 8083, Map.of("cinema", "dundrum"));
    answer();

    registry.remove("cinema-dundrum-service");
    answer();
    assertThat(cinemas.presence()).isEqualTo(Presence.of(List.of(UCD), List.of(DUNDRUM)));
    assertThat(cinemas.presence().knows(DUNDRUM)).isTrue();
    assertThat(cinemas.instancesOf(DUNDRUM)).isEmpty();

    registry.add("cinema-dundrum-service", 8083, Map.of("cinema", "dundrum"));
    answer();
    assertThat(cinemas.presence()).isEqualTo(Presence.of(List.of(UCD, DUNDRUM), List.of()));
  }

  @Test
  void keepsARegisteredCinemaHoweverLongTheRegistryIsSilent() {
    registry.add("cinema-ucd-service", 8084, Map.of("cinema", "ucd"));
    answer();

    now = now.plus(Duration.ofDays(1));

    assertThat(cinemas.presence()).isEqualTo(Presence.of(List.of(UCD), List.of()));
  }

  @Test
  void hasNotFetchedBeforeTheRegistryAnswers() {
    assertThat(cinemas.fetched()).isFalse();

    answer();

    assertThat(cinemas.fetched()).isTrue();
  }

  private void answer() {
    now = now.plusSeconds(1);
    cinemas.registryAnswered(new HeartbeatEvent(this, now));
  }

  private static final class Registry implements DiscoveryClient {

    private final List<ServiceInstance> instances = new ArrayList<>();

    void add(String service, int port, Map<String, String> metadata) {
      instances.add(
          new DefaultServiceInstance(
              service + ":" + port, service, "127.0.0.1", port, false, metadata));
    }

    void remove(String service) {
      instances.removeIf(instance -> instance.getServiceId().equals(service));
    }

    @Override
    public String description() {
      return "A registry under a test's control";
    }

    @Override
    public List<String> getServices() {
      return instances.stream().map(ServiceInstance::getServiceId).distinct().toList();
    }

    @Override
    public List<ServiceInstance> getInstances(String service) {
      return instances.stream()
          .filter(instance -> instance.getServiceId().equals(service))
          .toList();
    }
  }
}
