package testbed.gateway.breaker;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import reactor.core.publisher.Mono;

/** Without a network: failures that this machine cannot be made to have. */
class GuardedServiceTest {

  private static final URI FIRST = URI.create("http://192.0.2.1:8081");
  private static final URI SECOND = URI.create("http://192.0.2.2:8081");

  private final ServiceClient client = mock(ServiceClient.class);
  private final Fallback fallback = mock(Fallback.class);

  static Stream<IOException> whereNoConnectionIsMade() {
    return Stream.of(new ConnectException("refused"), new NoRouteToHostException("no route"));
  }

  @ParameterizedTest
  @MethodSource("whereNoConnectionIsMade")
  void asksAnotherInstanceForWhatWasNeverSent(IOException failure) {
    var lost = new AnswerLost(failure);
    when(client.ask(eq(FIRST), any())).thenReturn(Mono.error(failure));
    when(client.ask(eq(SECOND), any())).thenReturn(Mono.error(lost));
    when(fallback.answer(any(), any(), any())).thenReturn(Mono.empty());

    guarded()
        .pass(MockServerWebExchange.from(MockServerHttpRequest.post("/reservation/make").build()))
        .block(Duration.ofMinutes(1));

    verify(fallback).answer(any(), eq("cinema"), eq(lost));
  }

  private GuardedService guarded() {
    return new GuardedService(
        "cinema",
        () -> List.of(FIRST, SECOND),
        List::getFirst,
        CircuitBreaker.ofDefaults("cinema"),
        Duration.ofMinutes(1),
        client,
        mock(RequestBodies.class),
        fallback,
        new BreakerSettings(true, true, true));
  }
}
