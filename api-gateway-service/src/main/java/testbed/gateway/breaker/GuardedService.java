package testbed.gateway.breaker;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.netty.handler.timeout.ReadTimeoutException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.cloud.gateway.support.NotFoundException;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import testbed.gateway.balancer.Balancer;
import testbed.support.deadline.Deadline;
import testbed.support.instance.SilentInstances;

/**
 * The way to a service: one of its instances, behind a circuit breaker and a time limit. Both end
 * when the head of the answer has arrived. The gateway library's own filters would forward to a
 * fallback address; this answers in place, for every method.
 */
public final class GuardedService {

  private static final byte[] NO_BODY = {};

  private final String name;
  private final Supplier<List<URI>> instances;
  private final SilentInstances silent;
  private final Balancer balancer;
  private final CircuitBreaker breaker;
  private final Duration limit;
  private final ServiceClient client;
  private final RequestBodies bodies;
  private final Fallback fallback;
  private final BreakerSettings settings;

  GuardedService(
      String name,
      Supplier<List<URI>> instances,
      Balancer balancer,
      CircuitBreaker breaker,
      Duration limit,
      ServiceClient client,
      RequestBodies bodies,
      Fallback fallback,
      BreakerSettings settings) {
    this.name = name;
    this.instances = instances;
    this.silent = new SilentInstances(instances);
    this.balancer = balancer;
    this.breaker = breaker;
    this.limit = limit;
    this.client = client;
    this.bodies = bodies;
    this.fallback = fallback;
    this.settings = settings;
  }

  /** Passes a request on, and its answer back. */
  public Mono<Void> pass(ServerWebExchange exchange) {
    // Read first: a slow upload must not count as the service's time.
    return RequestBodies.isIn(exchange.getRequest())
        ? bodies.collect(exchange).flatMap(body -> guard(exchange, body))
        : guard(exchange, NO_BODY);
  }

  private Mono<Void> guard(ServerWebExchange exchange, byte[] body) {
    if (!breaker.tryAcquirePermission()) {
      return fallback.answer(
          exchange, name, CallNotPermittedException.createCallNotPermittedException(breaker));
    }
    long start = breaker.getCurrentTimestamp();
    var judged = new AtomicBoolean();
    var question = new Question(exchange.getRequest(), body, Deadline.of(limit, Duration.ZERO));
    return Mono.defer(() -> ask(question, Set.of()))
        .timeout(limit)
        // The client is gone.
        .doOnCancel(() -> once(judged, breaker::releasePermission))
        .doOnNext(answer -> once(judged, () -> judge(answer, start)))
        .onErrorResume(
            failure -> {
              once(
                  judged, () -> breaker.onError(since(start), breaker.getTimestampUnit(), failure));
              return fallback.answer(exchange, name, failure).then(Mono.empty());
            })
        .flatMap(answer -> answer.passOn(exchange.getResponse()));
  }

  /** An answer and a client that goes may come at the same time, on two threads. */
  private static void once(AtomicBoolean judged, Runnable judgement) {
    if (!judged.getAndSet(true)) {
      judgement.run();
    }
  }

  private void judge(Answer answer, long start) {
    if (answer.status() == HttpStatus.INTERNAL_SERVER_ERROR.value()
        && settings.countServerErrors()) {
      breaker.onError(since(start), breaker.getTimestampUnit(), ServiceFailed.INSTANCE);
    } else {
      breaker.onSuccess(since(start), breaker.getTimestampUnit());
    }
  }

  private long since(long start) {
    return breaker.getCurrentTimestamp() - start;
  }

  /**
   * Asks an instance.
   *
   * @param lost instances that the request has tried in vain
   */
  private Mono<Answer> ask(Question question, Set<URI> lost) {
    var left = without(lost);
    if (left.isEmpty()) {
      return Mono.error(new NotFoundException("%s has no instance".formatted(name)));
    }
    var instance = balancer.choose(silent.leaveOut(left));
    var answer = balancer.ask(instance, client.ask(instance, question));
    return (left.size() > 1 ? watched(instance, answer) : answer)
        .onErrorResume(
            IOException.class,
            failure ->
                recover(
                    question,
                    Stream.concat(lost.stream(), Stream.of(instance)).collect(Collectors.toSet()),
                    failure));
  }

  /** Notes whether one of several instances answers. */
  private Mono<Answer> watched(URI instance, Mono<Answer> answer) {
    long asked = System.nanoTime();
    return answer
        .doOnNext(begun -> silent.answered(instance))
        .doOnError(IOException.class, lost -> silent.failed(instance))
        .doOnError(ReadTimeoutException.class, late -> silent.gaveUp(instance, asked))
        // At the time limit too.
        .doOnCancel(() -> silent.gaveUp(instance, asked));
  }

  /** A failure here comes before the answer has begun. */
  private Mono<Answer> recover(Question question, Set<URI> lost, IOException failure) {
    if (failure instanceof ConnectException || failure instanceof NoRouteToHostException) {
      return settings.retryUnreachable() ? ask(question, lost) : Mono.error(failure);
    }
    if (!settings.retryReset()) {
      return Mono.error(failure);
    }
    if (HttpMethod.GET.equals(question.request().getMethod())) {
      return ask(question, lost);
    }
    // The instance may have carried out the request, so it must not be sent again.
    return Mono.error(
        without(lost).isEmpty() ? new AnswerLost(failure) : new InstanceLost(failure));
  }

  private List<URI> without(Set<URI> lost) {
    var all = instances.get();
    return lost.isEmpty()
        ? all
        : all.stream().filter(instance -> !lost.contains(instance)).toList();
  }

  /** Reports a 500 to the breaker; the client gets the service's answer. */
  private static final class ServiceFailed extends RuntimeException {

    static final ServiceFailed INSTANCE = new ServiceFailed();

    private ServiceFailed() {
      super("The service answered 500", null, false, false);
    }
  }
}
