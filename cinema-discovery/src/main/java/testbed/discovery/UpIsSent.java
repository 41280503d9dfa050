package testbed.discovery;

import com.netflix.appinfo.ApplicationInfoManager;
import com.netflix.appinfo.InstanceInfo;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.cloud.client.discovery.event.InstanceRegisteredEvent;
import org.springframework.context.event.EventListener;

/**
 * Makes sure that the registry is told that an instance is up.
 *
 * <p>Eureka's client tells changes apart by the millisecond. If the instance comes up in the very
 * millisecond in which a heartbeat began to register it as starting, the change counts as sent, and
 * nobody ever asks the instance. So it is marked as changed once more, a millisecond later: then
 * the next heartbeat registers it as it is.
 */
@AutoConfiguration(
    afterName = "org.springframework.cloud.netflix.eureka.EurekaClientAutoConfiguration")
@ConditionalOnClass(ApplicationInfoManager.class)
@ConditionalOnBean(ApplicationInfoManager.class)
public class UpIsSent {

  private final InstanceInfo instance;

  UpIsSent(ApplicationInfoManager manager) {
    this.instance = manager.getInfo();
  }

  @EventListener(InstanceRegisteredEvent.class)
  void isUp() throws InterruptedException {
    while (System.currentTimeMillis() == instance.getLastDirtyTimestamp()) {
      Thread.sleep(1);
    }
    instance.setIsDirty();
  }
}
