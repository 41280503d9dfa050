package testbed.gateway.problem;

import java.net.URI;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;
import testbed.support.problem.Problems;
import tools.jackson.databind.json.JsonMapper;

/** Writes problem details (RFC 9457) as responses. */
@Component
public class ProblemResponses {

  private final JsonMapper json;

  ProblemResponses(JsonMapper json) {
    this.json = json;
  }

  /** Answers with the problem under its usual status. The response must not be committed. */
  public Mono<Void> write(ServerWebExchange exchange, ProblemType type, String detail) {
    return write(exchange, Problems.of(type, detail));
  }

  /**
   * Answers with the problem and does not wait for the rest of the request's body. The response
   * must not be committed.
   */
  public Mono<Void> writeLast(ServerWebExchange exchange, ProblemType type, String detail) {
    exchange.getResponse().getHeaders().setConnection("close");
    return write(exchange, type, detail);
  }

  /** Answers with a problem of the request. The response must not be committed. */
  public Mono<Void> write(ServerWebExchange exchange, ProblemException problem) {
    exchange.getResponse().getHeaders().putAll(Problems.headers(problem));
    return write(exchange, problem.type(), problem.detail());
  }

  /** Answers with the problem. The response must not be committed. */
  public Mono<Void> write(ServerWebExchange exchange, ProblemDetail problem) {
    var path = exchange.getRequest().getPath().value();
    // A URI reference that begins like this would name a host.
    if (!path.startsWith("//")) {
      problem.setInstance(URI.create(path));
    }
    var body = json.writeValueAsBytes(problem);
    var response = exchange.getResponse();
    response.setStatusCode(HttpStatusCode.valueOf(problem.getStatus()));
    response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
    response.getHeaders().setContentLength(body.length);
    return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
  }
}
