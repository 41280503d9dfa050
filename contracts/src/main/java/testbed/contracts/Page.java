package testbed.contracts;

import java.util.Optional;

/**
 * Which part of a long list is wanted.
 *
 * @param number of the page, the first one is 0
 * @param size entries on a page
 */
public record Page(int number, int size) {

  /** So that the first entry of any page has a position that fits into 32 bits. */
  public static final int MAX_NUMBER = 1_000_000;

  public static final int MAX_SIZE = 200;

  /** What a client gets that does not say which page it wants. */
  public static final Page FIRST = new Page(0, 50);

  public Page {
    if (number < 0 || number > MAX_NUMBER || size < 1 || size > MAX_SIZE) {
      throw new IllegalArgumentException(
          "page %d of size %d: the number is 0 to %d, the size 1 to %d"
              .formatted(number, size, MAX_NUMBER, MAX_SIZE));
    }
  }

  /** How many entries come before the page. */
  public long offset() {
    return (long) number * size;
  }

  /**
   * The page after this one.
   *
   * @param total entries of the list
   * @return empty behind the last entry, and after the last number
   */
  public Optional<Page> next(long total) {
    return number < MAX_NUMBER && offset() + size < total
        ? Optional.of(new Page(number + 1, size))
        : Optional.empty();
  }
}
