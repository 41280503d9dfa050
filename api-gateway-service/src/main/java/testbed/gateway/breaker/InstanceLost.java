package testbed.gateway.breaker;

/**
 * The connection to an instance was lost after the request was sent and before its answer, and the
 * service has another instance. No failure of the service, which a breaker guards as a whole. What
 * became of the request is not known.
 */
class InstanceLost extends RuntimeException {

  InstanceLost(Throwable cause) {
    super("The connection to one of several instances was lost", cause, false, false);
  }
}
