#!/usr/bin/env bash
# Micrometer 1.17.0 with its registry for Prometheus.
# Guess: a gauge is exported under its name with "." written as "_", or is refused: orders.created, seats.total,
# latency.bucket and pool.info.
# What happens: they are "orders", "seats" and "latency", without their last word, and pool_info is 1 where the
# gauge is 8. Nothing is refused or logged.
# Why it matters: an alert on orders_created never fires, and a gauge whose name ends in "info" is a constant. The
# names are ordinary ones of a service that counts what it created in total.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries io.micrometer:micrometer-registry-prometheus:1.17.0 org.slf4j:slf4j-simple:2.0.17

cat > Names.java <<'END'
import io.micrometer.core.instrument.*;
import io.micrometer.prometheusmetrics.*;
import java.util.*;

public class Names extends Finding {
  public static void main(String[] arguments) {
    var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    for (var name : List.of("orders.created", "seats.total", "latency.bucket", "pool.info")) {
      Gauge.builder(name, () -> 8).register(registry);
    }
    System.out.println("gauges orders.created, seats.total, latency.bucket, pool.info, each 8");
    var exported = registry.scrape().lines().filter(line -> !line.startsWith("#")).toList();
    System.out.println("exported: " + exported);
    expect(
        Set.copyOf(exported).equals(Set.of("orders 8.0", "seats 8.0", "latency 8.0", "pool_info 1")),
        "names lose their last word, and info is 1");
  }
}
END
run_java Names 2> errors
cat errors
[ ! -s errors ] || { echo "NO LONGER SO: it is logged"; exit 1; }
