package testbed.poster.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.awt.Color;
import java.awt.Transparency;
import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import testbed.poster.HostileImages;
import testbed.poster.SamplePosters;
import testbed.support.problem.ProblemException;

class CodecTest {

  private static final long MAX_PIXELS = 1_000_000;

  private final Codec codec = new Codec(MAX_PIXELS, 0.9f);
  private final BufferedImage image = SamplePosters.image(320, 180, 3);

  @ParameterizedTest
  @EnumSource(names = {"PNG", "RAW"})
  void givesTheSamePixelsBackWithoutLoss(Format format) {
    for (var original : new BufferedImage[] {image, Step.CONVERT.applied(image)}) {
      var decoded = codec.decoded(format, codec.encoded(format, original));

      assertThat(decoded.getType()).isEqualTo(original.getType());
      assertThat(Codec.digest(decoded)).isEqualTo(Codec.digest(original));
    }
  }

  @Test
  void keepsGrayGrayInJpeg() {
    var gray = Step.CONVERT.applied(image);

    var decoded = codec.decoded(Format.JPEG, codec.encoded(Format.JPEG, gray));

    assertThat(decoded.getType()).isEqualTo(BufferedImage.TYPE_BYTE_GRAY);
    long difference = 0;
    for (int i = 0; i < Raw.samples(gray).length; i++) {
      difference += Math.abs((Raw.samples(gray)[i] & 0xff) - (Raw.samples(decoded)[i] & 0xff));
    }
    assertThat(difference / (double) Raw.samples(gray).length).isLessThan(5);
  }

  @Test
  void putsTransparentImagesOnWhite() {
    var transparent = new BufferedImage(4, 4, BufferedImage.TYPE_4BYTE_ABGR);
    transparent.setRGB(0, 0, 0xffff0000);

    var decoded = codec.decoded(Format.PNG, HostileImages.written("png", transparent));

    assertThat(decoded.getType()).isEqualTo(BufferedImage.TYPE_3BYTE_BGR);
    assertThat(new Color(decoded.getRGB(0, 0))).isEqualTo(Color.RED);
    assertThat(new Color(decoded.getRGB(1, 1))).isEqualTo(Color.WHITE);
  }

  @Test
  void tellsImagesOfOtherProportionsApart() {
    assertThat(Codec.digest(new BufferedImage(2, 8, BufferedImage.TYPE_BYTE_GRAY)))
        .hasSize(64)
        .isNotEqualTo(Codec.digest(new BufferedImage(4, 4, BufferedImage.TYPE_BYTE_GRAY)));
  }

  static Stream<Arguments> doesNotDecodeTooManyPixels() {
    var small = new Codec(MAX_PIXELS, 0.5f).encoded(Format.JPEG, SamplePosters.image(64, 64, 1));
    return Stream.of(
        Arguments.of(Format.PNG, HostileImages.png(30_000, 30_000, 1)),
        Arguments.of(Format.PNG, HostileImages.png(1001, 1000, 1000)),
        Arguments.of(Format.PNG, HostileImages.png(Integer.MAX_VALUE, 1, 1)),
        Arguments.of(Format.JPEG, HostileImages.jpeg(small, 65_500, 65_500)),
        Arguments.of(Format.RAW, raw(Integer.MAX_VALUE, Integer.MAX_VALUE, 3, 0)),
        // 48 bits for a pixel.
        Arguments.of(Format.PNG, HostileImages.written("png", deep(800, 700))));
  }

  @ParameterizedTest
  @MethodSource
  void doesNotDecodeTooManyPixels(Format format, byte[] bytes) {
    assertThatThrownBy(() -> codec.decoded(format, bytes)).isInstanceOf(ImageTooLarge.class);
  }

  @Test
  void decodesImagesOfManyChunks() {
    assertThat(codec.decoded(Format.PNG, HostileImages.chunks(5_000)).getWidth()).isEqualTo(10);
  }

  @Test
  void decodesDeepImages() {
    var decoded = codec.decoded(Format.PNG, HostileImages.written("png", deep(100, 100)));

    assertThat(decoded.getType()).isEqualTo(BufferedImage.TYPE_3BYTE_BGR);
  }

  static Stream<Arguments> refusesWhatIsNoWholeImage() {
    var codec = new Codec(MAX_PIXELS, 0.9f);
    var image = SamplePosters.image(320, 180, 3);
    var jpeg = codec.encoded(Format.JPEG, image);
    var png = codec.encoded(Format.PNG, image);
    return Stream.of(
        Arguments.of(Format.JPEG, new byte[0]),
        Arguments.of(Format.PNG, new byte[0]),
        Arguments.of(Format.RAW, new byte[0]),
        Arguments.of(Format.JPEG, "<html/>".getBytes(StandardCharsets.US_ASCII)),
        Arguments.of(Format.PNG, "<html/>".getBytes(StandardCharsets.US_ASCII)),
        Arguments.of(Format.JPEG, png),
        Arguments.of(Format.PNG, jpeg),
        Arguments.of(Format.PNG, HostileImages.gif()),
        Arguments.of(Format.JPEG, HostileImages.truncated(jpeg, 0.5)),
        Arguments.of(Format.JPEG, HostileImages.truncated(jpeg, 0.99)),
        Arguments.of(Format.PNG, HostileImages.truncated(png, 0.5)),
        Arguments.of(Format.JPEG, HostileImages.scans(jpeg, 100)),
        Arguments.of(Format.PNG, HostileImages.chunks(600_000)),
        // Says more rows than it has.
        Arguments.of(Format.PNG, HostileImages.png(100, 100, 3)),
        Arguments.of(Format.JPEG, HostileImages.jpeg(jpeg, 320, 720)),
        Arguments.of(Format.RAW, raw(10, 10, 3, 299)),
        Arguments.of(Format.RAW, raw(10, 10, 2, 200)),
        Arguments.of(Format.RAW, raw(-1, -1, 1, 1)),
        Arguments.of(Format.RAW, raw(0, 10, 1, 0)));
  }

  @ParameterizedTest
  @MethodSource
  void refusesWhatIsNoWholeImage(Format format, byte[] bytes) {
    assertThatThrownBy(() -> codec.decoded(format, bytes)).isInstanceOf(ImageUnreadable.class);
  }

  @ParameterizedTest
  @EnumSource
  void hasNoOtherAnswerToDamagedBytes(Format format) {
    var random = new Random(5);
    var whole = codec.encoded(format, image);
    for (int i = 0; i < 300; i++) {
      var damaged = whole.clone();
      // Most often in the head, where more depends on each byte.
      for (int changes = random.nextInt(1, 6); changes > 0; changes--) {
        int within = random.nextBoolean() ? Math.min(700, damaged.length) : damaged.length;
        damaged[random.nextInt(within)] = (byte) random.nextInt();
      }
      try {
        assertThat(codec.decoded(format, damaged).getWidth()).isPositive();
      } catch (ProblemException problem) {
        assertThat(problem.type().status()).isIn(413, 422);
      }
    }
  }

  private static byte[] raw(int width, int height, int bands, int samples) {
    return ByteBuffer.allocate(9 + samples).putInt(width).putInt(height).put((byte) bands).array();
  }

  private static BufferedImage deep(int width, int height) {
    var colours =
        new ComponentColorModel(
            ColorSpace.getInstance(ColorSpace.CS_sRGB),
            false,
            false,
            Transparency.OPAQUE,
            DataBuffer.TYPE_USHORT);
    return new BufferedImage(
        colours, colours.createCompatibleWritableRaster(width, height), false, null);
  }
}
