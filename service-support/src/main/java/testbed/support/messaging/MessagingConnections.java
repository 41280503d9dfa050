package testbed.support.messaging;

import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.amqp.autoconfigure.RabbitTemplateCustomizer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Has every service publish on a connection of its own. */
@AutoConfiguration(
    beforeName = "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration")
@ConditionalOnClass(RabbitTemplate.class)
public class MessagingConnections {

  /** A server that holds its publishers back must not hold back its consumers as well. */
  @Bean
  RabbitTemplateCustomizer separatePublisherConnection() {
    return template -> template.setUsePublisherConnection(true);
  }
}
