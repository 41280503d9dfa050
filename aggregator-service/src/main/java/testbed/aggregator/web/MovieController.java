package testbed.aggregator.web;

import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.aggregator.movie.Movies;
import testbed.contracts.Cinema;
import testbed.support.web.CinemasMissing;

/** The list of every cinema's movies. */
@RestController
class MovieController {

  private final Movies movies;

  MovieController(Movies movies) {
    this.movies = movies;
  }

  @GetMapping("/api/movie/list")
  ResponseEntity<List<Cinema>> list() {
    var list = movies.list();
    return ResponseEntity.ok().headers(CinemasMissing.named(list.missing())).body(list.cinemas());
  }
}
