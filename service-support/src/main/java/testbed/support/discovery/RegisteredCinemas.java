package testbed.support.discovery;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toUnmodifiableList;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.cloud.client.discovery.event.HeartbeatEvent;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import testbed.contracts.CinemaName;
import testbed.support.presence.KnownCinemas;
import testbed.support.presence.Presence;

/**
 * The cinemas in the registry, as of its last answer; while the registry is down that answer
 * stands. An instance belongs to the cinema that its metadata names under {@value #METADATA_KEY},
 * so a new cinema needs no code and no configuration at a front door. Worked out once for each
 * answer of the registry, not for each request.
 */
public final class RegisteredCinemas {

  public static final String METADATA_KEY = "cinema";

  private final DiscoveryClient discovery;
  private final KnownCinemas memory;
  private volatile Map<CinemaName, List<URI>> instances = Map.of();
  private volatile Presence presence = Presence.of(List.of(), List.of());
  private volatile boolean fetched;

  public RegisteredCinemas(DiscoveryClient discovery, KnownCinemas memory) {
    this.discovery = discovery;
    this.memory = memory;
  }

  /** Where the cinema's instances are; empty if none is registered. */
  public List<URI> instancesOf(CinemaName cinema) {
    return instances.getOrDefault(cinema, List.of());
  }

  /** The registered cinemas, and those that were registered and are gone. */
  public Presence presence() {
    return presence;
  }

  /** Whether the registry has answered at least once. */
  public boolean fetched() {
    return fetched;
  }

  /** Comes first, so that other listeners find the registry's new state here. */
  @EventListener
  @Order(Ordered.HIGHEST_PRECEDENCE)
  void registryAnswered(HeartbeatEvent answer) {
    update();
    fetched = true;
  }

  /** The client may have asked the registry before this object was there to listen. */
  @EventListener
  @Order(Ordered.HIGHEST_PRECEDENCE)
  void started(ContextRefreshedEvent start) {
    update();
  }

  private void update() {
    instances =
        discovery.getServices().stream()
            .flatMap(service -> discovery.getInstances(service).stream())
            .filter(instance -> cinemaOf(instance).isPresent())
            .collect(
                groupingBy(
                    instance -> cinemaOf(instance).orElseThrow(),
                    mapping(ServiceInstance::getUri, toUnmodifiableList())));
    instances.keySet().forEach(memory::seen);
    var missing = new TreeSet<>(memory.presence().missing());
    missing.removeAll(instances.keySet());
    presence = Presence.of(instances.keySet(), missing);
  }

  private static Optional<CinemaName> cinemaOf(ServiceInstance instance) {
    return Optional.ofNullable(instance.getMetadata())
        .map(metadata -> metadata.get(METADATA_KEY))
        .flatMap(CinemaName::parse);
  }
}
