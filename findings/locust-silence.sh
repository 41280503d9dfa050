#!/usr/bin/env bash
# Locust 2.44.0, two users, 12 s; the server answers for 3 s and then keeps the requests that come without an answer.
# Guess: the final table's requests per second are those of the run: about 190 in 12 s, 16/s; and the two requests
# that were never answered are somewhere.
# What happens: the rate goes up to the last answer only: about 60/s, as if all was well. The two requests are
# counted nowhere: 0 failures, all percentiles are those of the first 3 s, exit code 0.
# Why it matters: the worst outage, a server that keeps its connections and is silent, has a perfect result; the CSV
# files say the same.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages locust==2.44.0

cat > server.py <<'END'
import threading
import time

import serving


class Silent(serving.Handler):
    """Answers in 20 ms for 3 s from the first request on, and then never."""

    first = None

    def do_GET(self):
        with open("requests", "a") as requests:
            requests.write("x\n")
        if Silent.first is None:
            Silent.first = time.monotonic()
        time.sleep(0.02)
        if time.monotonic() - Silent.first > 3:
            threading.Event().wait()
        self.respond()


serving.serve(Silent)
END
serve

cat > users.py <<'END'
from locust import HttpUser, task


class User(HttpUser):
    @task
    def get(self):
        self.client.get("/")
END
packages/bin/locust -f users.py --headless -u 2 -r 2 -t 12s --stop-timeout 0 --csv run \
  --host "http://127.0.0.1:$(cat port)" > locust.log 2>&1
python3 - <<'END'
import csv
import sys

with open("run_stats.csv") as file:
    total = list(csv.DictReader(file))[-1]
with open("requests") as file:
    received = len(file.readlines())
count, failed, rate = int(total["Request Count"]), int(total["Failure Count"]), float(total["Requests/s"])
print(f"12 s, silent for the last 9: {received} requests received, {received - count} of them never answered")
print(f"reported: {count} requests, {failed} failed, {rate:.0f}/s, slowest {float(total['Max Response Time']):.0f} ms")
if not (received - count == 2 and failed == 0 and rate > 2.5 * count / 12):
    sys.exit(f"NO LONGER SO: the rate is {count / 12:.0f}/s, or what was not answered is counted")
END
