#!/usr/bin/env bash
# Nginx 1.22 (Debian's package) with proxy_cache and proxy_cache_lock.
# Guess: of 10 requests for one address at once one goes to the server, the others wait for its answer, and if that
# cannot be kept they all go (or get the same answer): after twice the server's 100 ms everybody has one.
# What happens: the requests that wait are let through one by one, since each is followed by a new wait, and whether
# it is over is looked at every 500 ms: the tenth answer takes more than 2 s, up to proxy_cache_lock_timeout (5 s).
# Answers that can be kept are handed to all after those 500 ms.
# Why it matters: the lock is there to protect a slow server. When it refuses quickly ("503", "no-store"), its clients
# wait for seconds each.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

serve
nginx_before 'proxy_cache_lock on;'

slowest() { # path
  local place clients=()
  for place in $(seq 10); do
    curl -s -o "body$place" -w '%{time_total}\n' "http://127.0.0.1:$listen$1" > "time$place" &
    clients+=("$!")
  done
  wait "${clients[@]}"
  sort -n time* | tail -n 1
}
kept=$(slowest "/kept?wait=0.1&header=Cache-Control:+max-age=60")
refused=$(slowest "/refused?wait=0.1&status=503")
echo "10 requests at once, server 100 ms: slowest $kept s if the answer can be kept, $refused s if it is a 503"
echo "reached the server: $(grep -c kept requests) and $(grep -c refused requests)"
python3 - "$kept" "$refused" <<'END'
import sys

kept, refused = map(float, sys.argv[1:])
if not (kept < 1.2 and refused > 2):
    sys.exit("NO LONGER SO: refusals take seconds, other answers do not")
END
