package testbed.discovery.testing;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.cloud.client.DefaultServiceInstance;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.cloud.client.discovery.event.HeartbeatEvent;

/**
 * A registry under a test's control: the test imports it. Its users notice a change at the next
 * heartbeat.
 */
public class InMemoryRegistry implements DiscoveryClient {

  private final List<ServiceInstance> instances = new CopyOnWriteArrayList<>();

  /** Registers an instance that belongs to the cinema. */
  public void addCinema(String cinema, URI address) {
    add("cinema-%s-service".formatted(cinema), address, Map.of("cinema", cinema));
  }

  public void add(String service, URI address, Map<String, String> metadata) {
    instances.add(
        new DefaultServiceInstance(
            "%s:%d".formatted(service, address.getPort()),
            service,
            address.getHost(),
            address.getPort(),
            false,
            metadata));
  }

  /** Registers what is no host name as one. */
  public void addWithoutAddress(String service, String host) {
    instances.add(new DefaultServiceInstance(host, service, host, 80, false, Map.of()));
  }

  public void remove(String service) {
    instances.removeIf(instance -> instance.getServiceId().equals(service));
  }

  public void clear() {
    instances.clear();
  }

  /** What a registry's client publishes after each answer. */
  public HeartbeatEvent heartbeat() {
    return new HeartbeatEvent(this, new Object());
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
    return instances.stream().filter(instance -> instance.getServiceId().equals(service)).toList();
  }
}
