package testbed.contracts;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.UUID;

/**
 * A reservation's id. It follows from the client's {@link IdempotencyKey}, if there is one. Else,
 * in the asynchronous variant, it is the request's correlation id. So a request that comes again
 * finds the reservation that it has already made.
 */
public record ReservationId(@JsonValue UUID value) {

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public ReservationId {}

  @Override
  public String toString() {
    return value.toString();
  }
}
