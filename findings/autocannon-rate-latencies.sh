#!/usr/bin/env bash
# autocannon 9.0.0 at a rate of 5 requests a second (`-R`), and a server that answers each in 100 ms.
# Guess: with `-R` latencies are corrected for requests that could not be sent in time (coordinated omission). Here each
# is sent in time: one connection needs 100 ms of each 200. So mean and median are 100 ms, with or without `-C`, which
# leaves the correction out.
# What happens: mean and median are 51 ms, the minimum is 1: the interval between two requests is taken as
# 1 ms at any rate (1 / rate, in seconds, rounded up, given to a histogram of milliseconds). An answer after 100 ms is
# recorded as 100, 99, 98 ... 1: 2,000 latencies of 20 answers.
# Why it matters: `-R` is what one uses to compare systems at the same load. Each latency is halved, and the slower an
# answer is, the more often it is counted: 1 % of requests that take 1 s beside 10 ms is half of all latencies.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent autocannon@9.0.0
serve

# run NAME OPTION...: 4 s at 5 requests a second by one connection; the report goes to NAME.
run() {
  local name=$1
  shift
  node_modules/.bin/autocannon --json -c 1 -R 5 -d 4 "$@" "http://127.0.0.1:$(cat port)/?wait=0.1" > "$name" 2> log ||
    { cat log; exit 1; }
}
run corrected
run uncorrected -C

python3 - <<'END'
import json
import sys

report = {}
for name in ("corrected", "uncorrected"):
    with open(name) as file:
        report[name] = json.load(file)
    latency = report[name]["latency"]
    print("%s: %d answers, %d latencies: min %d, p50 %d, mean %.0f, max %d ms" % (
        name, report[name]["2xx"], latency["totalCount"], *(latency[key] for key in ("min", "p50", "mean", "max"))))
corrected, plain = report["corrected"], report["uncorrected"]
if not (plain["latency"]["min"] >= 100 and plain["latency"]["totalCount"] == plain["2xx"]):
    sys.exit("NO LONGER SO: with -C the latencies are not those of the answers")
if plain["latency"]["max"] > 190:
    sys.exit("this machine is too slow for the experiment: run it again")
if not (corrected["latency"]["mean"] < 70 and corrected["latency"]["totalCount"] > 50 * corrected["2xx"]):
    sys.exit("NO LONGER SO: without -C no latencies are added")
END
