#!/usr/bin/env bash
# Locust 2.44.0 (geventhttpclient 2.6.1), FastHttpUser and HttpUser, one user.
# Guess: both send each request once. Of 100 GETs to a server that closes the connection of every second request it
# receives, without an answer, 50 fail; of 3 GETs to one that always does all fail, and it receives 3.
# What happens: HttpUser does that. FastHttpUser, whose `max_retries` is 0 by default, sends each GET up to 12
# times: no GET fails, and the server receives 199; of the three that fail it receives 36. Each is one request in the
# result. A POST is sent once.
# Why it matters: a service that drops half of its connections has no failures, and twice the load that the result says;
# one that drops them because it is overloaded has twelve times the load.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages locust==2.44.0 geventhttpclient==2.6.1

cat > server.py <<'END'
import serving


class Dropping(serving.Handler):
    """Closes each connection on /down, and that of every second request on /half, without an answer."""

    received = 0

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with open("requests", "a") as requests:
            requests.write(f"{self.command} {self.path}\n")
        Dropping.received += 1
        if self.path == "/down" or Dropping.received % 2 == 0:
            self.close_connection = True
            return
        self.respond()

    do_GET = do_POST = answer


serving.serve(Dropping)
END
serve

cat > users.py <<'END'
from locust import FastHttpUser, HttpUser


def send(user):
    for _ in range(100):
        user.client.get("/half")
    for _ in range(3):
        user.client.get("/down")
        user.client.post("/down")
    user.environment.runner.quit()


class Http(HttpUser):
    tasks = [send]


class FastHttp(FastHttpUser):
    tasks = [send]
END
for user in Http FastHttp; do
  rm -f requests
  packages/bin/locust -f users.py "$user" --headless -u 1 -t 30s --json --exit-code-on-error 0 \
    --host "http://127.0.0.1:$(cat port)" > "$user.json" 2> locust.log || { cat locust.log; exit 1; }
  mv requests "$user.requests"
done

python3 - <<'END'
import collections
import json
import sys

REQUESTS = [("GET", "/half"), ("GET", "/down"), ("POST", "/down")]
STATED = {"Http": [(100, 50, 100), (3, 3, 3), (3, 3, 3)], "FastHttp": [(100, 0, 199), (3, 3, 36), (3, 3, 3)]}
seen = {}
for user in STATED:
    with open(f"{user}.json") as file:
        rows = {(row["method"], row["name"]): row for row in json.load(file)}
    with open(f"{user}.requests") as file:
        received = collections.Counter(file.read().splitlines())
    seen[user] = []
    for method, path in REQUESTS:
        row = rows[method, path]
        counts = row["num_requests"], row["num_failures"], received[f"{method} {path}"]
        print(f"{user}User, {method} {path}: {counts[0]} requests, {counts[1]} failed; the server received {counts[2]}")
        seen[user].append(counts)
if seen != STATED:
    sys.exit("NO LONGER SO: FastHttpUser sends a GET again, and counts it once")
END
