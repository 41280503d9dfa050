#!/usr/bin/env bash
# prom-client 15.1.3 (Node.js), the event loop's lag of `collectDefaultMetrics`.
# Guess: the loop of an idle process lags by about 0; two scrapes in the same moment, as by two Prometheus servers, say
# the same; a larger `eventLoopMonitoringPrecision` makes the values coarser.
# What happens: min, mean, p50, p90 and p99 are times between two runs of a timer, as Node's histogram is: 10 ms in an
# idle process, and 50 ms with a precision of 50. Each scrape empties the histogram: when the loop stood still for
# 0.3 s the first says so, the second has a maximum of 0, a minimum of 9,223,372,036 s, and a mean that is no number.
# Why it matters: an alert on a lag above 10 ms always fires. With two servers each sees a part of the pauses, and one
# scrape at the wrong moment makes the average over time NaN, and a minimum of 292 years.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent prom-client@15.1.3

cat > lag.js <<'END'
const client = require("prom-client");

const precise = new client.Registry();
const coarse = new client.Registry();
client.collectDefaultMetrics({ register: precise });
client.collectDefaultMetrics({ register: coarse, eventLoopMonitoringPrecision: 50 });

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function scrape(registry, whose) {
  const text = await registry.metrics();
  const lag = Object.fromEntries(
    ["min", "mean", "max", "p50"].map((which) => {
      const value = text.match(new RegExp(`^nodejs_eventloop_lag_${which}_seconds (.*)$`, "m"))[1];
      return [which, Number(value)];
    })
  );
  console.log("%s: min %d s, mean %d s, max %d s, p50 %d s", whose, lag.min, lag.mean, lag.max, lag.p50);
  return lag;
}

(async () => {
  console.log("Node.js %s", process.version);
  await sleep(3000);
  const idle = await scrape(precise, "idle");
  const coarser = await scrape(coarse, "idle, precision 50");

  await sleep(1000);
  for (const end = Date.now() + 300; Date.now() < end; ) {}
  await sleep(100);
  const first = await scrape(precise, "after 0.3 s without the loop, first scrape");
  const second = await scrape(precise, "second scrape, in the same moment");

  const shifted = idle.p50 > 0.009 && coarser.p50 > 0.045;
  const emptied = first.max > 0.25 && second.max === 0 && second.min > 9e9 && Number.isNaN(second.mean);
  if (!shifted || !emptied) {
    console.log("NO LONGER SO: lag includes the precision, and a scrape takes it from the next");
    process.exit(1);
  }
})();
END
node lag.js
