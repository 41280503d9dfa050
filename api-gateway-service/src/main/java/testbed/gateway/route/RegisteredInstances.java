package testbed.gateway.route;

import static java.util.stream.Collectors.toUnmodifiableMap;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.cloud.client.discovery.event.HeartbeatEvent;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Where every service's instances are, as of the registry's last answer. The reactive discovery
 * client hands each question to another thread; this answer is in memory already.
 */
@Component
class RegisteredInstances {

  private final DiscoveryClient discovery;
  private volatile Map<String, List<URI>> instances = Map.of();

  RegisteredInstances(DiscoveryClient discovery) {
    this.discovery = discovery;
  }

  List<URI> of(String service) {
    return instances.getOrDefault(service, List.of());
  }

  @EventListener({HeartbeatEvent.class, ContextRefreshedEvent.class})
  void update() {
    instances =
        discovery.getServices().stream()
            .collect(toUnmodifiableMap(Function.identity(), this::addresses));
  }

  private List<URI> addresses(String service) {
    return discovery.getInstances(service).stream().map(ServiceInstance::getUri).toList();
  }
}
