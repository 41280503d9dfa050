package testbed.aggregator.web;

import java.util.List;
import java.util.stream.Collectors;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.aggregator.movie.Movies;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

/** The list of every cinema's movies. */
@RestController
class MovieController {

  static final String CINEMAS_MISSING = "Cinemas-Missing";

  private final Movies movies;

  MovieController(Movies movies) {
    this.movies = movies;
  }

  @GetMapping("/api/movie/list")
  ResponseEntity<List<Cinema>> list() {
    var list = movies.list();
    var response = ResponseEntity.ok();
    if (!list.missing().isEmpty()) {
      response.header(
          CINEMAS_MISSING,
          list.missing().stream().map(CinemaName::value).collect(Collectors.joining(", ")));
    }
    return response.body(list.cinemas());
  }
}
