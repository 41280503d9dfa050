package testbed.support.testing;

import java.io.UnsupportedEncodingException;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.http.HttpHeaders;
import org.springframework.mock.web.MockHttpServletResponse;

/** What a client sees of an answer, so that two ways to it can be compared. */
public final class SeenAnswer {

  private static final String ID = "[0-9a-f-]{36}";

  private SeenAnswer() {}

  /** Status, headers and body, without ids, which no two answers have in common. */
  public static Map<String, Object> withoutIds(MockHttpServletResponse answer)
      throws UnsupportedEncodingException {
    var seen = new TreeMap<String, Object>();
    answer.getHeaderNames().forEach(name -> seen.put(name, answer.getHeaders(name)));
    seen.remove(HttpHeaders.LOCATION);
    seen.remove(HttpHeaders.CONTENT_LENGTH);
    seen.put("status", answer.getStatus());
    seen.put("body", answer.getContentAsString().replaceAll(ID, "id"));
    return seen;
  }
}
