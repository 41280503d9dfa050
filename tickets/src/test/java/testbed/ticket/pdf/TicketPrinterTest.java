package testbed.ticket.pdf;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static testbed.ticket.Examples.janes;
import static testbed.ticket.Examples.reservation;
import static testbed.ticket.Examples.someId;

import com.google.zxing.BinaryBitmap;
import com.google.zxing.DecodeHintType;
import com.google.zxing.RGBLuminanceSource;
import com.google.zxing.common.HybridBinarizer;
import com.google.zxing.qrcode.QRCodeReader;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.rendering.PDFRenderer;
import org.apache.pdfbox.text.PDFTextStripper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import testbed.contracts.ReservationId;

class TicketPrinterTest {

  private static final float DPI = 150;

  private final TicketPrinter printer = new TicketPrinter(1);
  private final ReservationId id = someId();

  @Test
  void printsWhatWasReserved() throws Exception {
    assertThat(textOf(printer.print(janes(id))))
        .contains(
            "Ticket",
            id.toString(),
            "Jane Doe",
            "jane.doe@ucd.ie",
            "CNW001",
            "2022-04-15",
            "18:00",
            "2, Gold",
            "EUR 30.00",
            "1 of 1");
  }

  @Test
  void namesTheReservationInTheBytesThemselves() {
    assertThat(new String(printer.print(janes(id)), ISO_8859_1))
        .startsWith("%PDF-")
        .contains("Ticket " + id)
        .endsWith("%%EOF\n");
  }

  @Test
  void givesTheSameBytesForTheSameReservation() throws Exception {
    var first = printer.print(janes(id));
    var locale = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
    try (var threads = Executors.newFixedThreadPool(4)) {
      Callable<byte[]> again = () -> new TicketPrinter(1).print(janes(id));

      assertThat(threads.invokeAll(Collections.nCopies(20, again)))
          .extracting(Future::get)
          .allSatisfy(bytes -> assertThat(bytes).isEqualTo(first));
    } finally {
      Locale.setDefault(locale);
    }
  }

  @Test
  void givesOtherBytesForAnotherReservation() {
    assertThat(printer.print(janes(someId()))).isNotEqualTo(printer.print(janes(id)));
  }

  @Test
  void drawsAQrCodeOfItsOwnOnEachPage() throws Exception {
    var bytes = new TicketPrinter(3).print(janes(id));

    for (int page = 0; page < 3; page++) {
      assertThat(codeOf(bytes, page)).isEqualTo("%s %d/3".formatted(id, page + 1));
    }
  }

  @Test
  void costsMoreForMorePages() {
    assertThat(new TicketPrinter(20).print(janes(id)).length)
        .isGreaterThan(5 * printer.print(janes(id)).length / 2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\uD83C\uDFAC\uD83D\uDC69\u200D\uD83D\uDC67",
        "\u6C5F\u6238\u5DDD",
        "\u202Eeod enaJ",
        "e\u0301\u0301\u0301\u0301\u0301",
        "\uFFFF\uE000\u2028\u0000",
        "\uDC00 lone",
        "(\\) %PDF- endobj >> stream"
      })
  void printsNamesOfAnyCharacters(String name) throws Exception {
    assertThat(textOf(printer.print(reservation(id, name)))).contains(id.toString());
  }

  @Test
  void printsLettersBeyondAscii() throws Exception {
    assertThat(textOf(printer.print(reservation(id, "Zoë Łukasz Ωδή Иван"))))
        .contains("Zoë Łukasz Ωδή Иван");
  }

  @Test
  void printsAQuestionMarkForALetterThatTheFontLacks() throws Exception {
    assertThat(textOf(printer.print(reservation(id, "Jane \u6C5F")))).contains("Jane ?");
  }

  @Test
  void cutsWhatIsTooLongForTheLine() throws Exception {
    var text = textOf(printer.print(reservation(id, "W".repeat(200))));

    assertThat(text).containsPattern("W{20}").doesNotContainPattern("W{60}");
  }

  private static String textOf(byte[] pdf) throws Exception {
    try (var document = Loader.loadPDF(pdf)) {
      return new PDFTextStripper().getText(document);
    }
  }

  private static String codeOf(byte[] pdf, int page) throws Exception {
    try (var document = Loader.loadPDF(pdf)) {
      var whole = new PDFRenderer(document).renderImageWithDPI(page, DPI);
      // Nothing but the code: a search for it in the whole page misses one of a hundred.
      int belowText = whole.getHeight() * 3 / 7;
      var width = whole.getWidth();
      var height = whole.getHeight() - belowText;
      var pixels = whole.getRGB(0, belowText, width, height, null, 0, width);
      var image =
          new BinaryBitmap(new HybridBinarizer(new RGBLuminanceSource(width, height, pixels)));
      return new QRCodeReader().decode(image, Map.of(DecodeHintType.PURE_BARCODE, true)).getText();
    }
  }
}
