#!/usr/bin/env bash
# parse-prometheus-text-format 1.1.1 (npm).
# Guess: a histogram with two routes has two entries, each with its labels, buckets, sum and count, as from prom2json,
# whose output it promises.
# What happens: it has one entry, with the buckets of the last route, and without labels, sum and count. So has a
# summary. With a single route sum and count are missing too; without labels all is there. A counter is right.
# Why it matters: a report reads the rate and the mean of a service from what looks like the whole histogram, and
# it is the route that happens to be last, say that of the health check.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent parse-prometheus-text-format@1.1.1

cat > parse.js <<'END'
const { isDeepStrictEqual } = require("util");
const parse = require("parse-prometheus-text-format");

const histogram = (labels, fast, all) =>
  [
    `t_bucket{${[...labels, 'le="0.1"'].join()}} ${fast}`,
    `t_bucket{${[...labels, 'le="+Inf"'].join()}} ${all}`,
    `t_sum{${labels.join()}} ${all}`,
    `t_count{${labels.join()}} ${all}`,
  ].join("\n") + "\n";
const summary = (route, median) =>
  `t{route="${route}",quantile="0.5"} ${median}\nt_sum{route="${route}"} 9\nt_count{route="${route}"} 9\n`;
const orders = ['route="/orders"'];
const health = ['route="/health"'];

for (const [name, kind, text, expected] of [
  ["no labels", "histogram", histogram([], 3, 4), [{ buckets: { 0.1: "3", "+Inf": "4" }, count: "4", sum: "4" }]],
  ["one route", "histogram", histogram(orders, 3, 4), [{ buckets: { 0.1: "3", "+Inf": "4" } }]],
  [
    "two routes",
    "histogram",
    histogram(orders, 3, 4) + histogram(health, 70, 80),
    [{ buckets: { 0.1: "70", "+Inf": "80" } }],
  ],
  ["two routes", "summary", summary("/orders", 1) + summary("/health", 0), [{ quantiles: { 0.5: "0" } }]],
  [
    "two routes",
    "counter",
    't{route="/orders"} 4\nt{route="/health"} 80\n',
    [
      { value: "4", labels: { route: "/orders" } },
      { value: "80", labels: { route: "/health" } },
    ],
  ],
]) {
  const [{ metrics }] = parse(`# TYPE t ${kind}\n${text}`);
  console.log(`${kind}, ${name}:`, JSON.stringify(metrics));
  if (!isDeepStrictEqual(metrics, expected)) {
    console.log("NO LONGER SO:", JSON.stringify(expected));
    process.exitCode = 1;
  }
}
END
node parse.js
