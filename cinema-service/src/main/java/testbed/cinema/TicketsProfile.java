package testbed.cinema;

import java.util.List;
import org.springframework.core.env.Environment;
import testbed.support.preset.ChosenProfile;

/** How tickets are built, if at all. */
class TicketsProfile extends ChosenProfile {

  private static final String OFF = "off";

  TicketsProfile() {
    super("cinema.tickets", "CINEMA_TICKETS", List.of(OFF, "inline", "http", "queue"));
  }

  @Override
  protected String defaultChoice(Environment environment) {
    return OFF;
  }

  /** Prefixed, because the transport's choices have the same names. */
  @Override
  protected String profile(String choice) {
    return "tickets-" + choice;
  }
}
