package testbed.market.data;

/**
 * Numbers that look random and are the same on every machine: a number depends on the kind of thing
 * that it is for and on the thing's place alone, not on what was drawn before.
 *
 * @param seed of all numbers of a kind
 */
record Draw(long seed) {

  private static final long SEED = 1_339;

  static Draw of(String kind) {
    return new Draw(SEED * 31 + kind.hashCode());
  }

  /** Returns a number from 0 to {@code bound} - 1. */
  int below(int bound, long place) {
    return (int) Long.remainderUnsigned(mixed(seed + (place + 1) * 0x9e3779b97f4a7c15L), bound);
  }

  /** Returns 0 to {@code count} - 1 in another order. */
  int[] shuffled(int count) {
    var numbers = new int[count];
    for (int place = 0; place < count; place++) {
      int other = below(place + 1, place);
      numbers[place] = numbers[other];
      numbers[other] = place;
    }
    return numbers;
  }

  /** The finishing of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
  private static long mixed(long value) {
    long once = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
    long twice = (once ^ (once >>> 27)) * 0x94d049bb133111ebL;
    return twice ^ (twice >>> 31);
  }
}
