#!/usr/bin/env bash
# prom-client 15.1.3 (Prometheus client for Node.js) with its tdigest 0.1.2.
# Guess: of 99 requests of 5 ms and one of 1 s a Summary reports a median of 5 ms and a p90 of 5 ms; a t-digest
# is least accurate in the middle, by a percent or so.
# What happens: equal values are one centroid, and quantiles are drawn as a line from its middle to the next. The
# median is 15 ms, p90 is 811 ms, p99 990 ms: one slow request out of 100 moves the median to three times.
# Why it matters: times that are rounded to milliseconds are equal to each other all the time. A dashboard then
# shows a service as slow for nine tenths of its users, when one request in a hundred was.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent prom-client@15.1.3 tdigest@0.1.2

cat > summary.js <<'END'
const { Summary } = require("prom-client");

const quantiles = [0.5, 0.9, 0.99];

async function summarise(name, seconds) {
  const summary = new Summary({ name, help: name, percentiles: quantiles });
  seconds.forEach((time) => summary.observe(time));
  const { values } = await summary.get();
  const sorted = [...seconds].sort((a, b) => a - b);
  const reported = quantiles.map((q) => values.find((v) => v.labels.quantile === q).value);
  const true_ = quantiles.map((q) => sorted[Math.ceil(q * sorted.length) - 1]);
  console.log(`${name}: true p50, p90, p99 ${true_.join(", ")} s; reported ${reported.map((v) => v.toFixed(3)).join(", ")} s`);
  return reported;
}

(async () => {
  const equal = Array.from({ length: 99 }, () => 0.005);
  const [median, p90] = await summarise("rounded", [...equal, 1]);
  const distinct = equal.map((time, place) => time + place * 1e-6);
  const [distinctMedian, distinctP90] = await summarise("not_rounded", [...distinct, 1]);
  if (!(median > 0.01 && p90 > 0.5)) {
    console.log("NO LONGER SO: quantiles of equal values are right");
    process.exitCode = 1;
  }
  if (!(distinctMedian < 0.006 && distinctP90 < 0.006)) {
    console.log("NO LONGER SO: quantiles of distinct values are wrong, too");
    process.exitCode = 1;
  }
})();
END
node summary.js
