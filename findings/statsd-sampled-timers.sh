#!/usr/bin/env bash
# statsd 0.9.0 (npm) and statsd_exporter 0.31.0 (Go, of Prometheus): 1,000 calls of 100 ms each, a timer and a counter,
# sampled by the client at one rate: at 0.1 100 lines arrive, "calls:100|ms|@0.1" and "orders:1|c|@0.1".
# Guess: both servers divide by the rate, as for the counter: 1,000 calls, 100 s in total, so that sum / count is the
# mean, 100 ms.
# What happens: statsd: the count is 1,000, the sum is that of the lines, 10 s: sum / count is 10 ms beside a mean of
# 100. statsd_exporter: each line counts 1 / rate times, cut to a whole number: at 0.75 and 0.6 once, at 0.4 twice. That
# is 750, 600 and 800 calls; the counter is 1,000.
# Why it matters: busy time, or the mean over several servers, is a tenth with one server; with the other a service that
# samples at 0.6 loses 40 % of its requests per second, and its error rate (errors are a counter) is 1.7 times too high.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent --omit=optional statsd@0.9.0
GOBIN=$folder go install github.com/prometheus/statsd_exporter@v0.31.0 2> go.log || { cat go.log; exit 1; }

statsd=$(free_port) exporter=$(free_port) web=$(free_port)
cat > backend.js <<'JS'
const fs = require("node:fs");
exports.init = (time, config, events) => {
  fs.writeFileSync("statsd.ready", "");
  events.on("flush", (time, { timers, timer_data, counters }) => {
    if (!timers.tenth?.length) return;
    fs.writeFileSync("statsd.json", JSON.stringify({ ...timer_data.tenth, orders: counters.tenth_orders }));
  });
  return true;
};
JS
echo "{ port: $statsd, mgmt_port: $(free_port), flushInterval: 2000, backends: ['$folder/backend.js'] }" > config.js
node node_modules/statsd/stats.js config.js > statsd.log 2>&1 &
started+=("$!")
./statsd_exporter --statsd.listen-udp "127.0.0.1:$exporter" --statsd.listen-tcp '' \
  --web.listen-address "127.0.0.1:$web" 2> exporter.log &
started+=("$!")
await 100 test -e statsd.ready
await 100 curl -s -o metrics "http://127.0.0.1:$web/metrics"

python3 - "$statsd" "$exporter" <<'PY'
import socket
import sys
import time


def send(port, name, rate):
    """1,000 calls of 100 ms, and a counter of them, as a client sends them that samples at this rate."""
    connection = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for _ in range(round(1000 * rate) // 10):
        lines = [f"{name}:100|ms|@{rate}", f"{name}_orders:1|c|@{rate}"] * 10
        connection.sendto("\n".join(lines).encode(), ("127.0.0.1", port))
        time.sleep(0.002)  # A busy machine drops what comes faster than it is read.


statsd, exporter = map(int, sys.argv[1:])
send(statsd, "tenth", 0.1)
for percent in (10, 40, 60, 75):
    send(exporter, f"rate{percent}", percent / 100)
PY
await 100 test -e statsd.json
sleep 1
curl -s -o metrics "http://127.0.0.1:$web/metrics"

python3 - <<'PY'
import json
import sys

print("1,000 calls of 100 ms")
with open("statsd.json") as file:
    statsd = json.load(file)
print("statsd, sampled at 0.1: count %d, sum %d ms, mean %d ms, counter %d"
      % tuple(round(statsd[name]) for name in ("count", "sum", "mean", "orders")))
with open("metrics") as file:
    samples = dict(line.rsplit(" ", 1) for line in file if line.startswith("rate"))
counts = {}
for percent in (10, 40, 60, 75):
    count, total, orders = (float(samples[f"rate{percent}_{name}"]) for name in ("count", "sum", "orders"))
    counts[percent] = round(count)
    print("statsd_exporter, at %.2f: count %d, sum %.0f s, counter %d" % (percent / 100, count, total, round(orders)))
    if round(orders) != 1000:
        sys.exit("lines were lost: run it again")
if [round(statsd[name]) for name in ("count", "sum", "mean")] != [1000, 10_000, 100]:
    sys.exit("NO LONGER SO: statsd multiplies the count, but not the sum")
if counts != {10: 1000, 40: 800, 60: 600, 75: 750}:
    sys.exit("NO LONGER SO: statsd_exporter cuts 1 / rate to a whole number")
PY
