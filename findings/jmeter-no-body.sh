#!/usr/bin/env bash
# JMeter 5.6.3, columns Latency and bytes of the result file.
# Guess: Latency is the time to the first byte of the answer, which an answer without a body has as well; bytes of a
# connection that was refused are 0.
# What happens: Latency of a 204, or of any answer to HEAD, is 0 after 200 ms; a 200 with Content-Length 0 has its
# 200 ms. A refused connection has more than a thousand bytes: the text of the error counts as received.
# Why it matters: a mean Latency falls with the share of 204, and the server's time, elapsed less Latency, grows by the
# same. A service that is down has a throughput in KB/s, often more than when it is up.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

cat > server.py <<'END'
import time

import serving


class Bodiless(serving.Handler):
    """Answers in 200 ms with the status in the path and without a body."""

    def do_GET(self):
        time.sleep(0.2)
        status = int(self.path[1:])
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    do_HEAD = do_GET


serving.serve(Bodiless)
END
serve
jmeter_home
for request in "GET 200" "GET 204" "HEAD 200"; do
  jmeter_plan "$request.csv" -Jloops=2 -Jport="$(cat port)" -Jmethod="${request% *}" -Jpath="/${request#* }"
done
jmeter_plan refused.csv -Jloops=1 -Jport="$(free_port)"
python3 - <<'END'
import csv
import sys


def last(name):
    with open(f"{name}.csv") as file:
        return list(csv.DictReader(file))[-1]


seen = {}
for request in ("GET 200", "GET 204", "HEAD 200"):
    row = last(request)
    seen[request] = int(row["Latency"])
    print(f"{request} without a body: elapsed {row['elapsed']} ms, Latency {row['Latency']} ms")
    if int(row["elapsed"]) < 200:
        sys.exit("the server did not answer")
refused = int(last("refused")["bytes"])
print(f"connection refused: {refused} bytes received")
if not (seen["GET 200"] >= 200 and seen["GET 204"] == seen["HEAD 200"] == 0 and refused > 1000):
    sys.exit("NO LONGER SO: Latency is 0 for 204 and HEAD, and a refused connection has bytes")
END
