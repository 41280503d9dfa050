package testbed.poster.work;

/** A part of something limited, until it is given back. A second time has no effect. */
public interface Lease extends AutoCloseable {

  @Override
  void close();
}
