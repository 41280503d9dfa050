package testbed.broker.operation;

import java.util.Optional;
import testbed.contracts.CinemaName;
import testbed.contracts.message.CinemaMessage.Response;

/**
 * What a client asked for. A fetch names the same operation; it gets no answer to another.
 *
 * @param answer what answers it
 * @param cinema the one that is asked; without one, every cinema is
 */
public record Operation<A extends Response>(Class<A> answer, Optional<CinemaName> cinema) {

  public static <A extends Response> Operation<A> atEveryCinema(Class<A> answer) {
    return new Operation<>(answer, Optional.empty());
  }

  /**
   * @throws CinemaUnknown if no cinema can have this name
   */
  public static <A extends Response> Operation<A> at(String cinema, Class<A> answer) {
    var name = CinemaName.parse(cinema).orElseThrow(() -> new CinemaUnknown(cinema));
    return new Operation<>(answer, Optional.of(name));
  }
}
