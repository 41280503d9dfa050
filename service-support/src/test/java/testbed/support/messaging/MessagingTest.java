package testbed.support.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
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

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Service {}
}
