package testbed.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.rabbit.config.BaseRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.retry.MessageRecoverer;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import testbed.messaging.testing.ContainerDelivery;

/** What is logged of a message that its listener fails on, and on how many lines. */
@ExtendWith(OutputCaptureExtension.class)
class FailureLogTest {

  private final String correlationId = UUID.randomUUID().toString();

  /** A service that another test has left running would keep its own format. */
  @BeforeEach
  void startLogsAnew() {
    LoggingSystem.get(getClass().getClassLoader()).cleanUp();
  }

  @Test
  void namesTheRequestInOneLineOfText(CapturedOutput log) {
    failOn(message());

    assertThat(linesAbout(log))
        .singleElement()
        .asString()
        .contains(" ERROR ", "correlation=%s ".formatted(correlationId), "requests", "poison")
        .doesNotContain("trace=");
  }

  @Test
  void namesNothingWhereThereIsNoRequest(CapturedOutput log) {
    failOn(MessageBuilder.withBody(new byte[0]).build());

    assertThat(linesAbout(log)).singleElement().asString().doesNotContain("correlation");
  }

  @Test
  void namesTheRequestInAFieldOfOneJsonObjectInContainers(CapturedOutput log) {
    failOn(message(), "logging.structured.format.console=ecs");

    assertThat(linesAbout(log))
        .singleElement()
        .asString()
        .startsWith("{")
        .endsWith("}")
        .contains("\"correlationId\":\"%s\"".formatted(correlationId))
        .contains("failing-service", "poison");
  }

  private Message message() {
    var message = MessageBuilder.withBody(new byte[0]).setCorrelationId(correlationId).build();
    message.getMessageProperties().setConsumerQueue("requests");
    return message;
  }

  private static Stream<String> linesAbout(CapturedOutput log) {
    return log.toString().lines().filter(line -> line.contains("could not be processed"));
  }

  /** Has a listener of a service fail inside of everything that a container puts around it. */
  private static void failOn(Message message, String... settings) {
    var common =
        Stream.of(
            "spring.config.import=classpath:testbed-defaults.yml, classpath:testbed-amqp.yml",
            "spring.application.name=failing-service",
            "spring.rabbitmq.listener.simple.retry.enabled=true",
            "spring.rabbitmq.listener.simple.retry.max-retries=1",
            "spring.rabbitmq.listener.simple.retry.initial-interval=1ms");
    try (var service =
        new SpringApplicationBuilder(Service.class)
            .web(WebApplicationType.NONE)
            .run(
                Stream.concat(common, Arrays.stream(settings))
                    .map(setting -> "--" + setting)
                    .toArray(String[]::new))) {
      ContainerDelivery.deliver(
          message,
          null,
          FailureLogTest::poison,
          service.getBean(BaseRabbitListenerContainerFactory.class).getAdviceChain());
    }
  }

  private static void poison(Message message) {
    throw new IllegalStateException("poison");
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Service {

    @Bean
    MessageRecoverer recoverer() {
      return new LoggedRecoverer((message, cause) -> {});
    }
  }
}
