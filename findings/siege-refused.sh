#!/usr/bin/env bash
# siege 4.0 (Debian's package) against a server that refuses every request.
# Guess: 401 and 404 are failures, or at least no successes; 3 users with 4 repetitions send 12 requests.
# What happens: a 401 is sent five times in a row. The server gets 60 requests, and siege reports 60 transactions,
# 60 successful, none failed, availability 100 %. With 404 it is 12 transactions, 0 successful, 0 failed, and
# availability 100 % as well.
# Why it matters: a service whose accounts were forgotten gets five times the load that was asked for, and the
# result is a perfect one, of the fast path that refuses.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

export HOME=$folder  # Where it writes its settings.
debian siege siege 4.0 siege --version

serve

for status in 401 404; do
  siege -q -b -c 3 -r 4 -j "http://127.0.0.1:$(cat port)/?status=$status" > "$status.json" 2> /dev/null
done

python3 - <<'END'
import collections
import json
import sys

expected = {"401": (60, 60, 60, 0, 100.0), "404": (12, 12, 0, 0, 100.0)}
with open("requests") as file:
    received = collections.Counter(file.read().splitlines())
seen = {}
for status in expected:
    with open(f"{status}.json") as file:
        text = file.read()
    report = json.loads(text[text.index("{"):])
    seen[status] = (
        received[f"/?status={status}"],
        report["transactions"],
        report["successful_transactions"],
        report["failed_transactions"],
        report["availability"],
    )
    print(
        f"{status} to each of 12: %d requests received; reported: %d transactions, %d successful, "
        "%d failed, availability %.0f %%" % seen[status]
    )
if seen != expected:
    sys.exit(f"NO LONGER SO: expected {expected}")
END
