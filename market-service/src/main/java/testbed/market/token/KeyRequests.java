package testbed.market.token;

import org.springframework.http.RequestEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestTemplate;
import testbed.tier.token.KeptKeys;

/** The library's requests to the token server: for its metadata, and with a class for its keys. */
final class KeyRequests extends RestTemplate {

  private final KeptKeys keys = new KeptKeys();

  KeyRequests(ClientHttpRequestFactory requests) {
    super(requests);
  }

  @Override
  public <T> ResponseEntity<T> exchange(RequestEntity<?> request, Class<T> type) {
    var kept = keys.unlessDue();
    if (kept.isPresent()) {
      return ResponseEntity.ok(type.cast(kept.get()));
    }
    try {
      var answer = super.exchange(request, type);
      keys.keep(String.valueOf(answer.getBody()));
      return answer;
    } catch (RestClientException away) {
      return ResponseEntity.ok(type.cast(keys.last().orElseThrow(() -> away)));
    }
  }
}
