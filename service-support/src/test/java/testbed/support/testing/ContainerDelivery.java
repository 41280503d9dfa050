package testbed.support.testing;

import com.rabbitmq.client.Channel;
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
    var call = new ProxyFactory();
    call.addInterface(ContainerCall.class);
    call.setTarget((ContainerCall) (open, sent) -> hand((Message) sent, open, listener));
    for (var advice : containers.getAdviceChain()) {
      call.addAdvice(advice);
    }
    ((ContainerCall) call.getProxy()).invokeListener(channel, message);
  }

  private static void hand(Message message, Channel channel, MessageListener listener)
      throws Exception {
    if (listener instanceof ChannelAwareMessageListener aware) {
      aware.onMessage(message, channel);
    } else {
      listener.onMessage(message);
    }
  }

  /** As a listener container has it, which keeps it to itself. */
  private interface ContainerCall {
    void invokeListener(Channel channel, Object message) throws Exception;
  }
}
