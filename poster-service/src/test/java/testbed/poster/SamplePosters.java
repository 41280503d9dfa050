package testbed.poster;

import java.awt.Color;
import java.awt.GradientPaint;
import java.awt.RenderingHints;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import testbed.poster.image.Codec;
import testbed.poster.image.Format;

/**
 * Posters made from a seed: gradients, shapes and a little noise. No data set, no licence. {@code
 * main} writes those of the load plans, see {@code jmeter/README.md}.
 */
public final class SamplePosters {

  private static final long SEED = 2019;
  private static final float QUALITY = 0.75f;

  private SamplePosters() {}

  public static void main(String[] folder) throws IOException {
    for (var file : files().entrySet()) {
      Files.write(Path.of(folder[0], file.getKey()), file.getValue());
    }
  }

  /** The images of the load plans by file name. */
  static Map<String, byte[]> files() {
    var codec = new Codec(1, QUALITY);
    var files = new LinkedHashMap<String, byte[]>();
    for (int height : new int[] {720, 1440, 2160}) {
      files.put(height + "p.jpg", codec.encoded(Format.JPEG, image(height * 16 / 9, height, SEED)));
    }
    return files;
  }

  /** An image in colours; the same numbers give the same pixels. */
  public static BufferedImage image(int width, int height, long seed) {
    var random = new Random(seed);
    var image = new BufferedImage(width, height, BufferedImage.TYPE_3BYTE_BGR);
    var graphics = image.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setPaint(new GradientPaint(0, 0, colour(random), width, height, colour(random)));
    graphics.fillRect(0, 0, width, height);
    for (int i = 0; i < 40; i++) {
      double x = random.nextDouble() * width;
      double y = random.nextDouble() * height;
      double size = random.nextDouble() * height / 3;
      graphics.setPaint(
          new GradientPaint(
              (float) x,
              (float) y,
              colour(random),
              (float) (x + size + 1),
              (float) (y + size + 1),
              colour(random)));
      graphics.fill(
          random.nextBoolean()
              ? new Ellipse2D.Double(x, y, size, size)
              : new Rectangle2D.Double(x, y, size, size / 2));
    }
    graphics.dispose();
    for (int i = 0; i < width * height / 2000; i++) {
      image.setRGB(random.nextInt(width), random.nextInt(height), random.nextInt());
    }
    return image;
  }

  private static Color colour(Random random) {
    return new Color(random.nextInt(0x1000000));
  }
}
