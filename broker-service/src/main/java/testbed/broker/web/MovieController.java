package testbed.broker.web;

import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.ResponseEntity.BodyBuilder;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import testbed.broker.operation.CorrelationId;
import testbed.broker.operation.Operation;
import testbed.cinemas.WrittenCinemas;
import testbed.contracts.message.CinemaMessage.ListMovies;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;
import tools.jackson.databind.json.JsonMapper;

/** The movies of every cinema (thesis, section 5.2.1). */
@RestController
class MovieController {

  static final String LIST = "/api/movie/list";
  static final String LISTED = LIST + "/{id}";
  private static final Operation<MoviesListed> LISTING =
      Operation.atEveryCinema(MoviesListed.class);

  private final RequestReply operations;
  private final WrittenCinemas written;

  MovieController(RequestReply operations, JsonMapper json) {
    this.operations = operations;
    this.written = new WrittenCinemas(json);
  }

  @GetMapping(LIST)
  ResponseEntity<?> list(@RequestHeader HttpHeaders headers) {
    return operations.start(LISTING, new ListMovies(), LIST, headers, this::write);
  }

  /** A list of {@link testbed.contracts.Cinema}. */
  @GetMapping(path = LISTED, produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<?> listed(@PathVariable CorrelationId id, @RequestHeader HttpHeaders headers) {
    return operations.fetch(id, LISTING, headers, this::write);
  }

  private ResponseEntity<?> write(BodyBuilder response, List<MoviesListed> cinemas) {
    return response.body(written.list(cinemas.stream().map(MoviesListed::catalogue).toList()));
  }
}
