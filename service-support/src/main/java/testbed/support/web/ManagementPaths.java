package testbed.support.web;

import java.util.Set;

/** The open paths of a management port. All others are closed, whatever is exposed. */
public final class ManagementPaths {

  private static final Set<String> OPEN =
      Set.of(
          "/actuator/health",
          "/actuator/health/liveness",
          "/actuator/health/readiness",
          "/actuator/prometheus",
          // Of services that build tickets.
          "/actuator/tickets");

  private ManagementPaths() {}

  /**
   * Whether a path is open.
   *
   * @param path as sent by the client: encoded variants are not open
   */
  public static boolean isOpen(String path) {
    return OPEN.contains(path);
  }
}
