#!/usr/bin/env bash
# Nginx 1.22 (Debian's package) with proxy_cache, before a server whose answers have been in another cache.
# Guess: the age that an answer brings counts: with "max-age=60" and "Age: 58" it is kept for two seconds, and with
# "Age: 90" not at all (RFC 9111, 4.2.3).
# What happens: Age is not read. Both are kept for another 60 s, and handed out with the header as it came: the
# age does not grow while they are kept.
# Why it matters: of two caches in a row each adds the whole time, and a client that reads Age is told
# a time that is too short.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

serve
nginx_before ''

failed=0
for age in 58 90; do
  path="/$age?header=Cache-Control:+max-age=60&header=Age:+$age"
  for wait in 0 3 0; do
    sleep "$wait"
    curl -s -D headers -o body "http://127.0.0.1:$listen$path"
  done
  seen=$(grep -Fxc "$path" requests)
  told=$(sed -n 's/^Age: \([0-9]*\).*/\1/p' headers)
  echo "max-age=60, Age: $age, 3 requests within 3 s: $seen reached the server, the last has Age: $told"
  [ "$seen $told" = "1 $age" ] || { echo "NO LONGER SO: kept once, Age $age"; failed=1; }
done
exit "$failed"
