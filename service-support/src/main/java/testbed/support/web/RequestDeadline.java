package testbed.support.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.filter.OncePerRequestFilter;
import testbed.support.deadline.Deadline;

/**
 * Binds the deadline that the caller sends; a malformed one is ignored. Before the short way, which
 * is the last filter.
 */
@Order(Ordered.LOWEST_PRECEDENCE - 1)
class RequestDeadline extends OncePerRequestFilter {

  private final Duration margin;

  RequestDeadline(Duration margin) {
    this.margin = margin;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    var wait = Deadline.read(request.getHeader(Deadline.HEADER));
    if (wait.isEmpty()) {
      chain.doFilter(request, response);
      return;
    }
    try (var bound = Deadline.of(wait.get(), margin).bind()) {
      chain.doFilter(request, response);
    }
  }
}
