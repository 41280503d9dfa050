package testbed.management;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.server.WebFilter;
import testbed.contracts.ProblemType;
import testbed.gateway.problem.ProblemResponses;
import testbed.gateway.problem.ServerRefusals;
import testbed.support.web.ManagementPaths;
import tools.jackson.databind.json.JsonMapper;

/**
 * A server of its own that knows the handlers of the gateway too. What is neither health nor
 * metrics is refused with a problem, as at the gateway's port.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
public class ManagementEdge {

  /** Before the routes, which would take what is meant for the gateway's port. */
  @Bean
  @Order(Ordered.LOWEST_PRECEDENCE - 1)
  WebFilter openPathsOnly(ProblemResponses problems) {
    return (exchange, chain) -> {
      var path = exchange.getRequest().getPath().value();
      return ManagementPaths.isOpen(path)
          ? chain.filter(exchange)
          : problems.write(exchange, ProblemType.NOT_FOUND, "Nothing is at %s.".formatted(path));
    };
  }

  @Bean
  ServerRefusals managementRefusals(JsonMapper json) {
    return new ServerRefusals(json);
  }
}
