#!/usr/bin/env bash
# @datadog/sketches-js 2.1.1 (DDSketch for Node.js), merge.
# Guess: a merged sketch gives the percentiles of all values, within 1 %, whichever is merged into the other.
# What happens: the bin of the values from 0.98 to 1 has the key 0. `merge` gives the other sketch's largest key to
# `_extendRange` of DenseStore, which takes 0 for "no second key": the bins end before it, and counts behind their end
# are NaN. All percentiles from there on are the other sketch's smallest value: a p99 of 0.99 is 0.5. In the other order
# it is right. Counts of negative values are not merged at all, though the total is: of 200 offsets, half of them -5, a
# quarter is negative, and p40 is 5.
# Why it matters: shares of 0 to 1 (load of a pool, hits of a cache) and times in seconds with a limit of 1 s have 1 as
# their largest value. The aggregate says half of what each process says, and by which order its parts came in.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent @datadog/sketches-js@2.1.1

cat > merge.js <<'END'
const { DDSketch } = require("@datadog/sketches-js");

const QUANTILES = [0.5, 0.9, 0.99];
const low = Array.from({ length: 100 }, (_, index) => 0.1 + index / 400);
const high = Array.from({ length: 100 }, (_, index) => 0.5 + (index + 1) / 200);

function sketch(values) {
  const filled = new DDSketch();
  values.forEach((value) => filled.accept(value));
  return filled;
}

function merged(first, second) {
  const both = sketch(first);
  both.merge(sketch(second));
  return both;
}

const percentiles = (of) => QUANTILES.map((quantile) => of.getValueAtQuantile(quantile).toFixed(2)).join(", ");

const seen = [sketch([...low, ...high]), merged(high, low), merged(low, high)].map(percentiles);
console.log("200 values from 0.1 to 1, p50, p90 and p99");
console.log("one sketch: %s", seen[0]);
console.log("values above 0.5, merged with those below: %s", seen[1]);
console.log("values below 0.5, merged with those above: %s", seen[2]);

const offsets = Array.from({ length: 100 }, (_, index) => (index % 2 ? 5 : -5));
const sums = [sketch([...offsets, ...offsets]), merged(offsets, offsets)];
const p40 = sums.map((sum) => sum.getValueAtQuantile(0.4).toFixed(1));
console.log("200 offsets, half of them -5 and half 5: p40 %s; merged, of %d: p40 %s", p40[0], sums[1].count, p40[1]);

const right = "0.35, 0.90, 0.99";
const expected = [right, right, "0.35, 0.50, 0.50", "-5.0", "5.0", 200];
if (JSON.stringify([...seen, ...p40, sums[1].count]) !== JSON.stringify(expected)) {
  console.log("NO LONGER SO: a merge loses the values up to 1, and the negative ones");
  process.exit(1);
}
END
node merge.js
