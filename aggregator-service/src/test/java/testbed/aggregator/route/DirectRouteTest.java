package testbed.aggregator.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

class DirectRouteTest {

  private static final CinemaName UCD = new CinemaName("ucd");
  private static final CinemaName DUNDRUM = new CinemaName("dundrum");
  private static final URI ONE = URI.create("http://10.0.0.1:8084");
  private static final URI TWO = URI.create("http://10.0.0.2:8084");
  private static final URI THREE = URI.create("http://10.0.0.3:8083");
  private static final URI FOUR = URI.create("http://10.0.0.4:8083");

  private final List<String> asked = new ArrayList<>();

  @Test
  void takesTheInstancesInTurn() {
    var route = new DirectRoute(this::answer, cinema -> List.of(ONE, TWO));

    route.ask(UCD);
    route.ask(UCD);
    route.ask(UCD);

    assertThat(asked)
        .containsExactly(
            "http://10.0.0.1:8084/cinema/ucd/movie/list",
            "http://10.0.0.2:8084/cinema/ucd/movie/list",
            "http://10.0.0.1:8084/cinema/ucd/movie/list");
  }

  @Test
  void takesTheInstancesOfEachCinemaInTurnHoweverManyCinemasAreAsked() {
    var instances =
        Map.of(
            UCD, List.of(ONE, TWO),
            DUNDRUM, List.of(THREE, FOUR));
    var route = new DirectRoute(this::answer, instances::get);

    for (int list = 0; list < 2; list++) {
      route.ask(UCD);
      route.ask(DUNDRUM);
    }

    assertThat(asked)
        .containsExactlyInAnyOrder(
            "http://10.0.0.1:8084/cinema/ucd/movie/list",
            "http://10.0.0.2:8084/cinema/ucd/movie/list",
            "http://10.0.0.3:8083/cinema/dundrum/movie/list",
            "http://10.0.0.4:8083/cinema/dundrum/movie/list");
  }

  @Test
  void goesOnToTheNextInstanceIfOneCannotBeReached() {
    CinemaApi api =
        address -> {
          if (address.getHost().equals(ONE.getHost())) {
            asked.add(address.toString());
            throw new ResourceAccessException("refused");
          }
          return answer(address);
        };

    assertThat(new DirectRoute(api, cinema -> List.of(ONE, TWO)).ask(UCD)).isNotNull();
    assertThat(asked).hasSize(2);
  }

  @Test
  void doesNotAskAnotherInstanceForWhatOneHasAnswered() {
    CinemaApi api =
        address -> {
          asked.add(address.toString());
          throw HttpServerErrorException.create(
              HttpStatus.INTERNAL_SERVER_ERROR, "", HttpHeaders.EMPTY, new byte[0], null);
        };
    var route = new DirectRoute(api, cinema -> List.of(ONE, TWO));

    assertThatThrownBy(() -> route.ask(UCD)).isInstanceOf(HttpServerErrorException.class);
    assertThat(asked).hasSize(1);
  }

  @Test
  void failsIfThereIsNoInstance() {
    var route = new DirectRoute(this::answer, cinema -> List.of());

    assertThatThrownBy(() -> route.ask(UCD)).hasMessage("ucd has no instance");
  }

  private Cinema answer(URI address) {
    asked.add(address.toString());
    return Cinema.of(UCD, List.of());
  }
}
