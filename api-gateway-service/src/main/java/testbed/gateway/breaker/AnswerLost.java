package testbed.gateway.breaker;

/**
 * The connection to an instance was lost after the request was sent and before its answer. What
 * became of the request is not known, so its client must not be told that it was refused.
 */
class AnswerLost extends RuntimeException {

  AnswerLost(Throwable cause) {
    super("The connection to an instance was lost before its answer", cause, false, false);
  }
}
