package testbed.contracts;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.UUID;

/**
 * A reservation's id. In the asynchronous variant it is the request's correlation id, so that a
 * redelivered request finds the reservation it has already made.
 */
public record ReservationId(@JsonValue UUID value) {

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public ReservationId {}

  @Override
  public String toString() {
    return value.toString();
  }
}
