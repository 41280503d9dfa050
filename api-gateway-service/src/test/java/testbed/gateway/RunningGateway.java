package testbed.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.springframework.http.HttpHeaders.encodeBasicAuth;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.reactive.server.WebTestClient.BodyContentSpec;
import testbed.contracts.ProblemType;
import testbed.discovery.testing.InMemoryRegistry;
import testbed.support.testing.StandInServer;

/**
 * The running gateway with servers in this JVM behind it. Circuit breakers keep their state from
 * test to test, so each test has a cinema of its own.
 */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {"eureka.client.enabled=false", "access.administrators=admin:secret"})
@Import({InMemoryRegistry.class, ReactiveRegistry.class})
abstract class RunningGateway {

  /** The account of all requests of these tests, as a header. */
  static final String CREDENTIALS =
      "Authorization: Basic %s\r\n".formatted(encodeBasicAuth("admin", "secret", UTF_8));

  static final String BODY = "{\"tickets\":2}";

  @Autowired InMemoryRegistry registry;
  @Autowired ApplicationEventPublisher events;
  @LocalServerPort int port;
  @LocalManagementPort int management;

  final StandInServer service = new StandInServer();
  WebTestClient http;

  @BeforeEach
  void connect() {
    http =
        WebTestClient.bindToServer()
            .baseUrl("http://localhost:" + port)
            .defaultHeaders(headers -> headers.setBasicAuth("admin", "secret"))
            .responseTimeout(Duration.ofMinutes(2))
            // The metrics of every cinema of every test.
            .codecs(codecs -> codecs.defaultCodecs().maxInMemorySize(-1))
            .build();
  }

  @AfterEach
  void close() {
    registry.clear();
    service.close();
  }

  void registerCinema(String cinema) {
    registerCinema(cinema, service.address());
  }

  void registerCinema(String cinema, URI address) {
    registry.addCinema(cinema, address);
    heartbeat();
  }

  void registerMarket() {
    for (var part : List.of("beans", "inventory", "clients")) {
      registry.add(part + "-service", service.address(), Map.of());
    }
    heartbeat();
  }

  /** Registers two instances of the cinema, of which one is gone; returns the other. */
  StandInServer oneOfTwoInstances(String cinema) {
    var other = new StandInServer().answersAsCinema(cinema);
    registerCinema(cinema);
    registerCinema(cinema, other.address());
    service.close();
    return other;
  }

  void registerAggregator() {
    registry.add("aggregator-service", service.address(), Map.of());
    heartbeat();
  }

  void heartbeat() {
    events.publishEvent(registry.heartbeat());
  }

  WebTestClient.ResponseSpec get(String path) {
    return http.get().uri(path).exchange();
  }

  WebTestClient.ResponseSpec getManagement(String path) {
    return http.get().uri("http://localhost:" + management + path).exchange();
  }

  WebTestClient.ResponseSpec post(String path, String body) {
    return http.post().uri(path).contentType(MediaType.APPLICATION_JSON).bodyValue(body).exchange();
  }

  static BodyContentSpec expectFallback(
      WebTestClient.ResponseSpec response, ProblemType type, String service) {
    return expectProblem(response, type, "Fallback: Circuit broken in %s!".formatted(service));
  }

  static BodyContentSpec expectProblem(
      WebTestClient.ResponseSpec response, ProblemType type, String detail) {
    return response
        .expectStatus()
        .isEqualTo(HttpStatus.valueOf(type.status()))
        .expectHeader()
        .contentType(MediaType.APPLICATION_PROBLEM_JSON)
        .expectBody()
        .jsonPath("$.type")
        .isEqualTo(type.uri().toString())
        .jsonPath("$.status")
        .isEqualTo(type.status())
        .jsonPath("$.detail")
        .isEqualTo(detail);
  }
}
