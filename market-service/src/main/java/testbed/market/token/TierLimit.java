package testbed.market.token;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.springframework.security.core.Authentication;
import testbed.support.problem.ProblemException;
import testbed.support.web.ProblemResponse;
import testbed.tier.limit.TierLimits;

/** Refuses the requests of a client beyond the limit of its tier, after the check of its token. */
final class TierLimit extends HttpFilter {

  private final TierLimits limits;
  private final ProblemResponse problems;

  TierLimit(TierLimits limits, ProblemResponse problems) {
    this.limits = limits;
    this.problems = problems;
  }

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    Optional<ProblemException> refusal =
        request.getUserPrincipal() instanceof Authentication client
            ? limits.refusal(client)
            : Optional.empty();
    if (refusal.isPresent()) {
      problems.write(response, refusal.get());
    } else {
      chain.doFilter(request, response);
    }
  }
}
