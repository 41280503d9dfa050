package testbed.contracts;

import com.fasterxml.jackson.annotation.JsonValue;
import java.net.URI;
import java.util.Locale;

/**
 * The kinds of problem that any service reports, with the HTTP status under which a front door
 * reports them (RFC 9457). The URIs are part of the public contract.
 */
public enum ProblemType {
  INVALID_REQUEST(400, "The request is not valid"),
  ACCOUNT_REQUIRED(401, "An account is needed"),
  FORBIDDEN(403, "The account may not do this"),
  CINEMA_UNKNOWN(404, "No such cinema"),
  RESERVATION_UNKNOWN(404, "No such reservation"),
  CORRELATION_UNKNOWN(404, "No such correlation id"),
  TICKET_UNKNOWN(404, "No such ticket"),
  NOT_FOUND(404, "Nothing is here"),
  METHOD_NOT_ALLOWED(405, "The method is not allowed here"),
  NOT_ACCEPTABLE(406, "No representation is acceptable to the client"),
  REQUEST_TIMEOUT(408, "The request did not arrive in time"),
  SOLD_OUT(409, "Too few seats are left"),
  STOCK_TOO_LOW(409, "Too little is in stock"),
  ORDER_CLOSED(409, "The order is not in progress"),
  ORDER_IN_PROGRESS(409, "An order is in progress"),
  NAME_TAKEN(409, "The name is taken"),
  STILL_USED(409, "Others refer to it"),
  CORRELATION_EXPIRED(410, "The answer has expired"),
  TICKET_GONE(410, "The ticket is not kept"),
  LENGTH_REQUIRED(411, "The request does not say its length"),
  TOO_LARGE(413, "The request is too large"),
  UNSUPPORTED_MEDIA_TYPE(415, "The media type is not supported"),
  MOVIE_UNKNOWN(422, "The cinema does not show this movie"),
  SHOWING_UNKNOWN(422, "The movie is not shown at this time"),
  REFERENCE_UNKNOWN(422, "What is referred to does not exist"),
  IDEMPOTENCY_KEY_REUSED(422, "The idempotency key belongs to another request"),
  IMAGE_UNREADABLE(422, "The image cannot be read"),
  TOO_MANY_REQUESTS(429, "The client makes too many requests"),
  INTERNAL(500, "The service failed"),
  CIRCUIT_OPEN(503, "The circuit is broken"),
  PORTS_EXHAUSTED(503, "No local port is left"),
  TICKETS_REFUSED(503, "No more tickets are taken now"),
  UNAVAILABLE(503, "The service is not available"),
  TIME_LIMIT(504, "The time limit was reached"),
  NO_ANSWER(504, "No answer came");

  private static final String URN = "urn:testbed:problem:";

  private final int status;
  private final String title;
  private final String slug;
  private final URI uri;

  ProblemType(int status, String title) {
    this.status = status;
    this.title = title;
    this.slug = name().toLowerCase(Locale.ROOT).replace('_', '-');
    this.uri = URI.create(URN + slug);
  }

  public int status() {
    return status;
  }

  public String title() {
    return title;
  }

  public URI uri() {
    return uri;
  }

  /** The short name, for example {@code showing-unknown}: the last part of the URI. */
  @JsonValue
  public String slug() {
    return slug;
  }

  /** The general type for an HTTP status that no particular problem claims. */
  public static ProblemType ofStatus(int status) {
    return switch (status) {
      case 401 -> ACCOUNT_REQUIRED;
      case 403 -> FORBIDDEN;
      case 404 -> NOT_FOUND;
      case 405 -> METHOD_NOT_ALLOWED;
      case 406 -> NOT_ACCEPTABLE;
      case 408 -> REQUEST_TIMEOUT;
      case 413, 414, 431 -> TOO_LARGE;
      case 415 -> UNSUPPORTED_MEDIA_TYPE;
      case 429 -> TOO_MANY_REQUESTS;
      case 503 -> UNAVAILABLE;
      case 504 -> TIME_LIMIT;
      default -> status >= 400 && status < 500 ? INVALID_REQUEST : INTERNAL;
    };
  }
}
