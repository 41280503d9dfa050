package testbed.support.web;

import java.io.IOException;

/** A body went over the limit while it was read (a chunked one, which does not say its length). */
public class RequestTooLarge extends IOException {

  private final String detail;

  RequestTooLarge(long limitBytes) {
    this.detail = detail(limitBytes);
  }

  String detail() {
    return detail;
  }

  /** What the client is told. */
  public static String detail(long limitBytes) {
    return "The body is larger than %d bytes.".formatted(limitBytes);
  }
}
