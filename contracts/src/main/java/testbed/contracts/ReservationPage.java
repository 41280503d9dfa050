package testbed.contracts;

import java.util.List;

/**
 * A part of a cinema's reservations, by id.
 *
 * @param reservations on this page; none behind the last page
 * @param page which part it is
 * @param total how many reservations the cinema has
 */
public record ReservationPage(List<Reservation> reservations, Page page, long total) {

  public ReservationPage {
    reservations = List.copyOf(reservations);
  }

  /** Whether there is anything behind this page that can be asked for. */
  public boolean hasNext() {
    return page.number() < Page.MAX_NUMBER && page.offset() + page.size() < total;
  }
}
