package testbed.broker.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import testbed.broker.operation.Operation;
import testbed.broker.web.WaitingPlaces.Place;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;
import testbed.contracts.message.CinemaMessage.MakeReservation.ReservationMade;

class WaitingPlacesTest {

  private static final Optional<Duration> WAIT = Optional.of(Duration.ofSeconds(5));

  private final WaitingPlaces places = new WaitingPlaces(500);

  @Test
  void leaveAFifthToOthersWhenOneCinemaHangs() {
    assertThat(taken("dundrum", 600)).hasSize(400);

    assertThat(taken("ucd", 50)).hasSize(50);
    assertThat(places.take(Operation.atEveryCinema(MoviesListed.class), WAIT).time()).isPresent();
  }

  @Test
  void leaveSomeHoweverManyCinemasHang() {
    for (int request = 0; request < 600; request++) {
      for (int cinema = 0; cinema < 20; cinema++) {
        taken("hangs-" + cinema, 1);
      }
    }

    assertThat(taken("ucd", 50)).isNotEmpty();
  }

  @Test
  void areFreeAgainWhenSomebodyLeaves() {
    var occupied = taken("dundrum", 600);
    occupied.forEach(Place::close);

    assertThat(taken("dundrum", 600)).hasSameSizeAs(occupied);
  }

  @Test
  void areForThoseWhoWait() {
    assertThat(places.take(at("dundrum"), Optional.empty()).time()).isEmpty();

    assertThat(taken("dundrum", 600)).hasSize(400);
  }

  private List<Place> taken(String cinema, int wanted) {
    var taken = new ArrayList<Place>();
    for (int request = 0; request < wanted; request++) {
      var place = places.take(at(cinema), WAIT);
      if (place.time().isPresent()) {
        taken.add(place);
      }
    }
    return taken;
  }

  private static Operation<ReservationMade> at(String cinema) {
    return Operation.at(cinema, ReservationMade.class);
  }
}
