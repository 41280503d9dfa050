package testbed.aggregator.route;

import java.net.URI;
import org.springframework.web.service.annotation.GetExchange;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

/** What the aggregator asks of a cinema. */
interface CinemaApi {

  /**
   * @param address the whole address, since the base differs by instance; expanding a template for
   *     each call would cost more than the rest of its preparation
   */
  @GetExchange
  Cinema movies(URI address);

  /** The address of a cinema's movies at a cinema's instance or at the gateway. */
  static URI moviesAt(URI base, CinemaName cinema) {
    return base.resolve("/cinema/" + cinema + "/movie/list");
  }
}
