package testbed.embedded;

import org.jspecify.annotations.Nullable;

/** Why the backends do not start, in words for the person who started them. */
class CannotStart extends RuntimeException {

  CannotStart(String message) {
    this(message, null);
  }

  CannotStart(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  static CannotStart portInUse(String what, String address, int port, String variable) {
    return new CannotStart(
        "%s cannot listen on %s:%d: the port is in use or the address is not local. Stop what listens there, or set %s or EMBEDDED_ADDRESS."
            .formatted(what, address, port, variable));
  }
}
