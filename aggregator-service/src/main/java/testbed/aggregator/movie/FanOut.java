package testbed.aggregator.movie;

/** How several cinemas are asked. */
public enum FanOut {
  /** All at once: every question is asked before the first answer is waited for. */
  PARALLEL,
  /** One after another, as in thesis, listing 4.7. */
  SEQUENTIAL
}
