package testbed.market.database;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** The connection was lost while the database was told to keep what has changed. */
public class MayBeStored extends ProblemException {

  MayBeStored() {
    super(
        ProblemType.NO_ANSWER,
        "The database has not answered: the request may have been carried out.");
  }
}
