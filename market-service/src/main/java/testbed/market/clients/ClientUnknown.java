package testbed.market.clients;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** No client has this id. */
public class ClientUnknown extends ProblemException {

  ClientUnknown(long id) {
    super(ProblemType.NOT_FOUND, "There is no client %d.".formatted(id));
  }
}
