"""Speaks the protocol of ``load-generator`` and writes files like JMeter's, without any load."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from testbed.measure.samplefile import read_arrivals

HEADER = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,"
    "failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect"
)


def given(file: Path) -> dict[str, str]:
    """Return a properties file, each key and value with its escapes resolved."""
    pairs = (line.split("=", 1) for line in file.read_text(encoding="utf-8").splitlines())
    return {resolved(key): resolved(value) for key, value in pairs}


def resolved(text: str) -> str:
    first, *rest = text.split("\\u")
    return first + "".join(chr(int(part[:4], 16)) + part[4:] for part in rest)


def write(asked: dict[str, str], options: argparse.Namespace) -> int:
    """Write the result file of a load and return how many rows it has."""
    properties = {key.removeprefix("property."): value for key, value in asked.items()}
    workload = Path(asked["plan"]).stem.split("-")[1]
    # So much processor time that its use can be read, in ticks of 10 ms.
    used = time.process_time()
    while time.process_time() < used + 0.03:
        pass
    start = int(properties.get("begin", time.time() * 1000))
    if options.log.stem == options.starved:
        start += 700
    if options.nothing:
        offsets = []
    elif "arrivals" in properties:
        offsets = read_arrivals(Path(properties["arrivals"]))
    else:
        offsets = list(range(int(properties["threads"]) * max(int(properties["loops"]), 1)))
    opened = properties.get("sample_variables") == "intended"
    # A system that answers at once, up to the rate that it can bear.
    slow = opened and options.capacity is not None and len(offsets) > options.capacity
    with Path(asked["samples"]).open("w") as file:
        file.write(HEADER + (",intended" if opened else "") + "\n")
        for offset in offsets:
            file.write(
                f"{start + offset},{5000 if slow else 5},{workload},200,OK,users 1-1,text,"
                f"{'false,wrong status' if options.failing else 'true,'},"
                f"10,10,1,1,null,4,0,0{f',{start + offset}' if opened else ''}\n"
            )
    return len(offsets)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("log", type=Path)
    parser.add_argument("--linger", type=float, default=0.0, help="seconds that a load goes on")
    parser.add_argument("--start", help="print this in place of starting")
    parser.add_argument("--fail", help="answer each load with this reason for its failure")
    parser.add_argument("--exit", type=int, help="end in the middle of a load, with this code")
    parser.add_argument("--nothing", action="store_true", help="write no operation")
    parser.add_argument("--failing", action="store_true", help="let every operation fail")
    parser.add_argument("--starved", help="the generator, by its log, that begins 0.7 s late")
    parser.add_argument("--capacity", type=int, help="arrivals of a run; with more all are slow")
    options = parser.parse_args()
    if options.start is not None:
        sys.exit(options.start)
    print("ready", flush=True)
    for line in sys.stdin:
        asked = given(Path(line.rstrip("\n")))
        with options.log.open("a") as log:
            log.write(f"1 INFO o.a.j.e.StandardJMeterEngine: Running {asked['plan']}\n")
        count = write(asked, options)
        time.sleep(options.linger)
        if options.exit is not None:
            sys.exit(options.exit)
        print(f"failed {options.fail}" if options.fail else f"ended {count}", flush=True)


if __name__ == "__main__":
    main()
