package testbed.support.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Configuration;
import testbed.support.testing.RawHttp;

/** A server with the defaults of every service, at its two ports. */
@SpringBootTest(
    classes = ManagementEdgeTest.Server.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "spring.config.import=classpath:testbed-defaults.yml",
      "spring.application.name=management-edge",
      "server.address=127.0.0.1",
      "management.server.port=8180",
      "management.endpoints.web.exposure.include=*"
    })
class ManagementEdgeTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Server {}

  @LocalServerPort int port;
  @LocalManagementPort int management;
  @Autowired ManagementServerProperties settings;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/actuator/health",
        "/actuator/health/readiness",
        "/actuator/health/liveness",
        "/actuator/prometheus"
      })
  void hasHealthAndMetricsAtThePortOfTheirOwnOnly(String path) {
    assertThat(RawHttp.answer(management, "GET %s HTTP/1.1".formatted(path)))
        .startsWith("HTTP/1.1 200");
    assertProblem(RawHttp.answer(port, "GET %s HTTP/1.1".formatted(path)), 404);
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /actuator, 404",
    "GET, /actuator/env, 404",
    "GET, /actuator/heapdump, 404",
    "POST, /actuator/shutdown, 404",
    "POST, /actuator/health, 405",
    "GET, /actuator/health/nothing, 404",
    "GET, /actuator/health/../env, 404",
    "GET, /, 404",
    "GET, /error, 404",
    "GET, //actuator/health, 404",
    "GET, /actuator;/health, 404",
    "GET, /x/..;/actuator/env, 404",
    "GET, /%2e%2e/actuator/env, 400",
    "GET, /%zz, 400",
    "GET, /a b, 400",
    "TRACE, /actuator/health, 405"
  })
  void refusesAllElseThereWithAProblemWhateverIsExposed(String method, String path, int status) {
    var requestLine = "%s %s HTTP/1.1".formatted(method, path);

    assertProblem(RawHttp.answer(management, requestLine), status);
  }

  @Test
  void listensWhereTheServiceListens() {
    assertThat(settings.getAddress().isLoopbackAddress()).isTrue();
  }

  private static void assertProblem(String answer, int status) {
    assertThat(answer)
        .startsWith("HTTP/1.1 %d".formatted(status))
        .contains("Content-Type: application/problem+json\r\n")
        .contains("\"status\":%d".formatted(status))
        .doesNotContain("<html", "Exception", "Tomcat", "timestamp");
  }
}
