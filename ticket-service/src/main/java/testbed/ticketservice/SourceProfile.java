package testbed.ticketservice;

import java.util.List;
import testbed.support.preset.ChosenProfile;

/** Where orders come from. There is no default: a service on the wrong edge is never asked. */
class SourceProfile extends ChosenProfile {

  SourceProfile() {
    super("ticket.source", "TICKET_SOURCE", List.of("http", "queue"));
  }
}
