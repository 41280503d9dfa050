package testbed.poster.image;

import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.util.function.UnaryOperator;

/**
 * Scales an image down to the limits and keeps its proportions.
 *
 * <p>Halves it as long as possible, then takes the rest in one step: an interpolation looks at a
 * few neighbours only, and would skip most pixels of a large image. Thumbnailator does the same
 * with the same calls of Java2D. Its last step is bilinear.
 */
final class Adjuster implements UnaryOperator<BufferedImage> {

  private final int maxWidth;
  private final int maxHeight;

  Adjuster(int maxWidth, int maxHeight) {
    this.maxWidth = maxWidth;
    this.maxHeight = maxHeight;
  }

  @Override
  public BufferedImage apply(BufferedImage image) {
    double scale =
        Math.min((double) maxWidth / image.getWidth(), (double) maxHeight / image.getHeight());
    if (scale >= 1) {
      return image;
    }
    int width = scaled(image.getWidth(), scale);
    int height = scaled(image.getHeight(), scale);
    var reduced = image;
    while (reduced.getWidth() >= 2 * width || reduced.getHeight() >= 2 * height) {
      reduced =
          drawn(
              reduced,
              halved(reduced.getWidth(), width),
              halved(reduced.getHeight(), height),
              RenderingHints.VALUE_INTERPOLATION_BILINEAR);
    }
    return reduced.getWidth() == width && reduced.getHeight() == height
        ? reduced
        : drawn(reduced, width, height, RenderingHints.VALUE_INTERPOLATION_BICUBIC);
  }

  private static int scaled(int length, double scale) {
    return Math.max(1, (int) Math.round(length * scale));
  }

  private static int halved(int length, int target) {
    return length >= 2 * target ? length / 2 : length;
  }

  private static BufferedImage drawn(
      BufferedImage image, int width, int height, Object interpolation) {
    var target = new BufferedImage(width, height, image.getType());
    var graphics = target.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_INTERPOLATION, interpolation);
    graphics.drawImage(image, 0, 0, width, height, null);
    graphics.dispose();
    return target;
  }
}
