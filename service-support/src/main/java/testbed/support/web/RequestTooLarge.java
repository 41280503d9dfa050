package testbed.support.web;

import java.io.IOException;

/** A chunked body exceeded the limit while it was read. */
public class RequestTooLarge extends IOException {

  RequestTooLarge(long limitBytes) {
    super(detail(limitBytes));
  }

  /** The text for the client. */
  public static String detail(long limitBytes) {
    return "The body is larger than %d bytes.".formatted(limitBytes);
  }
}
