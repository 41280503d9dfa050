package testbed.poster.image;

import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** A body is no image of the kind that it says it is, or a part of it is damaged or missing. */
public class ImageUnreadable extends ProblemException {

  ImageUnreadable() {
    super(
        ProblemType.IMAGE_UNREADABLE,
        "The body is not a whole image of its media type, or is of a kind that is not supported.");
  }
}
