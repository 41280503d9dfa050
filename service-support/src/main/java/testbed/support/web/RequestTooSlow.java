package testbed.support.web;

import java.io.IOException;

/** A body had not arrived when its time was over. */
public class RequestTooSlow extends IOException {

  /** What the client is told. */
  public static final String DETAIL = "The body did not arrive in time.";

  RequestTooSlow() {
    super(DETAIL);
  }
}
