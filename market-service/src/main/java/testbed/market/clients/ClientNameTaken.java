package testbed.market.clients;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** Another client has the name, in these letters or in others. */
public class ClientNameTaken extends ProblemException {

  ClientNameTaken() {
    super(ProblemType.NAME_TAKEN, "Another client has this name.");
  }
}
