package testbed.gateway.breaker;

/**
 * The same where the service has another instance: no failure of the service, which a breaker
 * guards as a whole.
 */
class InstanceLost extends AnswerLost {

  InstanceLost(Throwable cause) {
    super(cause);
  }
}
