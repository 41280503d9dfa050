package testbed.aggregator.movie;

/** How several cinemas are asked. */
public enum FanOut {
  /** All at once. */
  PARALLEL,
  /** One after another, as in thesis, listing 4.7. */
  SEQUENTIAL
}
