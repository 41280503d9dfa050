#!/usr/bin/env bash
# JMeter 5.6.3, a thread group of 5 threads with a ramp of 5 s and a duration of 2 s.
# Guess: the group ends after 2 s; threads whose turn would come later do not start.
# What happens: the run goes on to the end of the ramp. Each of the threads that come after 2 s starts, sends one
# request, and ends.
# Why it matters: a duration shorter than the ramp (as in a short try of a long plan) gives rows after the end, each
# sent alone and quickly, and a rate over all rows that is a fraction of the true one.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

serve
jmeter_home
jmeter_plan samples.csv -Jthreads=5 -Jramp=5 -Jduration=2 -Jport="$(cat port)" -Jpath='/?wait=0.3'
python3 - <<'END'
import collections
import csv
import sys

with open("samples.csv") as file:
    rows = list(csv.DictReader(file))
first = min(int(row["timeStamp"]) for row in rows)
late = collections.Counter()
for row in rows:
    if int(row["timeStamp"]) - first > 2300:
        late[row["threadName"]] += 1
last = (max(int(row["timeStamp"]) for row in rows) - first) / 1000
print(f"5 threads, ramp 5 s, duration 2 s: last sample after {last:.1f} s; samples after the end: {dict(late)}")
if not (last > 3.5 and {"users 1-4", "users 1-5"} <= late.keys() and set(late.values()) == {1}):
    sys.exit("NO LONGER SO: late threads send one sample each")
END
