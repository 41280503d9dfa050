package testbed.aggregator.web;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.aggregator.movie.Movies;
import testbed.cinemas.CinemasMissing;
import testbed.cinemas.WrittenCinemas;
import testbed.contracts.Cinema;
import tools.jackson.databind.json.JsonMapper;

/** The list of every cinema's movies. */
@RestController
class MovieController {

  static final String LIST = "/api/movie/list";

  private final Movies movies;
  private final WrittenCinemas written;

  MovieController(Movies movies, JsonMapper json) {
    this.movies = movies;
    this.written = new WrittenCinemas(json);
  }

  /** A list of {@link Cinema}. */
  @GetMapping(path = LIST, produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> list() {
    var list = movies.list();
    return ResponseEntity.ok()
        .headers(CinemasMissing.named(list.missing()))
        .body(written.list(list.cinemas()));
  }
}
