package testbed.poster.web;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.stereotype.Component;
import testbed.poster.work.Lease;
import testbed.poster.work.Poster;
import testbed.poster.work.Received;
import testbed.poster.work.Room;

/** Reads bodies, each as soon as there is memory for it. */
@Component
class Reception {

  private final Room room;

  Reception(Room room) {
    this.room = room;
  }

  /** A poster to edit, with its body. */
  Received received(HttpServletRequest request) {
    var format = Formats.of(request.getContentType());
    var done = PosterApi.steps(request.getHeader(PosterApi.STEPS));
    var accepted =
        MediaType.parseMediaTypes(Collections.list(request.getHeaders(HttpHeaders.ACCEPT)));
    var lease = room.arriving(length(request));
    try {
      return new Received(
          new Poster(format, body(request)), done, Formats.wanted(accepted, format), lease);
    } catch (RuntimeException unread) {
      lease.close();
      throw unread;
    }
  }

  /** Room for the finished poster that a request brings. */
  Lease answer(HttpServletRequest request) {
    return room.answer(length(request));
  }

  byte[] body(HttpServletRequest request) {
    try {
      // Read into one array of its length: collecting pieces would take twice the memory.
      var body = new byte[Math.toIntExact(length(request))];
      int read = request.getInputStream().readNBytes(body, 0, body.length);
      return read == body.length ? body : Arrays.copyOf(body, read);
    } catch (IOException unread) {
      throw new HttpMessageNotReadableException(
          "The body was not read", unread, new ServletServerHttpRequest(request));
    }
  }

  private static long length(HttpServletRequest request) {
    long length = request.getContentLengthLong();
    if (length < 0) {
      throw new LengthUnknown();
    }
    return length;
  }
}
