package testbed.broker.operation;

import testbed.contracts.message.CinemaMessage.RequestRejected;
import testbed.support.problem.ProblemException;

/** The cinema has refused the request: its problem is the answer. */
class RequestRefused extends ProblemException {

  RequestRefused(RequestRejected rejected) {
    super(rejected.problem(), rejected.detail());
  }
}
