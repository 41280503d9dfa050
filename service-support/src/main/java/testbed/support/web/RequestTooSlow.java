package testbed.support.web;

import java.io.IOException;

/** A body did not arrive in time. */
public class RequestTooSlow extends IOException {

  /** The text for the client. */
  public static final String DETAIL = "The body did not arrive in time.";

  RequestTooSlow() {
    super(DETAIL);
  }
}
