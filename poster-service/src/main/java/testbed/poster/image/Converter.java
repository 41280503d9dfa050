package testbed.poster.image;

import java.awt.image.BufferedImage;
import java.util.function.UnaryOperator;

/**
 * Converts to grayscale with the weights of ITU-R BT.601, as OpenCV does. Java's conversion to
 * {@code TYPE_BYTE_GRAY} is linear: other programs would show the image too dark.
 */
final class Converter implements UnaryOperator<BufferedImage> {

  private static final int BLUE = 114;
  private static final int GREEN = 587;
  private static final int RED = 299;
  private static final int WHOLE = BLUE + GREEN + RED;

  @Override
  public BufferedImage apply(BufferedImage image) {
    if (image.getType() == BufferedImage.TYPE_BYTE_GRAY) {
      return image;
    }
    var gray = new BufferedImage(image.getWidth(), image.getHeight(), BufferedImage.TYPE_BYTE_GRAY);
    var colours = Raw.samples(image);
    var values = Raw.samples(gray);
    for (int to = 0, from = 0; to < values.length; to++, from += 3) {
      int sum =
          BLUE * (colours[from] & 0xff)
              + GREEN * (colours[from + 1] & 0xff)
              + RED * (colours[from + 2] & 0xff);
      values[to] = (byte) ((sum + WHOLE / 2) / WHOLE);
    }
    return gray;
  }
}
