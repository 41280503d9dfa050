#!/usr/bin/env bash
# prom-client 15.1.3 (Node.js), its metrics of a cluster.
# Guess: where each of four workers had 100 requests of 0.1 s, the cluster's summary says 400 requests, 40 s, and a p99
# of 0.1 s; or it leaves the percentiles out, as they cannot be merged.
# What happens: percentiles are added up as all else: p99 is 0.4 s, and more with each worker. With `aggregator:
# "average"` it is 0.1 s, but the count and the sum are averages, too: 100 requests, 10 s.
# Why it matters: an alert on p99 fires when workers are added. Either the percentiles or the rate of requests is wrong.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent prom-client@15.1.3

cat > workers.js <<'END'
const cluster = require("cluster");
const client = require("prom-client");

const WORKERS = 4;

function work() {
  const settings = { help: "s", percentiles: [0.99] };
  const summaries = [
    new client.Summary({ ...settings, name: "by_default" }),
    new client.Summary({ ...settings, name: "by_average", aggregator: "average" }),
  ];
  for (const summary of summaries) {
    for (let request = 0; request < 100; request++) {
      summary.observe(0.1);
    }
  }
  new client.AggregatorRegistry();
  process.send("observed");
}

async function gather() {
  const registry = new client.AggregatorRegistry();
  const workers = Array.from({ length: WORKERS }, () => cluster.fork());
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once("message", resolve))));
  const text = await registry.clusterMetrics();
  workers.forEach((worker) => worker.kill());
  const value = (sample) => Number(text.split("\n").find((line) => line.startsWith(sample + " ")).split(" ")[1]);
  const seen = ["default", "average"].map((by) =>
    [`by_${by}{quantile="0.99"}`, `by_${by}_sum`, `by_${by}_count`].map((sample) => Number(value(sample).toFixed(6)))
  );
  console.log("each of 4 workers: p99 0.1 s, 10 s in 100 requests");
  console.log("cluster, by default: p99 %d s, %d s in %d requests", ...seen[0]);
  console.log("cluster, by average: p99 %d s, %d s in %d requests", ...seen[1]);
  if (JSON.stringify(seen) !== "[[0.4,40,400],[0.1,10,100]]") {
    console.log("NO LONGER SO: percentiles are added up, or with all else averaged");
    process.exit(1);
  }
}

cluster.isPrimary ? gather() : work();
END
node workers.js
