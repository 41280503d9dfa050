"""Takes JMeter's command line and writes a result file like JMeter's, without any load."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

HEADER = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,"
    "failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect"
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", action="store_true")
    parser.add_argument("-t", type=Path, required=True)
    parser.add_argument("-l", type=Path, required=True)
    parser.add_argument("-j", type=Path, required=True)
    parser.add_argument("-J", action="append", default=[])
    parser.add_argument("--linger", type=float, default=0.0, help="seconds to run on")
    parser.add_argument("--exit", type=int, default=0)
    parser.add_argument("--nothing", action="store_true", help="write no operation")
    parser.add_argument("--capacity", type=int, help="arrivals of a run; with more all are slow")
    options = parser.parse_args()
    properties = dict(one.split("=", 1) for one in options.J)
    workload = options.t.stem.split("-")[1]
    start = int(time.time() * 1000)
    if "arrivals" in properties:
        offsets = [int(line) for line in Path(properties["arrivals"]).read_text().split()]
    else:
        offsets = list(range(int(properties["threads"]) * max(int(properties["loops"]), 1)))
    opened = properties.get("sample_variables") == "intended"
    # A system that answers at once, up to the rate that it can bear.
    slow = opened and options.capacity is not None and len(offsets) > options.capacity
    with options.l.open("w") as samples:
        samples.write(HEADER + (",intended" if opened else "") + "\n")
        for offset in [] if options.nothing else offsets:
            samples.write(
                f"{start + offset},{5000 if slow else 5},{workload},200,OK,users 1-1,text,true,,"
                f"10,10,1,1,null,4,0,0{f',{start + offset}' if opened else ''}\n"
            )
    print(f"started {workload}", flush=True)
    time.sleep(options.linger)
    sys.exit(options.exit)


if __name__ == "__main__":
    main()
