#!/usr/bin/env bash
# pgbench 15 (Debian's postgresql-15), 10 clients for 2 s: nine with transactions of 10 ms, the tenth with one of 8 s.
# Guess: "latency average" is the mean of the times that its log has. The option -P, which prints a line every so many
# seconds, changes nothing. tps is what the clients did in the 2 s.
# What happens: the average is not measured. It is clients x run time / transactions, and the run ends with its last
# transaction: nine clients that have done nothing for 6 s count as busy. The average is three times the mean, and
# tps a quarter of what the clients did. With -P (or -R, or -L) the average is measured.
# Why it matters: one transaction that waits for a lock makes all look slow, and the system a fraction as fast as it
# is. Two runs of which one had -P cannot be compared; only its line with the deviation tells the reports apart.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

bin=/usr/lib/postgresql/15/bin
debian postgresql-15 pgbench 15 $bin/pgbench --version

# PostgreSQL refuses to run as root.
as_user=()
if [ "$(id -u)" = 0 ]; then
  as_user=(setpriv --reuid=postgres --regid=postgres --clear-groups)
  chown postgres "$folder"
fi
"${as_user[@]}" $bin/initdb -D data -U postgres -A trust --no-sync > initdb.log
"${as_user[@]}" $bin/postgres -D data -k "$folder" -c listen_addresses= > server.log 2>&1 &
started+=("$!")
export PGHOST=$folder PGUSER=postgres PGDATABASE=postgres
await 300 $bin/pg_isready -q

cat > mixed.sql <<'END'
\if :client_id = 0
  select pg_sleep(8);
\else
  select pg_sleep(0.01);
\endif
END
# run NAME OPTION...: 10 clients for 2 s; the report goes to NAME, the times of all transactions to NAME.log.*.
run() {
  local name=$1
  shift
  $bin/pgbench -n -c 10 -T 2 -f mixed.sql -l --log-prefix="$name.log" "$@" > "$name" 2> "$name.err" ||
    { cat "$name" "$name.err" server.log; exit 1; }
}
run plain
run progress -P 60

python3 - <<'END'
import glob
import re
import sys


def figures(name):
    """The mean of the transactions' times in ms, their number; average and tps, as pgbench reports them."""
    times = []
    for path in glob.glob(f"{name}.log.*"):
        with open(path) as file:
            times += [int(line.split()[2]) / 1000 for line in file]
    with open(name) as file:
        report = file.read()
    average, tps = (float(re.search(rf"^{label} = ([\d.]+)", report, re.M)[1]) for label in ("latency average", "tps"))
    return sum(times) / len(times), len(times), average, tps


for name, option in (("plain", "alone"), ("progress", "with -P 60")):
    mean, count, average, tps = figures(name)
    print(f"{option}: {count} transactions, mean {mean:.1f} ms in the log; reported {average:.1f} ms and {tps:.0f} tps")
    if name == "plain" and not (average > 2 * mean and tps < 0.3 * count / 2):
        sys.exit("NO LONGER SO: the average is the mean of the transactions' times, or tps is of the 2 s")
    if name == "progress" and abs(average - mean) > 0.02 * mean:
        sys.exit("NO LONGER SO: with -P the average is not measured")
END
