package testbed.broker.web;

import java.net.URI;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import testbed.broker.operation.CorrelationId;

/** Says that a request was accepted, under which id, and where its answer will be. */
final class Acknowledgement {

  private Acknowledgement() {}

  /**
   * @param path of the request; its answer is one segment below
   */
  static ResponseEntity<String> of(CorrelationId id, String path) {
    return ResponseEntity.accepted()
        .location(URI.create(path + "/" + id))
        .contentType(MediaType.TEXT_PLAIN)
        .body(id.toString());
  }
}
