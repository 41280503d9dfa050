package testbed.support.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** A client that takes every status, for tests of a whole service. */
public final class PlainHttp {

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private PlainHttp() {}

  /** Sends a request, and waits for the answer. */
  public static HttpResponse<String> send(HttpRequest request) {
    try {
      return HTTP.send(request, BodyHandlers.ofString());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException stopped) {
      throw new IllegalStateException(stopped);
    }
  }
}
