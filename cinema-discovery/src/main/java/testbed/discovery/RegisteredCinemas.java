package testbed.discovery;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toUnmodifiableList;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.cloud.client.discovery.event.HeartbeatEvent;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import testbed.cinemas.KnownCinemas;
import testbed.cinemas.Presence;
import testbed.contracts.CinemaName;

/**
 * The services in the registry, and the cinemas among them, as of its last answer; while the
 * registry is down that answer stands. An instance belongs to the cinema that its metadata names
 * under {@value #METADATA_KEY}, so a new cinema needs no code and no configuration at a front door.
 * Computed once for each answer of the registry, not for each request.
 */
public final class RegisteredCinemas {

  public static final String METADATA_KEY = "cinema";

  private static final Logger log = LoggerFactory.getLogger(RegisteredCinemas.class);

  private final DiscoveryClient discovery;
  private final KnownCinemas memory;
  private volatile Map<String, List<URI>> services = Map.of();
  private volatile Map<CinemaName, List<URI>> instances = Map.of();
  private volatile Set<String> malformed = Set.of();
  private volatile Presence presence = Presence.of(List.of(), List.of());
  private volatile boolean fetched;

  public RegisteredCinemas(DiscoveryClient discovery, KnownCinemas memory) {
    this.discovery = discovery;
    this.memory = memory;
  }

  /** Where the service's instances are; empty if none is registered. */
  public List<URI> instancesOf(String service) {
    return services.getOrDefault(service, List.of());
  }

  /** Where the cinema's instances are; empty if none is registered. */
  public List<URI> instancesOf(CinemaName cinema) {
    return instances.getOrDefault(cinema, List.of());
  }

  /** The registered cinemas, and those that were registered and are gone. */
  public Presence presence() {
    return presence;
  }

  /** Registered and remembered cinemas: one that is gone is unavailable, not unknown. */
  public SortedSet<CinemaName> known() {
    var now = presence;
    var cinemas = new TreeSet<>(now.present());
    cinemas.addAll(now.missing());
    return cinemas;
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

  /** The registry may have answered before this listener existed. */
  @EventListener
  @Order(Ordered.HIGHEST_PRECEDENCE)
  void started(ContextRefreshedEvent start) {
    update();
  }

  private synchronized void update() {
    var registered = registered();
    services = addressesBy(registered, Registered::service);
    var ofCinemas = registered.stream().filter(instance -> instance.cinema().isPresent()).toList();
    var addresses = addressesBy(ofCinemas, instance -> instance.cinema().orElseThrow());
    addresses.keySet().forEach(memory::seen);
    // The memory has a bound.
    addresses.keySet().removeIf(cinema -> !memory.knows(cinema));
    instances = addresses;
    var missing = new TreeSet<>(memory.presence().missing());
    missing.removeAll(instances.keySet());
    presence = Presence.of(instances.keySet(), missing);
  }

  /** Skips instances with a malformed address: one must not hide all others. */
  private List<Registered> registered() {
    var registered = new ArrayList<Registered>();
    var skipped = new HashSet<String>();
    for (var service : discovery.getServices()) {
      for (var instance : discovery.getInstances(service)) {
        try {
          registered.add(new Registered(service, cinemaOf(instance), instance.getUri()));
        } catch (IllegalArgumentException noAddress) {
          var id = "%s %s".formatted(service, instance.getInstanceId());
          skipped.add(id);
          if (!malformed.contains(id)) {
            log.warn("{} is registered without a valid address", id, noAddress);
          }
        }
      }
    }
    malformed = Set.copyOf(skipped);
    return registered;
  }

  private static <K> Map<K, List<URI>> addressesBy(
      List<Registered> registered, Function<Registered, K> key) {
    return registered.stream()
        .collect(groupingBy(key, mapping(Registered::address, toUnmodifiableList())));
  }

  private static Optional<CinemaName> cinemaOf(ServiceInstance instance) {
    return Optional.ofNullable(instance.getMetadata())
        .map(metadata -> metadata.get(METADATA_KEY))
        .flatMap(CinemaName::parse);
  }

  private record Registered(String service, Optional<CinemaName> cinema, URI address) {}
}
