#!/usr/bin/env bash
# Nginx 1.22 (Debian's package) as a cache.
# Guess: max-age overrides Expires (RFC 9111, 5.3), and two lines of a header are the same as one line with a comma
# (RFC 9110, 5.3): in whatever order the lines come, the answer is kept as long.
# What happens: the order decides. With Cache-Control before "Expires: 0" an answer is kept, with Expires first it is
# not. Of two Cache-Control lines the last counts: max-age=0 after s-maxage=60 is not kept, though the same in one line
# is kept for a minute.
# Why it matters: some servers and filters add "Expires: 0" to every answer, before the handler sets its max-age.
# Behind Nginx each request then reaches the service, and a browser's tools show a header that allows 60 s.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

serve
nginx_before ""

failed=0
check() { # requests expected, header lines
  local expected=$1 path="/?" lines="" line seen
  shift
  for line in "$@"; do
    path+="header=${line// /+}&"
    lines+=" [$line]"
  done
  for _ in 1 2 3; do
    curl -s -o body "http://127.0.0.1:$listen$path"
  done
  seen=$(grep -Fxc "$path" requests)
  echo "3 requests,$lines: $seen reached the server"
  [ "$seen" = "$expected" ] || { echo "NO LONGER SO: expected $expected"; failed=1; }
}
check 1 "Cache-Control: max-age=60" "Expires: 0"
check 3 "Expires: 0" "Cache-Control: max-age=60"
check 1 "Cache-Control: s-maxage=60, max-age=0"
check 3 "Cache-Control: s-maxage=60" "Cache-Control: max-age=0"
exit "$failed"
