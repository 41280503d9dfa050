package testbed.support.discovery;

import java.util.concurrent.Executor;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Keeps the service running for a while after SIGTERM. The registry already knows that the instance
 * is down ({@code EurekaAutoServiceRegistration}), but callers still have the registry's last
 * answer. Front doors close their clients' connections meanwhile.
 */
class Drain implements SmartLifecycle {

  private final Executor later;
  private volatile boolean running;

  /**
   * @param later runs a task when the time is over
   */
  Drain(Executor later) {
    this.later = later;
  }

  /** Stops right before the web server, which then takes no new connections. */
  @Override
  public int getPhase() {
    return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE + 1;
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void stop(Runnable stopped) {
    later.execute(
        () -> {
          running = false;
          stopped.run();
        });
  }

  @Override
  public void stop() {
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }
}
