package testbed.support.messaging;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.amqp.autoconfigure.RabbitTemplateCustomizer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Measures the queues of every service that uses them. */
@AutoConfiguration(
    beforeName = "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration",
    afterName =
        "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(RabbitTemplate.class)
public class MessagingMetrics {

  @Bean
  @ConditionalOnBean(MeterRegistry.class)
  QueueMeters queueMeters(MeterRegistry meters) {
    return new QueueMeters(meters, System::currentTimeMillis);
  }

  @Bean
  @ConditionalOnBean(QueueMeters.class)
  RabbitTemplateCustomizer sentAt(QueueMeters queues) {
    return queues::stamp;
  }
}
