#!/usr/bin/env bash
# ab 2.3 (Debian's apache2-utils 2.4) and autocannon 8.0.0 against a server that closes connections without a byte
# of an answer: all of them, or every second request.
# Guess: these are failed requests (ab: "Receive" or "Exceptions"; autocannon: errors or resets).
# What happens: ab reports 20 complete and 0 failed requests with a rate and percentiles, when all are dropped.
# autocannon reports no errors, time-outs or resets either; only "sent" is more than the answers.
# Why it matters: a front door that drops connections under load passes the usual check ("Failed requests",
# errors + timeouts + non2xx), and what it dropped is in no percentile.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

debian apache2-utils ab 2.3 ab -V
npm install --no-audit --no-fund --silent autocannon@8.0.0

cat > server.py <<'END'
import itertools
import socketserver

import serving

count = itertools.count()


class Drop(socketserver.StreamRequestHandler):
    """Closes the connection of each request to /all, and of every second one to any other path."""

    def handle(self):
        while request := self.rfile.readline():
            while self.rfile.readline().strip():
                pass
            if b" /all " in request or next(count) % 2:
                return
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


serving.serve(Drop)
END
serve
url=http://127.0.0.1:$(cat port)

ab -q -n 20 -c 2 "$url/all" > report 2>&1 || { cat report; echo "NO LONGER SO: ab fails"; exit 1; }
grep -E '^(Complete requests|Failed requests|Requests per second)|^ +99%' report
grep -Eq '^Complete requests: +20$' report || { echo "NO LONGER SO: not all requests are complete"; exit 1; }
grep -Eq '^Failed requests: +0$' report || { echo "NO LONGER SO: dropped requests have failed"; exit 1; }

cat > load.js <<'END'
const autocannon = require("autocannon");

(async () => {
  for (const path of ["/all", "/half"]) {
    const result = await autocannon({ url: process.argv[2] + path, amount: 20, connections: 1 });
    const { errors, timeouts, non2xx, resets } = result;
    console.log(`autocannon ${path}: sent ${result.requests.sent}, answers ${result["2xx"]},`, { errors, timeouts, non2xx, resets });
    if (errors + timeouts + non2xx + resets > 0 || result["2xx"] >= 20) {
      console.log("NO LONGER SO: dropped requests are reported");
      process.exitCode = 1;
    }
  }
})();
END
timeout 50 node load.js "$url" || { echo "NO LONGER SO: autocannon reports failures, or does not end"; exit 1; }
