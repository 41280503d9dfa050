package testbed.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import testbed.cinemas.KnownCinemas;
import testbed.cinemas.Presence;
import testbed.contracts.CinemaName;
import testbed.discovery.testing.InMemoryRegistry;

class RegisteredCinemasTest {

  private static final CinemaName DUNDRUM = new CinemaName("dundrum");
  private static final CinemaName UCD = new CinemaName("ucd");
  private static final URI HERE = URI.create("http://127.0.0.1:8084");
  private static final URI THERE = URI.create("http://127.0.0.1:9084");

  private final InMemoryRegistry registry = new InMemoryRegistry();
  private Instant now = Instant.EPOCH;
  private final RegisteredCinemas cinemas =
      new RegisteredCinemas(
          registry, new KnownCinemas(Duration.ZERO, Duration.ofHours(1), () -> now));

  @Test
  void findsCinemasByTheirMetadataWhateverTheirServiceIsCalled() {
    registry.add("cinema-ucd-service", HERE, Map.of("cinema", "ucd"));
    registry.add("another-name", THERE, Map.of("cinema", "ucd"));
    registry.add("aggregator-service", HERE, Map.of());
    registry.add("odd-service", HERE, Map.of("cinema", "Not A Name"));

    answer();

    assertThat(cinemas.presence()).isEqualTo(Presence.of(List.of(UCD), List.of()));
    assertThat(cinemas.instancesOf(UCD)).containsExactlyInAnyOrder(HERE, THERE);
    assertThat(cinemas.instancesOf(DUNDRUM)).isEmpty();
  }

  @Test
  void findsOtherServicesByTheirName() {
    registry.add("aggregator-service", HERE, Map.of());

    answer();

    assertThat(cinemas.instancesOf("aggregator-service")).containsExactly(HERE);
    assertThat(cinemas.instancesOf("broker-service")).isEmpty();
  }

  @Test
  void leavesAnInstanceOutWhoseAddressIsNone() {
    registry.addWithoutAddress("cinema-dundrum-service", "bad host");
    registry.addCinema("ucd", HERE);

    answer();

    assertThat(cinemas.presence()).isEqualTo(Presence.of(List.of(UCD), List.of()));
    assertThat(cinemas.instancesOf("cinema-dundrum-service")).isEmpty();
  }

  @Test
  void asksNoMoreCinemasThanCanBeNamedAsMissing() {
    for (int number = 0; number <= KnownCinemas.MOST; number++) {
      registry.addCinema("cinema" + number, HERE);
    }

    answer();

    assertThat(cinemas.presence().present()).hasSize(KnownCinemas.MOST);
  }

  @Test
  void namesACinemaThatIsGoneUntilItReturns() {
    registry.addCinema("ucd", HERE);
    registry.addCinema("dundrum", THERE);
    answer();

    registry.remove("cinema-dundrum-service");
    answer();
    assertThat(cinemas.presence()).isEqualTo(Presence.of(List.of(UCD), List.of(DUNDRUM)));
    assertThat(cinemas.instancesOf(DUNDRUM)).isEmpty();

    registry.addCinema("dundrum", THERE);
    answer();
    assertThat(cinemas.presence()).isEqualTo(Presence.of(List.of(UCD, DUNDRUM), List.of()));
  }

  @Test
  void keepsARegisteredCinemaHoweverLongTheRegistryIsSilent() {
    registry.addCinema("ucd", HERE);
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
    cinemas.registryAnswered(registry.heartbeat());
  }
}
