package testbed.ticket.pdf;

import java.io.IOException;
import java.util.Objects;
import org.apache.fontbox.ttf.CmapLookup;
import org.apache.fontbox.ttf.TTFParser;
import org.apache.fontbox.ttf.TrueTypeFont;
import org.apache.pdfbox.io.RandomAccessReadBuffer;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.font.PDFont;
import org.apache.pdfbox.pdmodel.font.PDType0Font;

/**
 * The font of one document: Liberation Sans (SIL Open Font License 1.1), which PDFBox brings along.
 * The same file on every machine, whatever fonts it has.
 *
 * <p>Read anew for each document: PDFBox does not say that documents in several threads may share a
 * font.
 */
final class Lettering implements AutoCloseable {

  private static final byte[] FILE =
      file("/org/apache/pdfbox/resources/ttf/LiberationSans-Regular.ttf");

  private static final int UNKNOWN = '?';
  private static final float UNITS = 1000;

  private final TrueTypeFont file;
  private final CmapLookup glyphs;
  private final PDFont font;

  Lettering(PDDocument document) throws IOException {
    this.file = new TTFParser().parse(new RandomAccessReadBuffer(FILE));
    this.glyphs = file.getUnicodeCmapLookup();
    this.font = PDType0Font.load(document, file, true);
  }

  /**
   * Writes one line. Characters that the font lacks become question marks; what is too long is cut.
   *
   * @param left in points
   * @param base in points
   * @param size in points
   * @param width what the line takes at most, in points
   */
  void write(PDPageContentStream page, String text, float left, float base, float size, float width)
      throws IOException {
    page.beginText();
    page.setFont(font, size);
    page.newLineAtOffset(left, base);
    page.showText(cut(printable(text), width / size * UNITS));
    page.endText();
  }

  /** Call it after the document is saved. */
  @Override
  public void close() throws IOException {
    file.close();
  }

  private String printable(String text) {
    return text.codePoints()
        .map(character -> glyphs.getGlyphId(character) == 0 ? UNKNOWN : character)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private String cut(String text, float units) throws IOException {
    var cut = text;
    while (font.getStringWidth(cut) > units) {
      cut = cut.substring(0, cut.offsetByCodePoints(cut.length(), -1));
    }
    return cut;
  }

  private static byte[] file(String resource) {
    try (var stream = Lettering.class.getResourceAsStream(resource)) {
      return Objects.requireNonNull(stream, resource).readAllBytes();
    } catch (IOException broken) {
      throw new IllegalStateException(resource, broken);
    }
  }
}
