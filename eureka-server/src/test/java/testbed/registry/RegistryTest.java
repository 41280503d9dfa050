package testbed.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.netflix.eureka.registry.AbstractInstanceRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;

@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "eureka.server.wait-time-in-ms-when-sync-empty=0")
class RegistryTest {

  /** Seconds. A registry ends a lease after twice this time. */
  private static final int LEASE = 1;

  /** Less than the 30 s of the read-only cache and the 60 s between evictions by default. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @LocalServerPort private int port;
  @LocalManagementPort private int management;
  @Autowired private AbstractInstanceRegistry instances;
  private RestClient registry;

  @BeforeEach
  void connect() {
    registry =
        RestClient.builder()
            .baseUrl("http://localhost:" + port)
            .defaultHeaders(headers -> headers.setBasicAuth("testbed", "testbed"))
            .defaultStatusHandler(status -> true, (request, response) -> {})
            .build();
  }

  @Test
  void showsARegistrationAtOnceAndForgetsItWhenItsLeaseEnds() {
    // On a busy machine its lease may end before this test sees it.
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(register("cinema-test-service").getStatusCode())
                  .isEqualTo(HttpStatus.NO_CONTENT);
              assertThat(get("/eureka/apps").getBody())
                  .contains("CINEMA-TEST-SERVICE", "\"cinema\":\"test\"");
            });
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(get("/eureka/apps").getBody()).doesNotContain("CINEMA-TEST-SERVICE"));
  }

  @Test
  void forgetsAllWhoseLeasesEndTogetherInOneRun() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              IntStream.range(0, 10)
                  .forEach(number -> register("cinema-lost-%d-service".formatted(number)));
              assertThat(get("/eureka/apps").getBody()).contains("CINEMA-LOST-9-SERVICE");
            });

    // By then every lease has ended, however late this test goes on.
    await().pollDelay(Duration.ofSeconds(2 * LEASE + 1)).until(() -> true);
    instances.evict();

    assertThat(get("/eureka/apps").getBody()).doesNotContain("CINEMA-LOST-");
  }

  @Test
  void showsItsDashboard() {
    var page =
        registry.get().uri("/").accept(MediaType.TEXT_HTML).retrieve().toEntity(String.class);

    assertThat(page.getStatusCode()).isEqualTo(HttpStatus.OK);
    assertThat(page.getBody()).contains("Instances currently registered with Eureka");
  }

  @Test
  void isReadyAliveAndMeasured() {
    var actuator = "http://localhost:" + management + "/actuator";

    assertThat(get(actuator + "/health/readiness").getBody()).contains("\"status\":\"UP\"");
    assertThat(get(actuator + "/health/liveness").getBody()).contains("\"status\":\"UP\"");
    assertThat(get(actuator + "/prometheus").getStatusCode()).isEqualTo(HttpStatus.OK);
    assertThat(get(actuator + "/env").getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
    assertThat(get("/actuator/health").getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
  }

  private ResponseEntity<String> get(String path) {
    return registry
        .get()
        .uri(path)
        .accept(MediaType.APPLICATION_JSON, MediaType.ALL)
        .retrieve()
        .toEntity(String.class);
  }

  private ResponseEntity<Void> register(String application) {
    var instance =
        Map.of(
            "instanceId",
            application + ":1",
            "app",
            application.toUpperCase(),
            "hostName",
            "127.0.0.1",
            "ipAddr",
            "127.0.0.1",
            "status",
            "UP",
            "port",
            Map.of("$", 1, "@enabled", "true"),
            "dataCenterInfo",
            Map.of(
                "@class",
                "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo",
                "name",
                "MyOwn"),
            "leaseInfo",
            Map.of("renewalIntervalInSecs", LEASE, "durationInSecs", LEASE),
            "metadata",
            Map.of("cinema", "test"));
    return registry
        .post()
        .uri("/eureka/apps/" + application)
        .contentType(MediaType.APPLICATION_JSON)
        .body(Map.of("instance", instance))
        .retrieve()
        .toBodilessEntity();
  }
}
