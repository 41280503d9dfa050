#!/usr/bin/env bash
# Varnish 7.1 (Debian's package) with its own VCL.
# Guess: an answer with "Expires: 0" has expired (RFC 9111, 5.3: an invalid date, "0" in particular, is in the past)
# and is fetched each time, as one with a date in the past is.
# What happens: "0", "-1" and 1 January 1970, 00:00:00 count as no header at all. The answer is kept for
# default_ttl, two minutes, and served to all clients. 1 January 2015 is heeded.
# Why it matters: "Expires: 0" and the date of time 0 are what frameworks write against caches. If it is the only such header, the cache
# serves one user's answer to all, and a load test measures the cache.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"
chmod 755 .  # Varnish reads its configuration as a user of its own.

debian varnish Varnish 7.1 varnishd -V

serve

listen=$(free_port)
varnishd -F -n "$folder/varnish" -a "127.0.0.1:$listen" -b "127.0.0.1:$(cat port)" > varnish.log 2>&1 &
started+=("$!")
await 200 curl -s -o first "http://127.0.0.1:$listen/ready"

failed=0
check() { # header, requests expected
  local path="/?header=Expires:+${1// /+}" seen
  for _ in 1 2 3; do
    curl -s -o answer "http://127.0.0.1:$listen$path"
    sleep 0.5
  done
  seen=$(grep -Fxc "$path" requests)
  echo "3 requests, Expires: $1: $seen reached the server"
  [ "$seen" = "$2" ] || { echo "NO LONGER SO: expected $2"; failed=1; }
}
check 0 1
check -1 1
check "Thu, 01 Jan 1970 00:00:00 GMT" 1
check "Thu, 01 Jan 2015 00:00:00 GMT" 3
exit "$failed"
