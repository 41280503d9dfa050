package testbed.broker.operation;

/** Who asks for an operation, and alone may fetch its answer. */
public record Client(String name) {

  /** Without an account. The empty name is that of no account. */
  public static final Client ANONYMOUS = new Client("");
}
