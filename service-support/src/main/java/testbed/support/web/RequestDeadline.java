package testbed.support.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.regex.Pattern;
import org.springframework.web.filter.OncePerRequestFilter;
import testbed.support.deadline.Deadline;

/** Gives a request the deadline that its caller tells. One that cannot be read is none. */
class RequestDeadline extends OncePerRequestFilter {

  private static final Pattern MILLIS = Pattern.compile("\\d{1,9}");

  private final Duration margin;

  RequestDeadline(Duration margin) {
    this.margin = margin;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    var told = request.getHeader(Deadline.HEADER);
    if (told == null || !MILLIS.matcher(told).matches()) {
      chain.doFilter(request, response);
      return;
    }
    var wait = Duration.ofMillis(Long.parseLong(told));
    try (var bound = Deadline.of(wait, margin).bind()) {
      chain.doFilter(request, response);
    }
  }
}
