package testbed.messaging;

/** How publishers wait until the AMQP server has confirmed their messages. */
public enum Confirms {

  /** The library's way: a channel is taken until its message is confirmed. */
  EACH,

  /** All messages go over one channel, and one confirm may answer many. */
  SHARED
}
