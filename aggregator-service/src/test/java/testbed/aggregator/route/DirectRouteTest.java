package testbed.aggregator.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import testbed.aggregator.movie.CinemaRoute.Question;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.support.deadline.Deadline;

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

    route.ask(UCD).answer();
    route.ask(UCD).answer();
    route.ask(UCD).answer();

    assertThat(asked)
        .containsExactly(
            "ucd http://10.0.0.1:8084", "ucd http://10.0.0.2:8084", "ucd http://10.0.0.1:8084");
  }

  @Test
  void takesTheInstancesOfEachCinemaInTurnHoweverManyCinemasAreAsked() {
    var instances =
        Map.of(
            UCD, List.of(ONE, TWO),
            DUNDRUM, List.of(THREE, FOUR));
    var route = new DirectRoute(this::answer, instances::get);

    for (int list = 0; list < 2; list++) {
      route.ask(UCD).answer();
      route.ask(DUNDRUM).answer();
    }

    assertThat(asked)
        .containsExactlyInAnyOrder(
            "ucd http://10.0.0.1:8084",
            "ucd http://10.0.0.2:8084",
            "dundrum http://10.0.0.3:8083",
            "dundrum http://10.0.0.4:8083");
  }

  @Test
  void goesOnToTheNextInstanceIfOneCannotBeReached() {
    var route = new DirectRoute(this::unreachableAtOne, cinema -> List.of(ONE, TWO));

    assertThat(route.ask(UCD).answer()).isNotNull();
    assertThat(asked).hasSize(2);
  }

  @Test
  void leavesOutAnInstanceThatDoesNotAnswer() {
    var route = new DirectRoute(this::unreachableAtOne, cinema -> List.of(ONE, TWO));

    for (int list = 0; list < 20; list++) {
      assertThat(route.ask(UCD).answer()).isNotNull();
    }

    assertThat(asked).filteredOn("ucd http://10.0.0.1:8084"::equals).hasSize(3);
    assertThat(asked).filteredOn("ucd http://10.0.0.2:8084"::equals).hasSize(20);
  }

  @Test
  void asksAllInstancesIfNoneAnswers() {
    var route = new DirectRoute(this::unreachable, cinema -> List.of(ONE, TWO));

    for (int list = 0; list < 10; list++) {
      var question = route.ask(UCD);
      assertThatThrownBy(question::answer).hasMessage("refused");
    }

    assertThat(asked).hasSize(20);
  }

  @Test
  void asksNoOtherInstanceWhenTheTimeIsOver() {
    var route = new DirectRoute(this::unreachableAtOne, cinema -> List.of(ONE, TWO));

    try (var bound = Deadline.of(Duration.ZERO, Duration.ZERO).bind()) {
      var question = route.ask(UCD);

      assertThatThrownBy(question::answer).hasMessage("refused");
    }
    assertThat(asked).hasSize(1);
  }

  @Test
  void doesNotAskAnotherInstanceForWhatOneHasAnswered() {
    CinemaClient client =
        (address, cinema) -> {
          asked.add(address.toString());
          return () -> {
            throw HttpServerErrorException.create(
                HttpStatus.INTERNAL_SERVER_ERROR, "", HttpHeaders.EMPTY, new byte[0], null);
          };
        };
    var question = new DirectRoute(client, cinema -> List.of(ONE, TWO)).ask(UCD);

    assertThatThrownBy(question::answer).isInstanceOf(HttpServerErrorException.class);
    assertThat(asked).hasSize(1);
  }

  @Test
  void failsIfThereIsNoInstance() {
    var question = new DirectRoute(this::answer, cinema -> List.of()).ask(UCD);

    assertThatThrownBy(question::answer).hasMessage("ucd has no instance");
  }

  private Question answer(URI address, CinemaName cinema) {
    asked.add("%s %s".formatted(cinema, address));
    return () -> Cinema.of(UCD, List.of());
  }

  private Question unreachableAtOne(URI address, CinemaName cinema) {
    return address.equals(ONE) ? unreachable(address, cinema) : answer(address, cinema);
  }

  private Question unreachable(URI address, CinemaName cinema) {
    answer(address, cinema);
    return () -> {
      throw new ResourceAccessException("refused");
    };
  }
}
