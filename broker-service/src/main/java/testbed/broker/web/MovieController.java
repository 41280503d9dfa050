package testbed.broker.web;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import testbed.broker.operation.CorrelationId;
import testbed.broker.operation.Operation;
import testbed.broker.operation.Operations;

/** The movies of every cinema (thesis, section 5.2.1). */
@RestController
class MovieController {

  private static final String LIST = "/api/movie/list";

  private final Operations operations;
  private final Fetch fetch;

  MovieController(Operations operations, Fetch fetch) {
    this.operations = operations;
    this.fetch = fetch;
  }

  @GetMapping(LIST)
  ResponseEntity<String> list() {
    return Acknowledgement.of(operations.listMovies(), LIST);
  }

  @GetMapping(LIST + "/{id}")
  ResponseEntity<?> list(@PathVariable CorrelationId id, @RequestHeader HttpHeaders headers) {
    return fetch.answer(id, new Operation.ListMovies(), headers);
  }
}
