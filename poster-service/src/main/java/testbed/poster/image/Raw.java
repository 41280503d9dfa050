package testbed.poster.image;

import java.awt.image.BufferedImage;
import java.awt.image.DataBufferByte;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * An image as its bare samples: width and height (4 bytes each, the highest first), the number of
 * samples of a pixel (1 byte: 1 for gray, 3 for blue, green, red), then the samples, row by row.
 */
final class Raw {

  private static final int HEAD = 2 * Integer.BYTES + 1;
  private static final int COLOURS = 3;

  private Raw() {}

  /** The samples of a gray or BGR image; writes go through. */
  static byte[] samples(BufferedImage image) {
    return ((DataBufferByte) image.getRaster().getDataBuffer()).getData();
  }

  static byte[] encoded(BufferedImage image) {
    var samples = samples(image);
    return ByteBuffer.allocate(HEAD + samples.length).put(head(image)).put(samples).array();
  }

  /**
   * @throws ImageUnreadable if it is no such image
   * @throws ImageTooLarge if it has more pixels
   */
  static BufferedImage decoded(byte[] bytes, long maxPixels) {
    if (bytes.length < HEAD) {
      throw new ImageUnreadable();
    }
    var content = ByteBuffer.wrap(bytes);
    int width = content.getInt();
    int height = content.getInt();
    int bands = content.get();
    if (width <= 0 || height <= 0 || (bands != 1 && bands != COLOURS)) {
      throw new ImageUnreadable();
    }
    ImageTooLarge.require((long) width * height, maxPixels);
    if (content.remaining() != (long) width * height * bands) {
      throw new ImageUnreadable();
    }
    var image =
        new BufferedImage(
            width,
            height,
            bands == 1 ? BufferedImage.TYPE_BYTE_GRAY : BufferedImage.TYPE_3BYTE_BGR);
    content.get(samples(image));
    return image;
  }

  /** The SHA-256 of the encoded form, in hexadecimal digits. */
  static String digest(BufferedImage image) {
    try {
      var sha = MessageDigest.getInstance("SHA-256");
      sha.update(head(image));
      return HexFormat.of().formatHex(sha.digest(samples(image)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static byte[] head(BufferedImage image) {
    return ByteBuffer.allocate(HEAD)
        .putInt(image.getWidth())
        .putInt(image.getHeight())
        .put((byte) image.getRaster().getNumBands())
        .array();
  }
}
