#!/usr/bin/env bash
# JMeter 5.6.3, a request that is redirected once, result file in CSV with its own settings.
# Guess: a redirect that is followed is one row (the request with all that it took), or two (one for each request sent).
# What happens: three: the whole, and each part again with "-0" and "-1" behind its label. No column
# tells the whole from its parts, and their times overlap. JMeter's summary counts one sample.
# Why it matters: count and rate from the file are three times those on the screen, the mean is two thirds of it, and a
# percentile mixes parts with wholes. A "302" is a success of its own.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

serve
jmeter_home
jmeter_plan samples.csv -Jloops=4 -Jport="$(cat port)" \
  '-Jpath=/first?status=302&wait=0.05&header=Location:+/second?wait=0.05'
grep 'summary =' jmeter.out
python3 - <<'END'
import collections
import csv
import re
import sys

with open("samples.csv") as file:
    rows = collections.Counter((row["label"], row["responseCode"]) for row in csv.DictReader(file))
with open("requests") as file:
    received = len(file.readlines())
with open("jmeter.out") as file:
    summary = int(re.search(r"summary = +(\d+) in", file.read()).group(1))
print(f"4 redirected requests: {received} received, summary {summary}, rows {dict(rows)}")
if (received, summary, rows) != (8, 4, {("get", "200"): 4, ("get-0", "302"): 4, ("get-1", "200"): 4}):
    sys.exit("NO LONGER SO: each redirect has three rows, and is one sample in the summary")
END
