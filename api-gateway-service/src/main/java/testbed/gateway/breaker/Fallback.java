package testbed.gateway.breaker;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.netty.handler.timeout.ReadTimeoutException;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cloud.gateway.support.NotFoundException;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.netty.internal.shaded.reactor.pool.PoolAcquirePendingLimitException;
import testbed.contracts.ProblemType;
import testbed.gateway.problem.ProblemResponses;

/** Answers in place of a service that did not. */
@Component
class Fallback {

  private static final Logger log = LoggerFactory.getLogger(Fallback.class);

  private final ProblemResponses problems;

  Fallback(ProblemResponses problems) {
    this.problems = problems;
  }

  Mono<Void> answer(ServerWebExchange exchange, String service, Throwable failure) {
    ServerWebExchangeUtils.reset(exchange);
    return problems.write(
        exchange, type(service, failure), "Fallback: Circuit broken in %s!".formatted(service));
  }

  private static ProblemType type(String service, Throwable failure) {
    // Exactly this class: a hidden subclass of it means that the pool had no free connection,
    // and a request that found none never reached the service.
    if (failure.getClass() == TimeoutException.class || failure instanceof ReadTimeoutException) {
      return ProblemType.TIME_LIMIT;
    }
    if (failure instanceof AnswerLost) {
      return ProblemType.NO_ANSWER;
    }
    if (!expected(failure)) {
      log.warn("The way to {} failed", service, failure);
    }
    return ProblemType.CIRCUIT_OPEN;
  }

  private static boolean expected(Throwable failure) {
    return failure instanceof CallNotPermittedException
        || failure instanceof IOException
        || failure instanceof TimeoutException
        || failure instanceof NotFoundException
        || failure instanceof PoolAcquirePendingLimitException;
  }
}
