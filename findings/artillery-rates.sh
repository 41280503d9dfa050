#!/usr/bin/env bash
# Artillery 2.0.34: two virtual users within 30 s, each of which sends 20 requests at once.
# Guess: http.request_rate of the summary is requests by time: 40 in 30 s, 1.3/sec.
# What happens: 20/sec. The rate of each period of 10 s is its requests by the time between its first and its last, one
# second at least; the summary is the mean of these rates, of the periods that had requests.
# Why it matters: a load in bursts, or one that stalls, has a rate that is ten times what was sent. Systems of which one
# answers in bursts seem to differ in throughput.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent --ignore-scripts artillery@2.0.34
serve

cat > plan.yml <<PLAN
config: {target: "http://127.0.0.1:$(cat port)", phases: [{duration: 30, arrivalCount: 2}]}
scenarios: [{flow: [{loop: [{get: {url: "/"}}], count: 20}]}]
PLAN
ARTILLERY_DISABLE_TELEMETRY=true node_modules/.bin/artillery run --output report.json plan.yml > log 2>&1 ||
  { cat log; exit 1; }

python3 - <<'END'
import json
import sys

with open("report.json") as file:
    summary = json.load(file)["aggregate"]
requests, rate = summary["counters"]["http.requests"], summary["rates"]["http.request_rate"]
print("%d requests in a phase of 30 s, %.1f/sec; http.request_rate: %s/sec" % (requests, requests / 30, rate))
if requests != 40:
    sys.exit("this machine is too slow for the experiment: run it again")
if not rate > 4 * requests / 30:
    sys.exit("NO LONGER SO: the rate is that of the requests")
END
