package testbed.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.config.DirectRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;

class MessagingTest {

  @Test
  void everyServicePublishesOnAConnectionOfItsOwn() {
    try (var service =
        new SpringApplicationBuilder(Service.class).web(WebApplicationType.NONE).run()) {
      assertThat(service.getBean(RabbitTemplate.class).isUsePublisherConnection()).isTrue();
    }
  }

  @Test
  void oneConsumerHandsItsMessagesOverBeforeAllElse() {
    try (var service =
        new SpringApplicationBuilder(Service.class)
            .web(WebApplicationType.NONE)
            .properties(
                "spring.rabbitmq.listener.type=direct",
                "spring.rabbitmq.listener.direct.acknowledge-mode=auto",
                "testbed.messaging.handled-at-once=200")
            .run()) {
      var containers = service.getBean(DirectRabbitListenerContainerFactory.class);

      assertThat(containers.getAdviceChain()[0]).isInstanceOf(ConcurrentListener.class);
      assertThat(containers).extracting("acknowledgeMode").isEqualTo(AcknowledgeMode.MANUAL);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "direct"})
  void triesToConsumeAgainAsOftenAsItsSettingSays(String type) {
    try (var service =
        new SpringApplicationBuilder(Service.class)
            .web(WebApplicationType.NONE)
            .run(
                "--spring.rabbitmq.listener.type=" + type,
                "--testbed.messaging.recovery-interval=3s")) {
      assertThat(service.getBean(AbstractRabbitListenerContainerFactory.class))
          .extracting("recoveryBackOff.interval")
          .isEqualTo(3_000L);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Service {}
}
