package testbed.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import com.netflix.appinfo.ApplicationInfoManager;
import com.netflix.appinfo.DataCenterInfo;
import com.netflix.appinfo.InstanceInfo;
import com.netflix.appinfo.InstanceInfo.InstanceStatus;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.client.discovery.event.InstanceRegisteredEvent;

class UpIsSentTest {

  private final InstanceInfo instance =
      InstanceInfo.Builder.newBuilder()
          .setAppName("cinema")
          .setInstanceId("cinema-1")
          .setDataCenterInfo(() -> DataCenterInfo.Name.MyOwn)
          .setStatus(InstanceStatus.STARTING)
          .build();

  @Test
  void instanceThatComesUpInTheMillisecondOfItsRegistrationIsRegisteredAgain() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(UpIsSent.class))
        .withBean(
            ApplicationInfoManager.class, () -> new ApplicationInfoManager(null, instance, null))
        .run(
            context -> {
              // As a heartbeat does that the registry answers with 404.
              long registered = comeUpInTheMillisecondOfARegistration();
              context.publishEvent(new InstanceRegisteredEvent<>(this, "configuration"));
              instance.unsetIsDirty(registered);

              assertThat(instance.isDirty()).isTrue();
              assertThat(instance.getStatus()).isEqualTo(InstanceStatus.UP);
            });
  }

  @Test
  void serviceWithoutARegistryHasNoNeedOfIt() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(UpIsSent.class))
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(UpIsSent.class));
  }

  private long comeUpInTheMillisecondOfARegistration() {
    long registered;
    do {
      instance.setStatus(InstanceStatus.STARTING);
      registered = instance.setIsDirtyWithTime();
      instance.setStatus(InstanceStatus.UP);
    } while (instance.getLastDirtyTimestamp() != registered);
    return registered;
  }
}
