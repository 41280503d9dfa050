package testbed.contracts.message;

import testbed.contracts.CinemaName;

/** Names of exchanges, queues and routing keys (thesis, section 5.2.1). */
public final class Topology {

  /** Topic exchange through which every request, response and presence message goes. */
  public static final String EXCHANGE = "cinema";

  /** Routing key of a request to every cinema. */
  public static final String REQUEST_TO_ALL = "request.to.cinema";

  public static final String RESPONSE_QUEUE = "responseQueue";
  public static final String RESPONSE = "response.from.cinema";

  public static final String PRESENCE_QUEUE = "presenceQueue";
  public static final String PRESENCE = "presence.of.cinema";

  /** Topic exchange of the ticket service. */
  public static final String TICKET_EXCHANGE = "tickets";

  public static final String TICKET_QUEUE = "ticketQueue";
  public static final String TICKET_WANTED = "ticket.wanted";

  /** Where a message goes that could not be processed after several tries. */
  public static final String DEAD_LETTER_EXCHANGE = "cinema.dead-letter";

  public static final String DEAD_LETTER_QUEUE = "deadLetterQueue";

  private Topology() {}

  /** Routing key of a request to one cinema. */
  public static String requestTo(CinemaName cinema) {
    return REQUEST_TO_ALL + "." + cinema;
  }

  /** The queue of requests to one cinema. */
  public static String requestQueueOf(CinemaName cinema) {
    return "requestQueue-" + cinema.serviceName();
  }
}
