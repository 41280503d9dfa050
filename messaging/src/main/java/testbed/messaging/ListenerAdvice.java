package testbed.messaging;

import java.util.Arrays;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.config.BaseRabbitListenerContainerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.function.SingletonSupplier;

/** Puts an advice around every listener, outside its retries and earlier advices. */
public final class ListenerAdvice implements BeanPostProcessor {

  private final Advice advice;

  public ListenerAdvice(Advice advice) {
    this.advice = advice;
  }

  /** For an advice that is created lazily, with the beans that it needs. */
  public static ListenerAdvice of(ObjectProvider<? extends MethodInterceptor> advice) {
    var made = SingletonSupplier.of(advice::getObject);
    return new ListenerAdvice((MethodInterceptor) call -> made.obtain().invoke(call));
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof BaseRabbitListenerContainerFactory<?> listeners) {
      listeners.setAdviceChain(with(listeners.getAdviceChain()));
    }
    return bean;
  }

  private Advice[] with(Advice @Nullable [] advices) {
    var others = advices == null ? Stream.<Advice>empty() : Arrays.stream(advices);
    return Stream.concat(Stream.of(advice), others).toArray(Advice[]::new);
  }
}
