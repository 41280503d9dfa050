#!/usr/bin/env bash
# fortio 1.66.0 at 10 requests a second, and a server with a single worker that needs 30 ms for each.
# Guess: with `-qps 10` a request is sent every 100 ms, by 1 or by 10 threads (`-c`); the server is idle for 70 ms after
# each, and all take 30 ms.
# What happens: all threads send at the same moment, and then wait for a second: 10 threads are a batch of 10 each
# second. The mean is five times that of one thread, at the same rate. With `-uniform` the requests are spread.
# Why it matters: the default is 4 threads, so that the time of each batch of four is measured. In a series over
# connections at a constant rate the server seems to become slower with each connection.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

GOBIN=$folder go install fortio.org/fortio@v1.66.0 2> go.log || { cat go.log; exit 1; }
cat > server.py <<'END'
import threading
import time

import serving

worker = threading.Lock()


class Worker(serving.Handler):
    """Answers one request at a time, in 30 ms; writes down when each came."""

    def do_GET(self):
        with open("arrivals", "a") as arrivals:
            arrivals.write(f"{time.monotonic()}\n")
        with worker:
            time.sleep(0.03)
        self.respond()


serving.serve(Worker)
END
serve

# run NAME OPTION...: 60 requests at 10 a second; the report goes to NAME.json, the times of arrival to NAME.
run() {
  local name=$1
  shift
  ./fortio load -quiet -qps 10 -n 60 -json "$name.json" "$@" "http://127.0.0.1:$(cat port)/" > fortio.log 2>&1 ||
    { cat fortio.log; exit 1; }
  mv arrivals "$name"
}
run alone -c 1
run batches -c 10
run spread -c 10 -uniform

python3 - <<'END'
import json
import statistics
import sys

mean, interval = {}, {}
for name in ("alone", "batches", "spread"):
    with open(name) as file:
        arrivals = sorted(float(line) for line in file)
    with open(f"{name}.json") as file:
        report = json.load(file)
    mean[name] = 1000 * report["DurationHistogram"]["Avg"]
    interval[name] = 1000 * statistics.median(after - before for before, after in zip(arrivals, arrivals[1:]))
    print("%s: -c %d, %.1f a second, mean %.0f ms; the median interval between two arrivals is %.0f ms"
          % (name, report["NumThreads"], report["ActualQPS"], mean[name], interval[name]))
if mean["alone"] > 60 or interval["alone"] < 70:
    sys.exit("this machine is too slow for the experiment: run it again")
if not (interval["batches"] < 30 and mean["batches"] > 2.5 * mean["alone"]):
    sys.exit("NO LONGER SO: 10 threads do not send at the same moment")
if not (interval["spread"] > 70 and mean["spread"] < mean["batches"] / 2):
    sys.exit("NO LONGER SO: -uniform does not spread the requests")
END
