package testbed.gateway.problem;

import io.netty.handler.timeout.ReadTimeoutException;
import java.io.IOException;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.stereotype.Component;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;
import testbed.contracts.ProblemType;
import testbed.support.problem.Problems;

/** Answers exceptions that nothing else has handled, before the framework's error page would. */
@Component
@Order(-2)
class ProblemHandler implements WebExceptionHandler {

  private static final Logger log = LoggerFactory.getLogger(ProblemHandler.class);
  private static final Pattern CINEMA_PATH = Pattern.compile("/cinema/([^/]+)(/.*)?");

  private final ProblemResponses problems;

  ProblemHandler(ProblemResponses problems) {
    this.problems = problems;
  }

  @Override
  public Mono<Void> handle(ServerWebExchange exchange, Throwable fault) {
    if (exchange.getResponse().isCommitted()) {
      return Mono.error(fault);
    }
    if (fault instanceof ErrorResponse error && error.getStatusCode().is4xxClientError()) {
      return clientError(exchange, error.getStatusCode());
    }
    if (fault instanceof ReadTimeoutException) {
      // A service sent the headers of an answer and nothing of its body.
      ServerWebExchangeUtils.reset(exchange);
      return problems.write(
          exchange, ProblemType.TIME_LIMIT, "The answer stopped at its beginning.");
    }
    if (fault instanceof IOException) {
      // The connection ended after the headers of an answer.
      ServerWebExchangeUtils.reset(exchange);
      return problems.write(
          exchange, ProblemType.NO_ANSWER, "The answer broke off at its beginning.");
    }
    log.error(
        "{} {} failed", exchange.getRequest().getMethod(), exchange.getRequest().getPath(), fault);
    return problems.write(exchange, ProblemType.INTERNAL, "The request failed in the gateway.");
  }

  private Mono<Void> clientError(ServerWebExchange exchange, HttpStatusCode status) {
    var path = exchange.getRequest().getPath().value();
    if (status.value() == HttpStatus.NOT_FOUND.value()) {
      var cinema = CINEMA_PATH.matcher(path);
      return cinema.matches()
          ? problems.write(
              exchange,
              ProblemType.CINEMA_UNKNOWN,
              "No cinema is called '%s'.".formatted(cinema.group(1)))
          : problems.write(exchange, ProblemType.NOT_FOUND, "Nothing is at %s.".formatted(path));
    }
    return problems.write(exchange, Problems.ofStatus(status));
  }
}
