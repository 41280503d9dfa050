package testbed.aggregator.route;

import java.net.URI;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientResponseException;
import testbed.aggregator.movie.CinemaRoute.Question;
import testbed.contracts.CinemaName;

/** Sends questions by HTTP. */
interface CinemaClient {

  /**
   * Asks for a cinema's movies. The answer fails with a {@link ResourceAccessException} if there is
   * none, and with a {@link RestClientResponseException} if it is a refusal.
   *
   * @param address of a cinema's instance, or of the gateway
   */
  Question ask(URI address, CinemaName cinema);

  /** Where a cinema's movies are at its instance or at the gateway. */
  static String path(CinemaName cinema) {
    return "/cinema/" + cinema + "/movie/list";
  }
}
