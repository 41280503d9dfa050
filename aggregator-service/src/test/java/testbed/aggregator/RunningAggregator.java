package testbed.aggregator;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.web.client.RestClient;
import testbed.discovery.testing.InMemoryRegistry;
import testbed.support.testing.StandInServer;

/** The running service over HTTP, and two cinemas in this JVM that it finds in its registry. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "eureka.client.enabled=false")
@DirtiesContext
@Import(InMemoryRegistry.class)
abstract class RunningAggregator {

  @Autowired InMemoryRegistry registry;
  @Autowired ApplicationEventPublisher events;
  @LocalServerPort int port;
  @LocalManagementPort int management;

  final StandInServer dundrum = new StandInServer().answersAsCinema("dundrum");
  final StandInServer ucd = new StandInServer().answersAsCinema("ucd");

  @BeforeEach
  void register() {
    registry.clear();
    registry.addCinema("ucd", ucd.address());
    registry.addCinema("dundrum", dundrum.address());
    events.publishEvent(registry.heartbeat());
  }

  @AfterEach
  void close() {
    dundrum.close();
    ucd.close();
  }

  ResponseEntity<String> get(String path) {
    return get(path, new HttpHeaders());
  }

  ResponseEntity<String> get(String path, HttpHeaders headers) {
    return ask(HttpMethod.GET, port, path, headers);
  }

  ResponseEntity<String> getManagement(String path) {
    return ask(HttpMethod.GET, management, path, new HttpHeaders());
  }

  ResponseEntity<String> post(String path) {
    return ask(HttpMethod.POST, port, path, new HttpHeaders());
  }

  private static ResponseEntity<String> ask(
      HttpMethod method, int port, String path, HttpHeaders headers) {
    return RestClient.builder()
        .baseUrl("http://localhost:" + port)
        .defaultHeader(HttpHeaders.ACCEPT, MediaType.ALL_VALUE)
        .defaultStatusHandler(status -> true, (request, response) -> {})
        .build()
        .method(method)
        .uri(path)
        .headers(sent -> sent.addAll(headers))
        .retrieve()
        .toEntity(String.class);
  }
}
