package testbed.support.problem;

/** One field of a request that is not valid, and why. */
public record FieldProblem(String field, String message) {}
