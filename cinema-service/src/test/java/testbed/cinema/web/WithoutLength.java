package testbed.cinema.web;

import org.springframework.mock.web.MockHttpServletRequest;

/** A request whose length is not told, as a chunked one's. */
class WithoutLength extends MockHttpServletRequest {

  WithoutLength(MockHttpServletRequest request) {
    super(request.getServletContext(), request.getMethod(), request.getRequestURI());
    setContentType(request.getContentType());
    setContent(request.getContentAsByteArray());
    addHeader("Transfer-Encoding", "chunked");
  }

  @Override
  public long getContentLengthLong() {
    return -1;
  }

  @Override
  public int getContentLength() {
    return -1;
  }
}
