package testbed.broker;

import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;

/** What a client of the broker does, here an administrator: ask, then fetch. */
final class HttpClient {

  /** Its account, as the setting {@code access.administrators}. */
  static final String ACCOUNT = "admin:secret";

  private final RestClient http;

  HttpClient(int port) {
    this.http =
        RestClient.builder()
            .baseUrl("http://localhost:" + port)
            .defaultHeaders(headers -> headers.setBasicAuth("admin", "secret"))
            .defaultStatusHandler(status -> true, (request, response) -> {})
            .build();
  }

  ResponseEntity<String> get(String path) {
    return http.get().uri(path).retrieve().toEntity(String.class);
  }

  ResponseEntity<String> reserve(String cinema, String clientName) {
    return http.post()
        .uri("/api/cinema/{cinema}/reservation/make", cinema)
        .contentType(MediaType.APPLICATION_JSON)
        .body(
            Map.of(
                "clientName", clientName,
                "clientEmail", "jane.doe@ucd.ie",
                "movieId", "M1",
                "date", "2022-04-15",
                "showTime", "11:00",
                "tickets", 2,
                "ticketType", "Gold",
                "amount", 29.90))
        .retrieve()
        .toEntity(String.class);
  }

  /** Fetches the answer to an acknowledged request, waiting for it. */
  ResponseEntity<String> fetch(ResponseEntity<String> acknowledged) {
    return http.get()
        .uri(String.valueOf(acknowledged.getHeaders().getFirst(HttpHeaders.LOCATION)))
        .header("Prefer", "wait=10")
        .retrieve()
        .toEntity(String.class);
  }
}
