package testbed.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.security.core.userdetails.UserDetailsPasswordService;
import org.springframework.web.client.RestClient;

@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "eureka.username=services",
      "eureka.password=secret",
      "eureka.server.wait-time-in-ms-when-sync-empty=0"
    })
class RegistrySecurityTest {

  @LocalServerPort private int port;
  @LocalManagementPort private int management;

  @Autowired private ApplicationContext context;

  @ParameterizedTest
  @ValueSource(strings = {"/", "/lastn", "/eureka/apps", "/eureka/apps/some-service", "/nothing"})
  void tellsNothingWithoutTheAccount(String path) {
    assertThat(statusOf(path, null)).isEqualTo(HttpStatus.UNAUTHORIZED);
    assertThat(statusOf(path, "secret!")).isEqualTo(HttpStatus.UNAUTHORIZED);
    assertThat(statusOf(path, "testbed")).isEqualTo(HttpStatus.UNAUTHORIZED);
  }

  @Test
  void registersNobodyWithoutTheAccount() {
    var registration =
        client()
            .post()
            .uri("/eureka/apps/some-service")
            .body(Map.of("instance", Map.of()))
            .retrieve()
            .toBodilessEntity();

    assertThat(registration.getStatusCode()).isEqualTo(HttpStatus.UNAUTHORIZED);
  }

  @Test
  void tellsEverythingToTheAccountAndNeedsNoSessionForIt() {
    assertThat(statusOf("/", "secret")).isEqualTo(HttpStatus.OK);
    var apps =
        client()
            .get()
            .uri("/eureka/apps")
            .headers(headers -> headers.setBasicAuth("services", "secret"))
            .retrieve()
            .toBodilessEntity();

    assertThat(apps.getStatusCode()).isEqualTo(HttpStatus.OK);
    assertThat(apps.getHeaders().get(HttpHeaders.SET_COOKIE)).isNull();
  }

  @Test
  void keepsNoPasswordThatTheLibraryMayHashAfterALogin() {
    assertThat(context.getBeansOfType(UserDetailsPasswordService.class)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"health", "health/readiness", "health/liveness", "prometheus"})
  void tellsItsHealthToAnybody(String endpoint) {
    var url = "http://localhost:%d/actuator/%s".formatted(management, endpoint);

    assertThat(statusOf(url, null)).isEqualTo(HttpStatus.OK);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", " "})
  void listensOnTheLoopbackAddressOnlyWhileItsPasswordIsKnownToAll(@Nullable String password) {
    var server = new TomcatServletWebServerFactory();

    new RegistrySecurity().loopbackOnly(new RegistryAccount("any", password)).customize(server);

    assertThat(server.getAddress()).isNotNull();
    assertThat(server.getAddress().isLoopbackAddress()).isTrue();
  }

  @Test
  void listensEverywhereWithAPasswordOfItsOwn() {
    var server = new TomcatServletWebServerFactory();

    new RegistrySecurity().loopbackOnly(new RegistryAccount("any", "secret")).customize(server);

    assertThat(server.getAddress()).isNull();
  }

  private HttpStatusCode statusOf(String path, @Nullable String password) {
    return client()
        .get()
        .uri(path)
        .headers(
            headers -> {
              if (password != null) {
                headers.setBasicAuth("services", password);
              }
            })
        .retrieve()
        .toBodilessEntity()
        .getStatusCode();
  }

  private RestClient client() {
    return RestClient.builder()
        .baseUrl("http://localhost:" + port)
        .defaultStatusHandler(status -> true, (request, response) -> {})
        .build();
  }
}
