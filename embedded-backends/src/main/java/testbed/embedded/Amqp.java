package testbed.embedded;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.qpid.server.SystemLauncher;
import org.apache.qpid.server.SystemLauncherListener.DefaultSystemLauncherListener;
import org.apache.qpid.server.model.Port;
import org.apache.qpid.server.model.State;
import org.apache.qpid.server.model.SystemConfig;
import org.apache.qpid.server.util.urlstreamhandler.classpath.Handler;
import org.jspecify.annotations.Nullable;

/**
 * An AMQP 0-9-1 broker (Apache Qpid Broker-J) that keeps everything in memory. Its work folder is
 * temporary and deleted at the end.
 */
final class Amqp implements AutoCloseable {

  private static final String CONFIGURATION = "qpid.json";

  /**
   * One more than can work at once. The broker itself takes 64 and 8 selectors; on two cores these
   * cost a tenth to a quarter of its process's CPU time.
   */
  private static final int THREADS = Runtime.getRuntime().availableProcessors() + 1;

  static {
    // The broker names its own resources by classpath: URLs and registers their handler by class
    // name with the system class loader, which does not see inside a jar of jars.
    URL.setURLStreamHandlerFactory(protocol -> protocol.equals("classpath") ? new Handler() : null);
  }

  private final SystemLauncher launcher;
  private final Path workFolder;
  private final int port;

  private Amqp(SystemLauncher launcher, Path workFolder, int port) {
    this.launcher = launcher;
    this.workFolder = workFolder;
    this.port = port;
  }

  /**
   * Starts to listen. Clients log in as guest with the password guest.
   *
   * @throws CannotStart if the port is taken or the broker refuses its configuration
   */
  static Amqp start(String address, int port) {
    // The broker itself would start without its port and only log that.
    Ports.free("AMQP", address, port, Settings.AMQP_PORT);
    var container = new AtomicReference<@Nullable SystemConfig<?>>();
    var launcher =
        new SystemLauncher(
            new DefaultSystemLauncherListener() {
              @Override
              public void onContainerResolve(SystemConfig<?> systemConfig) {
                container.set(systemConfig);
              }
            });
    var workFolder = Folders.temporary("AMQP");
    try {
      launcher.startup(
          Map.of(
              "type",
              "Memory",
              "startupLoggedToSystemOut",
              false,
              "initialConfigurationLocation",
              copyConfiguration(workFolder).toString(),
              "context",
              Map.of(
                  "qpid.work_dir",
                  workFolder.toString(),
                  "testbed.address",
                  address,
                  "testbed.port",
                  String.valueOf(port),
                  "virtualhost.connectionThreadPool.size",
                  String.valueOf(THREADS),
                  "virtualhost.connectionThreadPool.numberOfSelectors",
                  "1",
                  "broker.failStartupWithErroredChild",
                  "true")));
      return new Amqp(launcher, workFolder, boundPort(container.get()));
    } catch (Exception notStarted) {
      launcher.shutdown();
      Folders.delete(workFolder);
      throw new CannotStart(
          "AMQP does not start on %s:%d: %s".formatted(address, port, notStarted.getMessage()),
          notStarted);
    }
  }

  int port() {
    return port;
  }

  @Override
  public void close() {
    launcher.shutdown();
    Folders.delete(workFolder);
  }

  private static int boundPort(@Nullable SystemConfig<?> systemConfig) {
    if (systemConfig == null) {
      throw new IllegalStateException("the broker has no configuration");
    }
    return systemConfig.getContainer().getChildren(Port.class).stream()
        .filter(port -> port.getState() == State.ACTIVE)
        .mapToInt(Port::getBoundPort)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("the broker has no active port"));
  }

  /** Copies the configuration out of the jar: the broker reads plain files only. */
  private static Path copyConfiguration(Path folder) throws IOException {
    var copy = folder.resolve(CONFIGURATION);
    try (var original = Amqp.class.getResourceAsStream(CONFIGURATION)) {
      if (original == null) {
        throw new IllegalStateException("%s is not in the jar".formatted(CONFIGURATION));
      }
      Files.copy(original, copy);
    }
    return copy;
  }
}
