package testbed.gateway;

import org.springframework.test.context.TestPropertySource;

/** The gateway library's own filters hand tokens on as ours do. */
@TestPropertySource(
    properties = {
      "gateway.routing=stock",
      // Services of tests come and go faster than the load balancer asks for them again.
      "spring.cloud.loadbalancer.cache.enabled=false"
    })
class StockTokensTest extends TokensEverywhereTest {}
