package testbed.support.access;

/** Whether a front door asks for accounts. */
public enum AccessControl {
  /** Movies are for everybody; reservations are for users, the rest for administrators. */
  REQUIRED,

  /** Every client may do everything; credentials are ignored. */
  OFF
}
