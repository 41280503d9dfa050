package testbed.poster.work;

/** A share of a limited resource. Closing it twice has no effect. */
public interface Lease extends AutoCloseable {

  @Override
  void close();
}
