package testbed.broker.operation;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Operations in the order of insertion, with the memory that they take (an estimate). Not safe for
 * use by several threads.
 */
final class OrderedOperations {

  private final Map<CorrelationId, Correlation> byId = new LinkedHashMap<>();
  private long bytes;

  int size() {
    return byId.size();
  }

  long bytes() {
    return bytes;
  }

  @Nullable Correlation get(CorrelationId id) {
    return byId.get(id);
  }

  @Nullable Correlation eldest() {
    var values = byId.values().iterator();
    return values.hasNext() ? values.next() : null;
  }

  void add(Correlation correlation) {
    byId.put(correlation.id(), correlation);
    bytes += correlation.bytes();
  }

  /** Removes an operation, if it is here. */
  boolean remove(Correlation correlation) {
    boolean here = byId.remove(correlation.id()) != null;
    if (here) {
      bytes -= correlation.bytes();
    }
    return here;
  }

  /** Adds to the memory of an operation, if it is here. */
  boolean grow(Correlation correlation, long more) {
    boolean here = byId.containsKey(correlation.id());
    if (here) {
      correlation.grow(more);
      bytes += more;
    }
    return here;
  }
}
