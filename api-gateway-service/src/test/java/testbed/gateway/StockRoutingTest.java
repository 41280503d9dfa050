package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.cloud.gateway.filter.ReactiveLoadBalancerClientFilter;
import org.springframework.test.context.TestPropertySource;
import testbed.contracts.ProblemType;

/** The gateway library's own filters route as ours do; what differs is said here. */
@TestPropertySource(
    properties = {
      "gateway.routing=stock",
      "gateway.breaker.count-server-errors=false",
      // Services of tests come and go faster than the load balancer asks for them again.
      "spring.cloud.loadbalancer.cache.enabled=false"
    })
class StockRoutingTest extends RoutesTest {

  @Autowired private ReactiveLoadBalancerClientFilter loadBalancer;

  @Test
  void usesTheLibrarysLoadBalancer() {
    assertThat(loadBalancer).isNotNull();
  }

  @Test
  void namesTheClientsAddressInAFallback() {
    registerCinema("capitol");
    service.close();

    expectFallback(
            post("/cinema/capitol/reservation/make?a=b", BODY),
            ProblemType.CIRCUIT_OPEN,
            "cinema-capitol-service")
        .jsonPath("$.instance")
        .isEqualTo("/cinema/capitol/reservation/make");
  }

  @Test
  void hasNoFallbackForClientsToAskFor() {
    expectProblem(
        get("/fallback/cinema-capitol-service"),
        ProblemType.NOT_FOUND,
        "Nothing is at /fallback/cinema-capitol-service.");
  }
}
