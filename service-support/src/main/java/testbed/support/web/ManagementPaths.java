package testbed.support.web;

import java.util.Set;

/** What is open at a management port. All else is closed there, whatever is exposed. */
public final class ManagementPaths {

  private static final Set<String> OPEN =
      Set.of(
          "/actuator/health",
          "/actuator/health/liveness",
          "/actuator/health/readiness",
          "/actuator/prometheus",
          // Where tickets are built.
          "/actuator/tickets");

  private ManagementPaths() {}

  /**
   * Whether a path is open.
   *
   * @param path as the client has sent it: one in disguise is not open
   */
  public static boolean isOpen(String path) {
    return OPEN.contains(path);
  }
}
