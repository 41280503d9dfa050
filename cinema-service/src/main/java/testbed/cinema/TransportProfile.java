package testbed.cinema;

import java.util.List;
import testbed.support.preset.ChosenProfile;

/**
 * The transport of requests. There is no default: a cinema on the wrong transport is never asked.
 */
class TransportProfile extends ChosenProfile {

  TransportProfile() {
    super("cinema.transport", "CINEMA_TRANSPORT", List.of("http", "amqp"));
  }
}
