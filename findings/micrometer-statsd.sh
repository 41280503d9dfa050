#!/usr/bin/env bash
# Micrometer 1.17.2 (StatsD registry, flavour Etsy), StatsD 0.9.0.
# Guess: StatsD shows what the registry's meters hold. A counter increased ten times by 0.75 is 7.5, and a gauge that
# is -5 is -5.
# What happens: each increase is cut to a whole number: the counter is 0. The gauge is sent as "-5", which StatsD takes
# as "5 less": -5, -10, -15, lower with each of the registry's polls.
# Why it matters: litres or prices below 1 are counted as nothing, and 1.9 as 1. A temperature or a balance below zero
# falls for ever. A test that asks the registry sees 7.5 and -5.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries io.micrometer:micrometer-registry-statsd:1.17.2 org.slf4j:slf4j-nop:2.0.17
npm install --no-audit --no-fund --omit=optional --silent statsd@0.9.0

cat > Lines.java <<'END'
import io.micrometer.core.instrument.*;
import io.micrometer.statsd.*;
import java.nio.file.*;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;

public class Lines extends Finding {

  /** Polls gauges every 100 ms, not every 10 s. */
  static class Etsy implements StatsdConfig {

    @Override
    public String get(String key) {
      return null;
    }

    @Override
    public StatsdFlavor flavor() {
      return StatsdFlavor.ETSY;
    }

    @Override
    public Duration pollingFrequency() {
      return Duration.ofMillis(100);
    }
  }

  public static void main(String[] arguments) throws Exception {
    var lines = new LinkedBlockingQueue<String>();
    var registry = StatsdMeterRegistry.builder(new Etsy()).lineSink(lines::add).build();
    var counter = registry.counter("litres");
    for (int increase = 0; increase < 10; increase++) {
      counter.increment(0.75);
    }
    var counts = new ArrayList<String>();
    lines.drainTo(counts);
    var gauge = Gauge.builder("temperature", () -> -5).register(registry);
    var polls = List.of(lines.take(), lines.take(), lines.take());
    System.out.printf("the registry: counter %s, gauge %s%n", counter.count(), gauge.value());
    System.out.printf("sent: %d times %s; each poll %s%n", counts.size(), Set.copyOf(counts), Set.copyOf(polls));
    expect(counter.count() == 7.5 && gauge.value() == -5, "the registry has 7.5 and -5");
    counts.addAll(polls);
    Files.write(Path.of("lines"), counts);
    System.exit(0);
  }
}
END
run_java Lines

udp=$(free_port)
management=$(free_port)
cat > config.js <<END
{
  address: "127.0.0.1", port: $udp, mgmt_address: "127.0.0.1", mgmt_port: $management,
  flushInterval: 60000, backends: []
}
END
node node_modules/statsd/stats.js config.js > statsd.log 2>&1 &
started+=("$!")

python3 - "$udp" "$management" <<'END'
import pathlib
import re
import socket
import sys
import time

UDP, MANAGEMENT = map(int, sys.argv[1:])
STATED = [0.0, -15.0]


def value(kind: str, name: str) -> float | None:
    """What StatsD has, asked over its management port; None if it has none yet."""
    address = ("127.0.0.1", MANAGEMENT)
    with socket.create_connection(address) as connection, connection.makefile("rw") as stream:
        stream.write(kind + "\n")
        stream.flush()
        answer = ""
        while (line := stream.readline()) and line != "END\n":
            answer += line
    entry = re.search(f"'{re.escape(name)}': (-?[0-9.]+)", answer)
    return float(entry[1]) if entry else None


for _ in range(100):
    try:
        value("counters", "litres")
        break
    except ConnectionRefusedError:
        time.sleep(0.1)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
    for line in pathlib.Path("lines").read_text().splitlines():
        sender.sendto(line.encode(), ("127.0.0.1", UDP))
        time.sleep(0.05)
seen = [value("counters", "litres.statistic.count"), value("gauges", "temperature.statistic.value")]
print(f"StatsD: counter {seen[0]}, gauge {seen[1]}")
if seen != STATED:
    sys.exit("NO LONGER SO: the counter is 0 and the gauge -15 after three polls")
END
