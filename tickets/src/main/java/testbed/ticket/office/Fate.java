package testbed.ticket.office;

/** The state of a ticket. */
enum Fate {
  WAITING,
  BUILT,
  /** Dropped from the queue for a newer one. */
  DROPPED,
  /** It could not be built. */
  FAILED,
  /** Refused, and its client was told. */
  REFUSED
}
