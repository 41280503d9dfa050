#!/usr/bin/env bash
# hey 0.1.4 and wrk 4.1.0 (Debian's package).
# Guess: numbers that do not divide are shared out unevenly: hey with 100 requests by 30 users sends 100, wrk with 15
# connections on 4 threads opens 15.
# What happens: each user or thread gets the quotient: hey sends 90, and wrk uses 12 connections and says "4 threads
# and 15 connections".
# Why it matters: in a series over connections the steps 12 to 15 are one load, and its rate looks like saturation. A
# fixed amount of work, say 100 seats by 30 users, is never sold out.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

debian wrk wrk 4.1.0 wrk -v
GOBIN=$folder go install github.com/rakyll/hey@v0.1.4 2> go.log || { cat go.log; exit 1; }

cat > server.py <<'END'
import time

import serving


class Count(serving.Handler):
    """Answers in 20 ms; writes a line for each request, and one for each connection that sent any."""

    connected = False

    def do_GET(self):
        with open("requests", "a") as requests:
            requests.write("x\n")
        if not self.connected:
            self.connected = True
            with open("connections", "a") as connections:
                connections.write("x\n")
        time.sleep(0.02)
        self.respond()


serving.serve(Count)
END
serve

./hey -n 100 -c 30 "http://127.0.0.1:$(cat port)/" > hey.log
sent=$(wc -l < requests)
echo "hey, 100 requests by 30 users: $sent received"
rm requests connections
wrk -t 4 -c 15 -d 1s "http://127.0.0.1:$(cat port)/" > wrk.log
opened=$(wc -l < connections)
echo "wrk, 4 threads, 15 connections: $opened sent requests; it says:$(grep ' connections$' wrk.log)"

[ "$sent" = 90 ] || { echo "NO LONGER SO: hey sends $sent of 100, not 90"; exit 1; }
[ "$opened" = 12 ] || { echo "NO LONGER SO: wrk uses $opened of 15, not 12"; exit 1; }
grep -q '4 threads and 15 connections' wrk.log || { echo "NO LONGER SO: wrk reports what it uses"; exit 1; }
