package testbed.messaging.testing;

import com.rabbitmq.client.Channel;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.function.Consumer;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageListener;
import org.springframework.amqp.rabbit.config.BaseRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareMessageListener;
import org.springframework.aop.framework.ProxyFactory;

/**
 * Delivers messages without a server, within everything that a container puts around a listener.
 */
public final class ContainerDelivery {

  private ContainerDelivery() {}

  /** Returns when the container would acknowledge the message; what it would return is thrown. */
  public static void deliver(
      Message message,
      Channel channel,
      BaseRabbitListenerContainerFactory<?> containers,
      RabbitListenerEndpointRegistry listeners)
      throws Exception {
    var container =
        (AbstractMessageListenerContainer) listeners.getListenerContainers().iterator().next();
    var listener = (MessageListener) container.getMessageListener();
    within(containers.getAdviceChain(), (open, sent) -> hand((Message) sent, open, listener))
        .invokeListener(channel, message);
  }

  /** Delivers a message to a listener within some advices, the first of them outermost. */
  public static void deliver(
      Message message, @Nullable Channel channel, Consumer<Message> listener, Advice... advices) {
    try {
      within(advices, (open, sent) -> listener.accept((Message) sent))
          .invokeListener(channel, message);
    } catch (RuntimeException failure) {
      throw failure;
    } catch (Exception checked) {
      throw new UndeclaredThrowableException(checked);
    }
  }

  private static ContainerCall within(Advice[] advices, ContainerCall listener) {
    var call = new ProxyFactory();
    call.addInterface(ContainerCall.class);
    call.setTarget(listener);
    for (var advice : advices) {
      call.addAdvice(advice);
    }
    return (ContainerCall) call.getProxy();
  }

  private static void hand(Message message, @Nullable Channel channel, MessageListener listener)
      throws Exception {
    if (listener instanceof ChannelAwareMessageListener aware) {
      aware.onMessage(message, channel);
    } else {
      listener.onMessage(message);
    }
  }

  /** The same as the container's own interface, which is private. */
  private interface ContainerCall {
    void invokeListener(@Nullable Channel channel, Object message) throws Exception;
  }
}
