#!/usr/bin/env bash
# HAProxy 2.6 (Debian's package).
# Guess: http_req_rate(10s) is the number of requests of the last ten seconds: of a client that sent 40 at once and
# nothing since it is 40 for ten seconds, and then 0.
# What happens: it is 40 for ten seconds, about 30 after 12 s and 20 after 15 s, and 0 after 20 s: the last whole
# period counts on with the share of it that a window of ten seconds would still cover if its requests had come evenly.
# Why it matters: a limit of 20 per 10 s refuses a client for 15 s that would be free after ten, and the time
# depends on where in the period its burst lies. A client that waits for as long as the limit says is refused again.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

debian haproxy HAProxy 2.6 haproxy -v

listen=$(free_port)
cat > haproxy.cfg <<END
global
  stats socket $folder/stats
defaults
  mode http
  timeout client 10s
  timeout server 10s
  timeout connect 5s
frontend all
  bind 127.0.0.1:$listen
  stick-table type ip size 10 expire 1m store http_req_rate(10s)
  http-request track-sc0 src
  http-request return status 200
END
haproxy -db -f haproxy.cfg > haproxy.log 2>&1 &
started+=("$!")
cat > rate.py <<'END'
import re
import socket
import sys
import time
import urllib.request

address, table = f"http://127.0.0.1:{sys.argv[1]}/", sys.argv[2]
for _ in range(100):
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", int(sys.argv[1]))) == 0:
            break
    time.sleep(0.1)
start = time.monotonic()
for _ in range(40):
    urllib.request.urlopen(address).read()
sent = time.monotonic()


def rate():
    with socket.socket(socket.AF_UNIX) as command:
        command.connect(table)
        command.sendall(b"show table all\n")
        answer = b"".join(iter(lambda: command.recv(4096), b"")).decode()
    return int(re.search(r"http_req_rate\(10000\)=(\d+)", answer)[1])


print(f"40 requests within {sent - start:.1f} s, none since; http_req_rate(10s)", end="")
wrong = []
for second in (5, 12, 15, 17, 21):
    time.sleep(max(0, start + second - time.monotonic()))
    before, seen, after = time.monotonic() - start, rate(), time.monotonic() - start
    print(f"; after {before:.1f} s: {seen}", end="")
    # The requests came within the time that was measured, so that the share lies between these.
    lowest = 40 * min(1, max(0, (20 - after) / 10))
    highest = 40 * min(1, max(0, (20 + (sent - start) - before) / 10))
    if not lowest - 1 <= seen <= highest + 1:
        wrong.append(second)
print()
if wrong:
    sys.exit(f"NO LONGER SO: it falls evenly from 10 s to 20 s (not after {wrong} s)")
END
python3 rate.py "$listen" "$folder/stats"
