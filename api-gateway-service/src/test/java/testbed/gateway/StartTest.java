package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;
import testbed.support.preset.InvalidSetting;

@ExtendWith(OutputCaptureExtension.class)
class StartTest {

  @Test
  void stopsOnAnUnknownPreset() {
    var gateway = new SpringApplicationBuilder(ApiGatewayServiceApplication.class);

    assertThatThrownBy(() -> gateway.run("--testbed.preset=fast"))
        .isInstanceOf(InvalidSetting.class)
        .hasMessage("TESTBED_PRESET is 'fast'");
  }

  @Test
  void stopsOnAnUnknownRouting() {
    var gateway = new SpringApplicationBuilder(ApiGatewayServiceApplication.class);

    assertThatThrownBy(() -> gateway.run("--gateway.routing=fast"))
        .isInstanceOf(InvalidSetting.class)
        .hasMessage("GATEWAY_ROUTING is 'fast'");
  }

  @Test
  void stopsOnAnUnknownAccessControl() {
    var gateway = new SpringApplicationBuilder(ApiGatewayServiceApplication.class);

    assertThatThrownBy(() -> gateway.run("--access.control=maybe"))
        .hasStackTraceContaining("access.control");
  }

  @ParameterizedTest
  @CsvSource({"gateway.route.balancer,fastest", "gateway.route.slow-start,-1s"})
  void stopsOnABalancerThatCannotBe(String setting, String value, CapturedOutput output) {
    var gateway = new SpringApplicationBuilder(ApiGatewayServiceApplication.class);

    assertThatThrownBy(() -> gateway.run("--%s=%s".formatted(setting, value))).isNotNull();
    assertThat(output).contains(setting);
  }

  @Test
  void isAliveButNotReadyBeforeTheRegistryAnswers() {
    var application = new SpringApplicationBuilder(ApiGatewayServiceApplication.class);
    try (var gateway =
        application.run(
            "--server.port=0", "--management.server.port=0", "--eureka.client.enabled=false")) {
      var port = gateway.getEnvironment().getRequiredProperty("local.management.port");

      assertThat(status("http://localhost:%s/actuator/health/liveness".formatted(port)))
          .isEqualTo(200);
      assertThat(status("http://localhost:%s/actuator/health/readiness".formatted(port)))
          .isEqualTo(503);
    }
  }

  private static Integer status(String address) {
    return WebClient.create()
        .get()
        .uri(address)
        .exchangeToMono(response -> Mono.just(response.statusCode().value()))
        .block();
  }
}
