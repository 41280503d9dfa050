package testbed.poster;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import javax.imageio.ImageIO;

/** Images that no service should decode. */
public final class HostileImages {

  private static final byte[] PNG = {(byte) 0x89, 'P', 'N', 'G', 13, 10, 26, 10};

  private static final int HEAD_CHUNK = 25;

  private HostileImages() {}

  /**
   * A PNG that says it has so many pixels of 8 bits for each colour.
   *
   * @param rows how many rows of zeros it has, well compressed
   */
  public static byte[] png(int width, int height, int rows) {
    var head =
        ByteBuffer.allocate(13)
            .putInt(width)
            .putInt(height)
            .put(new byte[] {8, 2, 0, 0, 0})
            .array();
    var row = new byte[1 + 3 * Math.min(width, 100_000)];
    var packed = new ByteArrayOutputStream();
    try (var deflater = new Deflater(9)) {
      var buffer = new byte[8192];
      for (int i = 0; i < rows; i++) {
        deflater.setInput(row);
        while (!deflater.needsInput()) {
          packed.write(buffer, 0, deflater.deflate(buffer));
        }
      }
      deflater.finish();
      while (!deflater.finished()) {
        packed.write(buffer, 0, deflater.deflate(buffer));
      }
    }
    var file = new ByteArrayOutputStream();
    file.writeBytes(PNG);
    chunk(file, "IHDR", head);
    chunk(file, "IDAT", packed.toByteArray());
    chunk(file, "IEND", new byte[0]);
    return file.toByteArray();
  }

  /** A small PNG with a palette and so many empty chunks that mean nothing. */
  public static byte[] chunks(int times) {
    var png = written("png", new BufferedImage(10, 10, BufferedImage.TYPE_BYTE_INDEXED));
    var empty = new ByteArrayOutputStream();
    chunk(empty, "teSt", new byte[0]);
    var file = new ByteArrayOutputStream();
    file.write(png, 0, PNG.length + HEAD_CHUNK);
    for (int i = 0; i < times; i++) {
      file.writeBytes(empty.toByteArray());
    }
    file.write(png, PNG.length + HEAD_CHUNK, png.length - PNG.length - HEAD_CHUNK);
    return file.toByteArray();
  }

  /** A JPEG that says it is larger than it is. */
  public static byte[] jpeg(byte[] jpeg, int width, int height) {
    var changed = jpeg.clone();
    for (int at = 0; at < changed.length - 8; at++) {
      // The start of a frame: marker, length, precision, height, width.
      if (changed[at] == (byte) 0xff && changed[at + 1] == (byte) 0xc0) {
        ByteBuffer.wrap(changed, at + 5, 4).putShort((short) height).putShort((short) width);
        return changed;
      }
    }
    throw new IllegalArgumentException("no frame");
  }

  /** A JPEG with its only scan written so many times. */
  public static byte[] scans(byte[] jpeg, int times) {
    int scan = 0;
    while (jpeg[scan] != (byte) 0xff || jpeg[scan + 1] != (byte) 0xda) {
      scan++;
    }
    var end = jpeg.length - 2;
    var file = new ByteArrayOutputStream();
    file.write(jpeg, 0, scan);
    for (int i = 0; i < times; i++) {
      file.write(jpeg, scan, end - scan);
    }
    file.write(jpeg, end, 2);
    return file.toByteArray();
  }

  /** The first part of an image. */
  public static byte[] truncated(byte[] image, double share) {
    return Arrays.copyOf(image, (int) (share * image.length));
  }

  public static byte[] gif() {
    return written("gif", new BufferedImage(10, 10, BufferedImage.TYPE_3BYTE_BGR));
  }

  public static byte[] written(String format, BufferedImage image) {
    var bytes = new ByteArrayOutputStream();
    try {
      ImageIO.setUseCache(false);
      ImageIO.write(image, format, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void chunk(ByteArrayOutputStream file, String type, byte[] content) {
    var named =
        ByteBuffer.allocate(4 + content.length)
            .put(type.getBytes(StandardCharsets.US_ASCII))
            .put(content)
            .array();
    var crc = new CRC32();
    crc.update(named);
    file.writeBytes(ByteBuffer.allocate(4).putInt(content.length).array());
    file.writeBytes(named);
    file.writeBytes(ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
  }
}
