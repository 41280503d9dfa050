#!/usr/bin/env bash
# hdrhistogram 0.10.3 (Python) and HdrHistogram 2.2.2 (Java).
# Guess: both give the same percentiles of the same counts, as a histogram that one wrote is read by the other.
# What happens: Java takes the first value that enough others do not exceed, Python rounds that rank to the nearest.
# Of 16 requests, two of which take a second, the p90 is a second in Java, and 5 ms in Python from Java's own
# histogram. The p99 of 160 with two slow ones likewise.
# Why it matters: a run passes its limit, or not, by the language of the report. With few samples Python leaves out
# the slow requests: a p90 which more than a tenth of them exceed.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages hdrhistogram==0.10.3
libraries org.hdrhistogram:HdrHistogram:2.2.2

cat > Rank.java <<'END'
import java.nio.ByteBuffer;
import java.nio.file.*;
import java.util.*;
import org.HdrHistogram.Histogram;

public class Rank extends Finding {

  /** Writes a histogram of requests of 5 ms and two of 1 s, and returns a percentile of it. */
  static long percentile(int requests, int percentile) throws Exception {
    var times = new Histogram(1, 60_000, 3);
    times.recordValueWithCount(5, requests - 2);
    times.recordValueWithCount(1000, 2);
    var bytes = ByteBuffer.allocate(times.getNeededByteBufferCapacity());
    int length = times.encodeIntoCompressedByteBuffer(bytes);
    var text = Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
    Files.writeString(Path.of(String.valueOf(percentile)), text);
    return times.getValueAtPercentile(percentile);
  }

  public static void main(String[] arguments) throws Exception {
    long p90 = percentile(16, 90);
    long p99 = percentile(160, 99);
    System.out.printf("Java: p90 of 16 requests %d ms, p99 of 160 %d ms%n", p90, p99);
    expect(p90 == 1000 && p99 == 1000, "Java's are slow requests");
  }
}
END
run_java Rank

cat > rank.py <<'END'
import sys
from pathlib import Path

from hdrh.histogram import HdrHistogram

p90, p99 = (HdrHistogram.decode(Path(str(q)).read_text()).get_value_at_percentile(q) for q in (90, 99))
print(f"Python, from what Java wrote: p90 of 16 requests {p90} ms, p99 of 160 {p99} ms")
if (p90, p99) != (5, 5):
    print("NO LONGER SO: Python's are fast requests")
    sys.exit(1)
END
packages/bin/python rank.py
