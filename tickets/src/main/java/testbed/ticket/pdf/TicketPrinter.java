package testbed.ticket.pdf;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.RoundingMode;
import org.apache.pdfbox.pdfwriter.compress.CompressParameters;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.common.PDRectangle;
import testbed.contracts.Reservation;

/**
 * Makes a PDF ticket of a reservation. The same reservation gives the same bytes: no dates, no
 * random values, an embedded font.
 *
 * <p>Safe for use by several threads.
 */
public final class TicketPrinter {

  private static final PDRectangle PAPER = PDRectangle.A5;

  // In points.
  private static final float MARGIN = 40;
  private static final float LABELS = 90;
  private static final float HEADING = 24;
  private static final float TEXT = 11;
  private static final float LEADING = 18;
  private static final float CODE = 170;

  private final int pages;

  /**
   * @param pages of each ticket, each with the same text and a QR code of its own
   */
  public TicketPrinter(int pages) {
    this.pages = pages;
  }

  /** The bytes of the PDF. They contain the reservation's id as plain text, too. */
  public byte[] print(Reservation reservation) {
    try (var document = new PDDocument();
        var lettering = new Lettering(document)) {
      // Instead of one that contains the time.
      document.setDocumentId(0L);
      document.getDocumentInformation().setTitle("Ticket " + reservation.id());
      for (int number = 1; number <= pages; number++) {
        var page = new PDPage(PAPER);
        document.addPage(page);
        try (var content = new PDPageContentStream(document, page)) {
          write(content, lettering, reservation, number);
        }
      }
      var bytes = new ByteArrayOutputStream();
      // Compressed objects would hide the title. Pages and font are compressed all the same.
      document.save(bytes, CompressParameters.NO_COMPRESSION);
      return bytes.toByteArray();
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
  }

  private void write(
      PDPageContentStream page, Lettering lettering, Reservation reservation, int number)
      throws IOException {
    var width = PAPER.getWidth() - 2 * MARGIN;
    var base = PAPER.getHeight() - MARGIN - HEADING;
    lettering.write(page, "Ticket", MARGIN, base, HEADING, width);
    String[][] lines = {
      {"Reservation", reservation.id().toString()},
      {"Name", reservation.clientName()},
      {"E-mail", reservation.clientEmail()},
      {"Movie", reservation.movieId().toString()},
      {"Date", reservation.date().toString()},
      {"Time", reservation.showTime().toString()},
      {"Seats", reservation.tickets() + ", " + reservation.ticketType()},
      {"Paid", "EUR " + reservation.amount().setScale(2, RoundingMode.HALF_UP).toPlainString()},
      {"Page", number + " of " + pages}
    };
    base -= LEADING;
    for (var line : lines) {
      base -= LEADING;
      lettering.write(page, line[0], MARGIN, base, TEXT, LABELS);
      lettering.write(page, line[1], MARGIN + LABELS, base, TEXT, width - LABELS);
    }
    QrCode.of(reservation.id() + " " + number + "/" + pages)
        .draw(page, MARGIN, base - LEADING, CODE);
  }
}
