package testbed.ticket.pdf;

import com.google.zxing.BarcodeFormat;
import com.google.zxing.EncodeHintType;
import com.google.zxing.WriterException;
import com.google.zxing.common.BitMatrix;
import com.google.zxing.qrcode.QRCodeWriter;
import com.google.zxing.qrcode.decoder.ErrorCorrectionLevel;
import java.io.IOException;
import java.util.Map;
import org.apache.pdfbox.pdmodel.PDPageContentStream;

/** A QR code, drawn as rectangles: an image would need the JDK's graphics. */
final class QrCode {

  private static final Map<EncodeHintType, ?> HINTS =
      Map.of(EncodeHintType.ERROR_CORRECTION, ErrorCorrectionLevel.M, EncodeHintType.MARGIN, 0);

  private final BitMatrix modules;

  private QrCode(BitMatrix modules) {
    this.modules = modules;
  }

  static QrCode of(String text) {
    try {
      return new QrCode(new QRCodeWriter().encode(text, BarcodeFormat.QR_CODE, 0, 0, HINTS));
    } catch (WriterException tooLong) {
      throw new IllegalArgumentException(tooLong);
    }
  }

  /**
   * @param left of the code, in points
   * @param top of the code, in points
   * @param size of each side, in points
   */
  void draw(PDPageContentStream page, float left, float top, float size) throws IOException {
    var side = size / modules.getWidth();
    for (int row = 0; row < modules.getHeight(); row++) {
      for (int column = 0; column < modules.getWidth(); column++) {
        if (modules.get(column, row)) {
          page.addRect(left + column * side, top - (row + 1) * side, side, side);
        }
      }
    }
    page.fill();
  }
}
