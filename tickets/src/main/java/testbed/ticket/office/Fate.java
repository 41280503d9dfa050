package testbed.ticket.office;

/** What has become of a ticket. */
enum Fate {
  WAITING,
  BUILT,
  /** Thrown out of the queue by a younger one. */
  DROPPED,
  /** It could not be built. */
  FAILED,
  /** Not taken, and its client was told. */
  REFUSED
}
