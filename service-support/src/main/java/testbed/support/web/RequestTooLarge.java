package testbed.support.web;

import java.io.IOException;

/** A body exceeded a limit while it was read. */
public class RequestTooLarge extends IOException {

  private RequestTooLarge(String detail) {
    super(detail);
  }

  static RequestTooLarge inBytes(long limitBytes) {
    return new RequestTooLarge(detail(limitBytes));
  }

  static RequestTooLarge inPieces() {
    return new RequestTooLarge("The body comes in too many pieces.");
  }

  /** The text for the client. */
  public static String detail(long limitBytes) {
    return "The body is larger than %d bytes.".formatted(limitBytes);
  }
}
