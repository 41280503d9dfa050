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
 * Makes images of bytes and bytes of images. Decoded images have 8 bits for each sample, gray or
 * blue, green, red. All happens in memory: ImageIO's own streams would make a file for each image.
 */
public final class Codec {

  private static final int USUAL_BITS = 32;

  /**
   * Each scan of a progressive JPEG goes over the whole image, and takes a few bytes only. Encoders
   * write about ten. A thumbnail inside may have some, too.
   */
  private static final int MAX_SCANS = 50;

  /**
   * Of a PNG with a palette the JDK keeps every chunk that comes before or after the image, empty
   * ones too, and takes several times their bytes for that. Encoders write one for each 8 KB.
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
    } catch (ProblemException told) {
      throw told;
    } catch (IOException | RuntimeException damaged) {
      // The readers of the JDK throw exceptions of many kinds on malformed images.
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

  /** Tells the pixels of images apart: the SHA-256 of their raw form, in hexadecimal digits. */
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
    // What is missing of a JPEG would be gray, with no more than a warning.
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
