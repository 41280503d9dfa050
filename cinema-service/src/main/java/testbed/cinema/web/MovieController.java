package testbed.cinema.web;

import jakarta.validation.Valid;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import testbed.cinema.movie.Movies;
import testbed.cinemas.WrittenCinemas;
import testbed.contracts.Cinema;
import testbed.contracts.Movie;
import testbed.contracts.ProblemType;
import testbed.contracts.ShowingQuery;
import testbed.support.problem.Problems;
import tools.jackson.databind.json.JsonMapper;

/** Questions about the catalogue. */
@HttpEdge
@RequestMapping("/cinema/${cinema.name}/movie")
class MovieController {

  private final Movies movies;
  private final WrittenCinemas written;

  MovieController(Movies movies, JsonMapper json) {
    this.movies = movies;
    this.written = new WrittenCinemas(json);
  }

  /** A {@link Cinema}. */
  @GetMapping(path = "/list", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> list() {
    return ResponseEntity.ok(written.one(movies.catalogue()));
  }

  @PostMapping("/find")
  ResponseEntity<Movie> find(@Valid @RequestBody ShowingQuery query) {
    return movies.find(query).map(ResponseEntity::ok).orElseGet(() -> notShown(query));
  }

  private static ResponseEntity<Movie> notShown(ShowingQuery query) {
    // A query gets "not found"; a reservation gets "unprocessable" (422).
    return ResponseEntity.of(
            Problems.as(
                ProblemType.SHOWING_UNKNOWN,
                HttpStatus.NOT_FOUND,
                "'%s' is not shown at %s.".formatted(query.name(), query.showTime())))
        .build();
  }
}
