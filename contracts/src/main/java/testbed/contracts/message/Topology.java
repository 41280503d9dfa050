package testbed.contracts.message;

import testbed.contracts.CinemaName;

/** Names of exchanges, queues and routing keys (thesis, section 5.2.1). */
public final class Topology {

  /** Topic exchange through which every request, response and presence message goes. */
  public static final String EXCHANGE = "cinema";

  /** Routing key of a request to every cinema. */
  public static final String REQUEST_TO_ALL = "request.to.cinema";

  /** The first broker's. */
  public static final String RESPONSE_QUEUE = "responseQueue";

  /** Routing key of a response to the first broker. */
  public static final String RESPONSE = "response.from.cinema";

  /** The first broker's. */
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

  /**
   * Routing key of a response to one of several brokers.
   *
   * @param broker its number, from 1
   */
  public static String responseTo(int broker) {
    return broker == 1 ? RESPONSE : RESPONSE + "." + broker;
  }

  /** Whether a routing key is one of {@link #responseTo}. */
  public static boolean isOfResponse(String key) {
    return key.equals(RESPONSE) || key.startsWith(RESPONSE + ".");
  }

  /** The queue of responses to one of several brokers. */
  public static String responseQueueOf(int broker) {
    return broker == 1 ? RESPONSE_QUEUE : RESPONSE_QUEUE + "-" + broker;
  }

  /** The queue in which one of several brokers hears that cinemas are there. */
  public static String presenceQueueOf(int broker) {
    return broker == 1 ? PRESENCE_QUEUE : PRESENCE_QUEUE + "-" + broker;
  }

  /** The queue of requests to one cinema. */
  public static String requestQueueOf(CinemaName cinema) {
    return "requestQueue-" + cinema.serviceName();
  }
}
