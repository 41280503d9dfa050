package testbed.gateway;

import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.ReactiveDiscoveryClient;
import reactor.core.publisher.Flux;
import testbed.discovery.testing.InMemoryRegistry;

/** The test's registry as the gateway's own load balancer asks it. */
class ReactiveRegistry implements ReactiveDiscoveryClient {

  private final InMemoryRegistry registry;

  ReactiveRegistry(InMemoryRegistry registry) {
    this.registry = registry;
  }

  @Override
  public String description() {
    return registry.description();
  }

  @Override
  public Flux<ServiceInstance> getInstances(String service) {
    return Flux.defer(() -> Flux.fromIterable(registry.getInstances(service)));
  }

  @Override
  public Flux<String> getServices() {
    return Flux.defer(() -> Flux.fromIterable(registry.getServices()));
  }
}
