package testbed.support.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.sdk.trace.SdkTracerProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import testbed.support.preset.InvalidSetting;

/** What the one setting does at the start of a service. */
class TracingTest {

  @ParameterizedTest
  @ValueSource(strings = {"--unrelated=1", "--testbed.tracing="})
  void startsNothingUnlessItIsSet(String argument) {
    try (var service = start(argument)) {
      assertThat(service.getBeanProvider(SdkTracerProvider.class)).isEmpty();
      assertThat(service.getBeanProvider(ClientsRequests.class)).isEmpty();
      assertThat(sendingThreads()).isZero();
    }
  }

  @Test
  void sendsWhereItSays() {
    try (var service = start("--testbed.tracing=http://localhost:1/v1/traces")) {
      assertThat(service.getBean(SdkTracerProvider.class).toString())
          .contains("http://localhost:1/v1/traces", "service.name=\"traced-service\"")
          .contains("variant=\"async\"");
      assertThat(sendingThreads()).isOne();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "true",
        "localhost:4318",
        "http://localhost:4318",
        "http://localhost:4318/",
        "grpc://localhost:4317/v1/traces",
        "http:///v1/traces",
        "http://local host/v1/traces"
      })
  void refusesWhatIsNoAddress(String receiver) {
    assertThatThrownBy(() -> start("--testbed.tracing=" + receiver).close())
        .isInstanceOf(InvalidSetting.class)
        .hasMessage("TESTBED_TRACING is '%s'".formatted(receiver));
  }

  private static ConfigurableApplicationContext start(String argument) {
    return new SpringApplicationBuilder(Service.class)
        .web(WebApplicationType.NONE)
        .run(
            argument,
            "--spring.config.import=classpath:testbed-defaults.yml",
            "--spring.application.name=traced-service",
            "--testbed.variant=async");
  }

  private static long sendingThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("BatchSpanProcessor"))
        .count();
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Service {}
}
