package testbed.gateway.problem;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import testbed.contracts.ProblemType;
import testbed.support.web.RequestTooLarge;
import testbed.support.web.WebSettings;

/**
 * Refuses a request whose Content-Length is over the limit, before its body is read. Chunked bodies
 * are counted while they are read, here or in the service.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 100)
class RequestSizeLimit implements WebFilter {

  private final long limitBytes;
  private final ProblemResponses problems;

  RequestSizeLimit(WebSettings settings, ProblemResponses problems) {
    this.limitBytes = settings.maxBody().toBytes();
    this.problems = problems;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    return exchange.getRequest().getHeaders().getContentLength() > limitBytes
        ? problems.writeLast(exchange, ProblemType.TOO_LARGE, RequestTooLarge.detail(limitBytes))
        : chain.filter(exchange);
  }
}
