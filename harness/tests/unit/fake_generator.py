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
    options = parser.parse_args()
    properties = dict(one.split("=", 1) for one in options.J)
    workload = options.t.stem.split("-")[1]
    loops = max(int(properties["loops"]), 1)
    start = int(time.time() * 1000)
    with options.l.open("w") as samples:
        samples.write(HEADER + "\n")
        for number in range(int(properties["threads"]) * loops):
            samples.write(
                f"{start + number},5,{workload},200,OK,users 1-1,text,true,,10,10,1,1,null,4,0,0\n"
            )
    print(f"started {workload}", flush=True)
    time.sleep(options.linger)
    sys.exit(options.exit)


if __name__ == "__main__":
    main()
