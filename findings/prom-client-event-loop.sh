#!/usr/bin/env bash
# prom-client 15.1.3 (Prometheus client for Node.js): its default metrics nodejs_eventloop_lag_*, of 6 s in which the
# process is idle, and of 8 s in which its event loop is blocked for 0.5 s of each 2 s; then a second scrape.
# Guess: idle the lag is less than a millisecond or two. Every fourth request comes when the loop is blocked, so that
# p90 and p99 are then hundreds of milliseconds. Two scrapes in one moment, as by two Prometheus servers, say the same.
# What happens: idle p50 is 10 ms; blocked p90 and p99 are 10 ms, too, and the mean is 13. The lag is the time between
# two calls of a timer of 10 ms (perf_hooks.monitorEventLoopDelay, `eventLoopMonitoringPrecision`), those 10 ms
# included, and a block is one sample beside 100 a second of the time between blocks. Each scrape empties the histogram:
# the second has a maximum of 0, a minimum of 9,223,372,036 s, and a mean that is no number.
# Why it matters: an alert on p99 does not see a service that stands still for a quarter of the time; one on the
# maximum does, but of two Prometheus servers each sees a part of the blocks. A limit of 10 ms or less always fires. One
# scrape at the wrong moment makes the average over time NaN.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent prom-client@15.1.3

cat > lag.js <<'END'
const client = require("prom-client");

client.collectDefaultMetrics();
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What a scrape reports of the time since the last one, in milliseconds. */
async function scrape(name) {
  const lag = {};
  for (const metric of await client.register.getMetricsAsJSON()) {
    const statistic = /^nodejs_eventloop_lag_(min|mean|max|p50|p90|p99)_seconds$/.exec(metric.name)?.[1];
    if (statistic) lag[statistic] = Math.round(10_000 * metric.values[0].value) / 10;
  }
  console.log(name, lag);
  return lag;
}

(async () => {
  await scrape("start");
  await sleep(6000);
  const idle = await scrape("idle");
  for (let block = 0; block < 4; block++) {
    await sleep(1500);
    const end = Date.now() + 500;
    while (Date.now() < end);
  }
  const blocked = await scrape("blocked for a quarter of the time");
  const emptied = await scrape("second scrape, in the same moment");
  if (idle.p90 > 15 || idle.max > 200) {
    console.log("this machine is too slow for the experiment: run it again");
    process.exit(1);
  }
  if (!(idle.p50 >= 9)) {
    console.log("NO LONGER SO: the timer's interval is not in the lag");
    process.exit(1);
  }
  if (!(blocked.max >= 500 && blocked.p99 < 50)) {
    console.log("NO LONGER SO: p99 shows that the loop was blocked");
    process.exit(1);
  }
  if (!(emptied.max === 0 && emptied.min > 9e12 && Number.isNaN(emptied.mean))) {
    console.log("NO LONGER SO: a scrape takes the lag from the next");
    process.exit(1);
  }
  process.exit(0);
})();
END
node lag.js
