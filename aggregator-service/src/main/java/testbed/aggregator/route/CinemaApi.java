package testbed.aggregator.route;

import java.net.URI;
import org.springframework.web.service.annotation.GetExchange;
import testbed.contracts.Cinema;

/** What the aggregator asks of a cinema. */
interface CinemaApi {

  /**
   * @param address the whole address, since the base differs by instance; expanding a template for
   *     each call would cost more than the rest of its preparation
   */
  @GetExchange
  Cinema movies(URI address);
}
