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
}
