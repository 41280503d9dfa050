package testbed.embedded;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.qpid.server.model.AbstractConfiguredObjectTypeFactory;
import org.apache.qpid.server.model.ConfiguredObject;
import org.apache.qpid.server.model.ManagedObject;
import org.apache.qpid.server.model.VirtualHostNode;
import org.apache.qpid.server.plugin.ConfiguredObjectRegistration;
import org.apache.qpid.server.protocol.v0_8.MessageMetaData;
import org.apache.qpid.server.protocol.v0_8.transport.BasicContentHeaderProperties;
import org.apache.qpid.server.protocol.v0_8.transport.ContentHeaderBody;
import org.apache.qpid.server.store.MemoryMessageStore;
import org.apache.qpid.server.store.MessageHandle;
import org.apache.qpid.server.store.MessageStore;
import org.apache.qpid.server.store.StorableMessageMetaData;
import org.apache.qpid.server.virtualhost.AbstractVirtualHost;

/**
 * A virtual host that reads a message's expiration as RabbitMQ does, in milliseconds from now. Qpid
 * takes it for milliseconds since 1970, so that every message of a RabbitMQ client would have
 * expired already.
 */
@ManagedObject(category = false, type = RelativeExpiry.TYPE)
public final class RelativeExpiry extends AbstractVirtualHost<RelativeExpiry> {

  static final String TYPE = "RelativeExpiry";

  RelativeExpiry(Map<String, Object> attributes, VirtualHostNode<?> node) {
    super(attributes, node);
  }

  @Override
  protected MessageStore createMessageStore() {
    return new Store();
  }

  private static final class Store extends MemoryMessageStore {

    @Override
    @SuppressWarnings("unchecked") // T is MessageMetaData where that is returned.
    public <T extends StorableMessageMetaData> MessageHandle<T> addMessage(T metaData) {
      if (metaData instanceof MessageMetaData message) {
        var sent = message.getContentHeaderBody();
        if (sent.getProperties().getExpiration() > 0) {
          var properties = new Expiring(sent.getProperties(), message.getArrivalTime());
          var header = new ContentHeaderBody(properties, sent.getBodySize());
          sent.dispose();
          var expiring =
              new MessageMetaData(
                  message.getMessagePublishInfo(), header, message.getArrivalTime());
          return (MessageHandle<T>) super.addMessage(expiring);
        }
      }
      return super.addMessage(metaData);
    }
  }

  /** Tells the queues when a message expires. What is written to its consumer is what was sent. */
  private static final class Expiring extends BasicContentHeaderProperties {

    private final long at;

    Expiring(BasicContentHeaderProperties sent, long arrival) {
      super(sent);
      this.at = arrival + sent.getExpiration();
    }

    @Override
    public long getExpiration() {
      return at;
    }
  }

  /** Makes virtual hosts of this type; found by the broker as a service. */
  public static final class Factory extends AbstractConfiguredObjectTypeFactory<RelativeExpiry> {

    public Factory() {
      super(RelativeExpiry.class);
    }

    @Override
    protected RelativeExpiry createInstance(
        Map<String, Object> attributes, ConfiguredObject<?> parent) {
      return new RelativeExpiry(attributes, (VirtualHostNode<?>) parent);
    }
  }

  /** Makes the type known; found by the broker as a service. */
  public static final class Registration implements ConfiguredObjectRegistration {

    @Override
    public String getType() {
      return Registration.class.getPackageName();
    }

    @Override
    @SuppressWarnings("rawtypes") // as declared by the broker
    public Collection<Class<? extends ConfiguredObject>> getConfiguredObjectClasses() {
      return List.of(RelativeExpiry.class);
    }
  }
}
