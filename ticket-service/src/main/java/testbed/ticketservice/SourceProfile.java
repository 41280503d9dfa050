package testbed.ticketservice;

import java.util.List;
import testbed.support.preset.ChosenProfile;

/**
 * The transport of orders. There is no default: a service on the wrong transport is never asked.
 */
class SourceProfile extends ChosenProfile {

  SourceProfile() {
    super("ticket.source", "TICKET_SOURCE", List.of("http", "queue"));
  }
}
