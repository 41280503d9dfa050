package testbed.poster.image;

import java.awt.AlphaComposite;
import java.awt.Color;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.AffineTransform;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Writes a watermark into the lower right corner: half transparent, light on a dark shadow.
 *
 * <p>The outlines of its letters come from a file. Java's text needs fontconfig and the fonts of
 * the machine, even for a font of its own, and slim images have neither.
 */
final class Labeler implements UnaryOperator<BufferedImage> {

  private static final String OUTLINE = "/watermark.path";

  /** Of the width of the image. */
  private static final double LENGTH = 0.25;

  private static final double MARGIN = 0.02;
  private static final float OPACITY = 0.5f;

  private final Shape outline = read();

  @Override
  public BufferedImage apply(BufferedImage image) {
    var labeled = new BufferedImage(image.getWidth(), image.getHeight(), image.getType());
    System.arraycopy(Raw.samples(image), 0, Raw.samples(labeled), 0, Raw.samples(labeled).length);
    var bounds = outline.getBounds2D();
    double scale = LENGTH * image.getWidth() / bounds.getWidth();
    double margin = MARGIN * image.getWidth();
    var graphics = labeled.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setComposite(AlphaComposite.getInstance(AlphaComposite.SRC_OVER, OPACITY));
    graphics.translate(
        image.getWidth() - margin - scale * bounds.getMaxX(),
        image.getHeight() - margin - scale * bounds.getMaxY());
    var text = AffineTransform.getScaleInstance(scale, scale).createTransformedShape(outline);
    double shadow = Math.max(1, margin / 20);
    graphics.translate(shadow, shadow);
    graphics.setColor(Color.BLACK);
    graphics.fill(text);
    graphics.translate(-shadow, -shadow);
    graphics.setColor(Color.WHITE);
    graphics.fill(text);
    graphics.dispose();
    return labeled;
  }

  /** Reads commands of SVG paths: M, L, Q and Z, with absolute coordinates. */
  private static Shape read() {
    try (var file = Objects.requireNonNull(Labeler.class.getResourceAsStream(OUTLINE))) {
      var text = new String(file.readAllBytes(), StandardCharsets.US_ASCII);
      var commands =
          text.lines().filter(line -> !line.startsWith("#")).collect(Collectors.joining(" "));
      var words = List.of(commands.split("\\s+")).iterator();
      var path = new Path2D.Double();
      while (words.hasNext()) {
        var command = words.next();
        switch (command) {
          case "M" -> path.moveTo(number(words), number(words));
          case "L" -> path.lineTo(number(words), number(words));
          case "Q" -> path.quadTo(number(words), number(words), number(words), number(words));
          case "Z" -> path.closePath();
          default -> throw new IllegalStateException("%s in %s".formatted(command, OUTLINE));
        }
      }
      return path;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int number(Iterator<String> words) {
    return Integer.parseInt(words.next());
  }
}
