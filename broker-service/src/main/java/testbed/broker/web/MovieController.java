package testbed.broker.web;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import testbed.broker.operation.CorrelationId;
import testbed.broker.operation.Operation;
import testbed.contracts.message.CinemaMessage.ListMovies;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;

/** The movies of every cinema (thesis, section 5.2.1). */
@RestController
class MovieController {

  private static final String LIST = "/api/movie/list";
  private static final Operation<MoviesListed> LISTING =
      Operation.atEveryCinema(MoviesListed.class);

  private final RequestReply operations;

  MovieController(RequestReply operations) {
    this.operations = operations;
  }

  @GetMapping(LIST)
  ResponseEntity<String> list() {
    return operations.start(LISTING, new ListMovies(), LIST);
  }

  @GetMapping(LIST + "/{id}")
  ResponseEntity<?> listed(@PathVariable CorrelationId id, @RequestHeader HttpHeaders headers) {
    return operations.fetch(
        id,
        LISTING,
        headers,
        (response, cinemas) ->
            response.body(cinemas.stream().map(MoviesListed::catalogue).toList()));
  }
}
