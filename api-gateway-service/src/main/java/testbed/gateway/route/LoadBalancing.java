package testbed.gateway.route;

import java.util.List;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.loadbalancer.annotation.LoadBalancerClients;
import org.springframework.cloud.loadbalancer.core.ServiceInstanceListSupplier;
import org.springframework.cloud.loadbalancer.support.LoadBalancerClientFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import reactor.core.publisher.Flux;

/** Round robin over {@link RegisteredInstances}, without a cache in between. */
@Configuration(proxyBeanMethods = false)
@LoadBalancerClients(defaultConfiguration = LoadBalancing.OfOneService.class)
class LoadBalancing {

  static class OfOneService {

    @Bean
    ServiceInstanceListSupplier serviceInstances(
        Environment environment, RegisteredInstances instances) {
      return new InstancesOfOneService(LoadBalancerClientFactory.getName(environment), instances);
    }
  }

  private record InstancesOfOneService(String getServiceId, RegisteredInstances instances)
      implements ServiceInstanceListSupplier {

    @Override
    public Flux<List<ServiceInstance>> get() {
      return Flux.just(instances.of(getServiceId));
    }
  }
}
