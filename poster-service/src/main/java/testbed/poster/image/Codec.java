package testbed.poster.image;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.ImageWriteParam;
import javax.imageio.stream.MemoryCacheImageInputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import testbed.support.problem.ProblemException;

/**
 * Decodes and encodes images. Decoded images have 8 bits per sample: gray, or blue, green, red. In
 * memory: ImageIO's own streams would create a file for each image.
 */
public final class Codec {

  private static final int USUAL_BITS = 32;

  /**
   * Limits attacks: each scan of a progressive JPEG is a few bytes and costs a pass over the whole
   * image. Encoders write about ten; a thumbnail inside may add some.
   */
  private static final int MAX_SCANS = 50;

  /**
   * Limits attacks: of a PNG with a palette the JDK keeps every chunk around the image, empty ones
   * too, at several times its size. Encoders write one for each 8 KB.
   */
  private static final int MAX_CHUNKS = 10_000;

  private static final int PNG_SIGNATURE = 8;

  /** A chunk's length, type and checksum. */
  private static final long CHUNK_FRAME = 12;

  private static final byte MARKER = (byte) 0xff;
  private static final byte SCAN = (byte) 0xda;

  private final long maxPixels;
  private final float quality;

  /**
   * @param maxPixels of images to be decoded; pixels of more than 32 bits count twice
   * @param quality of encoded JPEG, from 0 to 1
   */
  public Codec(long maxPixels, float quality) {
    this.maxPixels = maxPixels;
    this.quality = quality;
  }

  /**
   * @throws ImageUnreadable if the bytes are not a whole image of this format
   * @throws ImageTooLarge if it has too many pixels; they are counted before they are decoded
   */
  public BufferedImage decoded(Format format, byte[] bytes) {
    if (format == Format.RAW) {
      return Raw.decoded(bytes, maxPixels);
    }
    if (format == Format.JPEG ? hasTooManyScans(bytes) : hasTooManyChunks(bytes)) {
      throw new ImageUnreadable();
    }
    var reader = ImageIO.getImageReadersByMIMEType(format.mediaType()).next();
    try (var input = new MemoryCacheImageInputStream(new ByteArrayInputStream(bytes))) {
      reader.setInput(input, true, true);
      return read(reader);
    } catch (ProblemException problem) {
      throw problem;
    } catch (IOException | RuntimeException damaged) {
      // The JDK's readers throw many kinds of exceptions on malformed images.
      throw new ImageUnreadable();
    } finally {
      reader.dispose();
    }
  }

  public byte[] encoded(Format format, BufferedImage image) {
    if (format == Format.RAW) {
      return Raw.encoded(image);
    }
    var bytes = new ByteArrayOutputStream();
    var writer = ImageIO.getImageWritersByMIMEType(format.mediaType()).next();
    try (var output = new MemoryCacheImageOutputStream(bytes)) {
      writer.setOutput(output);
      writer.write(
          null, new IIOImage(image, null, null), parameters(writer.getDefaultWriteParam(), format));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      writer.dispose();
    }
    return bytes.toByteArray();
  }

  /** The SHA-256 of the raw pixels, in hexadecimal digits. */
  public static String digest(BufferedImage image) {
    return Raw.digest(image);
  }

  private BufferedImage read(ImageReader reader) throws IOException {
    var types = reader.getImageTypes(0);
    if (!types.hasNext()) {
      throw new ImageUnreadable();
    }
    int bits = types.next().getColorModel().getPixelSize();
    long pixels = (long) reader.getWidth(0) * reader.getHeight(0);
    ImageTooLarge.require(bits > USUAL_BITS ? 2 * pixels : pixels, maxPixels);
    var damaged = new AtomicBoolean();
    // A truncated JPEG would be filled with gray, with only a warning.
    reader.addIIOReadWarningListener((source, warning) -> damaged.set(true));
    var image = reader.read(0);
    if (damaged.get()) {
      throw new ImageUnreadable();
    }
    return plain(image);
  }

  /** Without transparency, palettes and 16-bit samples. */
  private static BufferedImage plain(BufferedImage image) {
    if (image.getType() == BufferedImage.TYPE_3BYTE_BGR
        || image.getType() == BufferedImage.TYPE_BYTE_GRAY) {
      return image;
    }
    var plain =
        new BufferedImage(image.getWidth(), image.getHeight(), BufferedImage.TYPE_3BYTE_BGR);
    var graphics = plain.createGraphics();
    graphics.drawImage(image, 0, 0, Color.WHITE, null);
    graphics.dispose();
    return plain;
  }

  private static boolean hasTooManyScans(byte[] jpeg) {
    int scans = 0;
    for (int at = 1; at < jpeg.length; at++) {
      if (jpeg[at] == SCAN && jpeg[at - 1] == MARKER) {
        scans++;
      }
    }
    return scans > MAX_SCANS;
  }

  private static boolean hasTooManyChunks(byte[] png) {
    var content = ByteBuffer.wrap(png);
    int chunks = 0;
    long at = PNG_SIGNATURE;
    while (at + CHUNK_FRAME <= png.length && chunks <= MAX_CHUNKS) {
      // The reader refuses negative lengths.
      at += CHUNK_FRAME + Math.max(0, content.getInt((int) at));
      chunks++;
    }
    return chunks > MAX_CHUNKS;
  }

  private ImageWriteParam parameters(ImageWriteParam usual, Format format) {
    if (format == Format.JPEG) {
      usual.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
      usual.setCompressionQuality(quality);
    }
    return usual;
  }
}
