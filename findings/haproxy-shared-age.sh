#!/usr/bin/env bash
# HAProxy 2.6 (Debian's package) with a cache.
# Guess: a shared cache goes by s-maxage if there is one (RFC 9111, 5.2.2.10): "max-age=0, s-maxage=60" is kept for a
# minute by it and not at all by browsers, which is what the pair is written for.
# What happens: it is never kept, since max-age=0 is looked at first. With max-age=1 instead s-maxage is heeded:
# kept for longer than that second.
# Why it matters: a server that wants to be cached in front of it and not in browsers is not cached at all: each
# request reaches it.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

debian haproxy HAProxy 2.6 haproxy -v

serve
listen=$(free_port)
cat > haproxy.cfg <<END
defaults
  mode http
  timeout client 10s
  timeout server 10s
  timeout connect 5s
cache kept
  total-max-size 4
  max-age 3600
listen all
  bind 127.0.0.1:$listen
  http-request cache-use kept
  http-response cache-store kept
  server only 127.0.0.1:$(cat port)
END
haproxy -db -f haproxy.cfg > haproxy.log 2>&1 &
started+=("$!")
await 100 curl -s -o first "http://127.0.0.1:$listen/ready"

failed=0
check() { # Cache-Control, requests expected
  local path="/?header=Cache-Control:+${1// /+}" seen
  for _ in 1 2 3; do
    curl -s -o body "http://127.0.0.1:$listen$path"
    sleep 1.5
  done
  seen=$(grep -Fxc "$path" requests)
  echo "3 requests, 1.5 s apart, Cache-Control: $1: $seen reached the server"
  [ "$seen" = "$2" ] || { echo "NO LONGER SO: expected $2"; failed=1; }
}
check "s-maxage=60" 1
check "max-age=1, s-maxage=60" 1
check "max-age=0, s-maxage=60" 3
exit "$failed"
