package testbed.broker.operation;

/** The client that asked for an operation. Only it may fetch the answer. */
public record Client(String name) {

  /** A client without an account. No account has an empty name. */
  public static final Client ANONYMOUS = new Client("");
}
