package testbed.poster.image;

import java.awt.image.BufferedImage;
import java.util.Locale;
import java.util.function.UnaryOperator;

/** A step of the editing. Its image is one that {@link Codec} has decoded, or another step's. */
public enum Step {
  /** Reduces images that are larger than 1920 × 1080. */
  ADJUST(new Adjuster(1920, 1080)),
  /** Converts to grayscale. */
  CONVERT(new Converter()),
  /** Writes a watermark into the lower right corner. */
  LABEL(new Labeler());

  private final UnaryOperator<BufferedImage> edit;

  Step(UnaryOperator<BufferedImage> edit) {
    this.edit = edit;
  }

  /** The edited image; the given one stays as it is. */
  public BufferedImage applied(BufferedImage image) {
    return edit.apply(image);
  }

  /** The name in settings, headers and metrics. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
