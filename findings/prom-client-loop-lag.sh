#!/usr/bin/env bash
# prom-client 15.1.3 (Node.js), the event loop's lag of `collectDefaultMetrics`.
# Guess: two scrapes in the same moment, as by two Prometheus servers, say the same.
# What happens: each scrape empties the histogram. When the loop stood still for 0.3 s the first says so, the second has
# a maximum of 0, a minimum of 9,223,372,036 s, and a mean that is no number.
# Why it matters: with two servers each sees a part of the pauses, and one scrape at the wrong moment makes the average
# over time NaN, and a minimum of 292 years.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent prom-client@15.1.3

cat > lag.js <<'END'
const client = require("prom-client");

client.collectDefaultMetrics();

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function scrape(whose) {
  const text = await client.register.metrics();
  const lag = Object.fromEntries(
    ["min", "mean", "max"].map((which) => {
      const value = text.match(new RegExp(`^nodejs_eventloop_lag_${which}_seconds (.*)$`, "m"))[1];
      return [which, Number(value)];
    })
  );
  console.log("%s: min %d s, mean %d s, max %d s", whose, lag.min, lag.mean, lag.max);
  return lag;
}

(async () => {
  console.log("Node.js %s", process.version);
  await sleep(1000);
  for (const end = Date.now() + 300; Date.now() < end; ) {}
  await sleep(100);
  const first = await scrape("after 0.3 s without the loop, first scrape");
  const second = await scrape("second scrape, in the same moment");

  if (!(first.max > 0.25 && second.max === 0 && second.min > 9e9 && Number.isNaN(second.mean))) {
    console.log("NO LONGER SO: a scrape takes the lag from the next");
    process.exit(1);
  }
})();
END
node lag.js
