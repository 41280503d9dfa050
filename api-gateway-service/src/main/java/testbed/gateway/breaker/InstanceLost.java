package testbed.gateway.breaker;

/**
 * The answer of one of several instances was lost. That is no failure of the service, which a
 * breaker guards as a whole.
 */
class InstanceLost extends AnswerLost {

  InstanceLost(Throwable cause) {
    super(cause);
  }
}
