package testbed.support.messaging;

import java.util.Arrays;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.config.BaseRabbitListenerContainerFactory;
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
    return new BeanPostProcessor() {
      @Override
      public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof BaseRabbitListenerContainerFactory<?> listeners) {
          listeners.setAdviceChain(withLog(listeners.getAdviceChain()));
        }
        return bean;
      }
    };
  }

  /** Outermost, so that it is there whatever comes of the message. */
  private static Advice[] withLog(Advice @Nullable [] advices) {
    var others = advices == null ? Stream.<Advice>empty() : Arrays.stream(advices);
    return Stream.concat(Stream.of(new CorrelatedLog()), others).toArray(Advice[]::new);
  }
}
