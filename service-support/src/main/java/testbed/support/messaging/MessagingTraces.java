package testbed.support.messaging;

import io.micrometer.observation.ObservationRegistry;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.amqp.autoconfigure.RabbitTemplateCustomizer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Profile;
import org.springframework.util.function.SingletonSupplier;
import testbed.support.trace.TracingProfile;

/** Has traces lead through the queues. */
@AutoConfiguration(
    beforeName = "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration")
@ConditionalOnClass(RabbitTemplate.class)
@Profile(TracingProfile.NAME)
public class MessagingTraces {

  @Bean
  RabbitTemplateCustomizer observedTemplate() {
    return template -> template.setObservationEnabled(true);
  }

  /**
   * By an advice, because the containers' own observation would take the place of their metrics.
   */
  @Bean
  static BeanPostProcessor observedListeners(ObjectProvider<ObservationRegistry> observations) {
    return new ListenerAdvice(new TracedListener(SingletonSupplier.of(observations::getObject)));
  }
}
