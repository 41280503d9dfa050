package testbed.poster.image;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** An image has too many pixels; it was not decoded. */
public class ImageTooLarge extends ProblemException {

  private ImageTooLarge(long maxPixels) {
    super(
        ProblemType.TOO_LARGE,
        "The image has more than %d pixels; those of more than 32 bits count twice."
            .formatted(maxPixels));
  }

  /**
   * @throws ImageTooLarge if there are more pixels
   */
  static void require(long pixels, long maxPixels) {
    if (pixels > maxPixels) {
      throw new ImageTooLarge(maxPixels);
    }
  }
}
