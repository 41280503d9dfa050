package testbed.support.messaging;

import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Has every listener log under the correlation id of the message that it handles. */
@AutoConfiguration
@ConditionalOnClass(RabbitTemplate.class)
public class MessagingLog {

  @Bean
  static BeanPostProcessor correlatedListeners() {
    return new ListenerAdvice(new CorrelatedLog());
  }
}
