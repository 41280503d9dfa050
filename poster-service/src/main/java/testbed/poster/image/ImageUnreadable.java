package testbed.poster.image;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** A body is not an image of its media type, or is damaged or truncated. */
public class ImageUnreadable extends ProblemException {

  ImageUnreadable() {
    super(
        ProblemType.IMAGE_UNREADABLE,
        "The body is not a whole image of its media type, or is of a kind that is not supported.");
  }
}
