#!/usr/bin/env bash
# Apache Otava 0.8.0 (change points in the history of a benchmark), and a CSV file of 30 nightly runs with a column of
# times: a latency of 100 ms, since the 16th run 150 ms.
# Guess: the runs are put in the order of `time_column`. A latency that rises by 50 % is a regression, in whatever order
# the rows are.
# What happens: the rows are taken as they stand; the times only label them. With the newest first, as many tools
# export it, the change is -33 %, an improvement: no regressions. Rows in mixed order have no change point at all.
# Why it matters: the regression of the last two weeks is not reported, and the commit that is named for the change is
# the last one before it.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages apache-otava==0.8.0

python3 - <<'END'
from datetime import datetime, timedelta, timezone

now = datetime.now(timezone.utc)
rows = []
for run in range(30):
    night = now - timedelta(days=30 - run)
    rows.append(f"{night:%Y-%m-%d 02:00:00 +0000},{(100 if run < 15 else 150) + run % 3}")
orders = {"oldest_first": rows, "newest_first": rows[::-1], "mixed": [rows[(7 * place) % 30] for place in range(30)]}
with open("otava.yaml", "w") as configuration:
    configuration.write("tests:\n")
    for name, order in orders.items():
        with open(f"{name}.csv", "w") as file:
            file.write("\n".join(["time,latency", *order, ""]))
        configuration.write(
            f"  {name}:\n    type: csv\n    file: {name}.csv\n    time_column: time\n"
            "    metrics: {latency: {column: latency, direction: -1}}\n")
END

# regressions NAME: the regressions in NAME.csv, of which a lower latency is none.
regressions() {
  packages/bin/otava analyze --config-file otava.yaml --output regressions_only "$1" 2> log || { cat log; exit 1; }
}
for name in oldest_first newest_first mixed; do
  regressions "$name" | tee "$name"
done
grep -q 'latency.*+' oldest_first || { echo "NO LONGER SO: the latency of runs in order is no regression"; exit 1; }
for name in newest_first mixed; do
  grep -q 'No regressions' "$name" || { echo "NO LONGER SO: the order of the rows does not matter"; exit 1; }
done
