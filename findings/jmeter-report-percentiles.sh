#!/usr/bin/env bash
# JMeter 5.6.3, the report that "jmeter -g FILE -o FOLDER" (or -e) makes, with its own settings.
# Guess: its median and percentiles are of all samples, as its count, mean, minimum and maximum are: of 40,000 samples,
# the first half 1,000 ms and the second 10 ms, p90 and p99 are 1,000 ms.
# What happens: they are of the last 20,000 samples of each label: median, p90, p95 and p99 are 10 ms, beside a mean of
# 505 ms. Nothing in the report says so. (jmeter.reportgenerator.statistic_window is the number.)
# Why it matters: at 200 requests/s it is the last 100 seconds. An outage, or the part of a ramp that
# was too much, is not in the percentiles of a long run, and a comparison of two runs compares their ends.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

jmeter_home
python3 - <<'END'
with open("samples.csv", "w") as file:
    file.write(
        "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,"
        "sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect\n"
    )
    for sample in range(40_000):
        elapsed = 1000 if sample < 20_000 else 10
        started = 1_700_000_000_000 + 5 * sample
        file.write(f"{started},{elapsed},get,200,OK,users 1-1,text,true,,100,100,1,1,null,{elapsed},0,0\n")
END
jmeter -g samples.csv -o report
python3 - <<'END'
import json
import sys

with open("report/statistics.json") as file:
    get = json.load(file)["get"]
names = ("sampleCount", "meanResTime", "maxResTime", "medianResTime", "pct1ResTime", "pct2ResTime", "pct3ResTime")
seen = [round(get[name]) for name in names]
print("20,000 samples of 1000 ms, then 20,000 of 10 ms")
print("reported: %d samples, mean %d, max %d, median %d, p90 %d, p95 %d, p99 %d ms" % tuple(seen))
if seen != [40_000, 505, 1000, 10, 10, 10, 10]:
    sys.exit("NO LONGER SO: the percentiles are not those of the last 20,000 samples")
END
