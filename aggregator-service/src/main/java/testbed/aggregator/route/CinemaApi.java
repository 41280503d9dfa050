package testbed.aggregator.route;

import java.net.URI;
import org.springframework.web.service.annotation.GetExchange;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

/** What the aggregator asks of a cinema. */
interface CinemaApi {

  /**
   * @param address the whole address, worked out once for each instance: it differs by instance,
   *     and expanding a template costs more than the rest of this call's preparation
   */
  @GetExchange
  Cinema movies(URI address);

  /** The address of a cinema's movies at a cinema's instance or at the gateway. */
  static URI moviesAt(URI base, CinemaName cinema) {
    return base.resolve("/cinema/%s/movie/list".formatted(cinema));
  }
}
