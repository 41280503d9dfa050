package testbed.support.web;

import java.util.List;
import testbed.contracts.ProblemType;
import testbed.support.problem.FieldProblem;
import testbed.support.problem.ProblemException;

/** Query parameters or headers have invalid values. */
public class InvalidParameters extends ProblemException {

  private final List<FieldProblem> errors;

  public InvalidParameters(List<FieldProblem> errors) {
    super(ProblemType.INVALID_REQUEST, FieldProblem.listed(errors));
    this.errors = List.copyOf(errors);
  }

  List<FieldProblem> errors() {
    return errors;
  }
}
