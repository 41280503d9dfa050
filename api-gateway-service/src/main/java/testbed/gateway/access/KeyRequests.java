package testbed.gateway.access;

import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;
import testbed.tier.token.KeptKeys;

/** The library's requests to the token server: for its metadata at the start, and for its keys. */
final class KeyRequests implements ExchangeFilterFunction {

  /** By address, of which there are few. */
  private final Map<URI, KeptKeys> answers = new ConcurrentHashMap<>();

  @Override
  public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
    var keys = answers.computeIfAbsent(request.url(), address -> new KeptKeys());
    return answer(keys.unlessDue())
        .switchIfEmpty(
            Mono.defer(() -> next.exchange(request))
                .flatMap(answer -> kept(answer, keys))
                .onErrorResume(failure -> answer(keys.last()).switchIfEmpty(Mono.error(failure))));
  }

  private static Mono<ClientResponse> kept(ClientResponse answer, KeptKeys keys) {
    if (answer.statusCode().is2xxSuccessful()) {
      return answer.bodyToMono(String.class).doOnNext(keys::keep).map(KeyRequests::of);
    }
    return keys.last().isEmpty()
        ? Mono.just(answer)
        : answer.releaseBody().then(answer(keys.last()));
  }

  private static Mono<ClientResponse> answer(Optional<String> text) {
    return Mono.justOrEmpty(text).map(KeyRequests::of);
  }

  private static ClientResponse of(String text) {
    return ClientResponse.create(HttpStatus.OK)
        .header(HttpHeaders.CONTENT_TYPE, MediaType.APPLICATION_JSON_VALUE)
        .body(text)
        .build();
  }
}
