#!/usr/bin/env bash
# Apache httpd 2.4 (Debian's package), mod_proxy_balancer.
# Guess: lbmethod=bytraffic shares by bytes, as byrequests by requests. A member that was away has its share again when
# it is back.
# What happens: it has every request until it has had as many bytes as the others since httpd started: after 300
# requests without it the next 100 are all its own. The method compares the bytes of each member since the start, and
# nothing ages them. byrequests keeps a difference that stands still while a member is away: 50 of 100.
# Why it matters: an instance that has just started, with cold caches, is given the load of all others, until it has
# made up for all the time that it was away.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

debian apache2-bin "Apache httpd" 2.4 apache2 -v

cat > member.py <<'END'
import sys

import serving


class Member(serving.Handler):
    def do_GET(self):
        self.respond(body=sys.argv[1].encode())


serving.Server(("127.0.0.1", int(sys.argv[2])), Member).serve_forever()
END
cp "$lib/serving.py" .

answers() { # port, path
  curl -s -f -o body "http://127.0.0.1:$1/$2"
}
start_member() { # name, port
  python3 member.py "$1" "$2" 2> "$1.log" &
  started+=("$!")
  await 100 answers "$2" ""
}

first=$(free_port)
start_member first "$first"
second=$(free_port)
listen=$(free_port)
modules=/usr/lib/apache2/modules
cat > httpd.conf <<END
ServerRoot $folder
ServerName 127.0.0.1
DefaultRuntimeDir $folder
PidFile $folder/pid
ErrorLog $folder/errors
Listen 127.0.0.1:$listen
User daemon
Group daemon
END
for module in mpm_event authz_core slotmem_shm proxy proxy_http proxy_balancer lbmethod_{bytraffic,byrequests}; do
  echo "LoadModule ${module}_module $modules/mod_$module.so" >> httpd.conf
done
for method in bytraffic byrequests; do
  cat >> httpd.conf <<END
<Proxy balancer://$method>
  BalancerMember http://127.0.0.1:$first retry=1
  BalancerMember http://127.0.0.1:$second retry=1
  ProxySet lbmethod=$method
</Proxy>
ProxyPass /$method balancer://$method
END
done
apache2 -f "$folder/httpd.conf" -D FOREGROUND 2> httpd.log &
started+=("$!")
await 100 answers "$listen" byrequests || { cat httpd.log errors; exit 1; }

# requests METHOD NUMBER: how many of this number of requests the second member answers.
requests() {
  local answers=0
  for _ in $(seq "$2"); do
    [[ $(curl -s "http://127.0.0.1:$listen/$1") != second ]] || answers=$((answers + 1))
  done
  echo "$answers"
}
without=300 more=100
for method in bytraffic byrequests; do
  [ "$(requests "$method" "$without")" = 0 ]
done
start_member second "$second"
sleep 2
declare -A share
for method in bytraffic byrequests; do
  share[$method]=$(requests "$method" "$more")
  echo "$method: of $without requests the first member had all, of the next $more the second has ${share[$method]}"
done
((share[bytraffic] >= 95 && share[byrequests] <= 60)) ||
  { echo "NO LONGER SO: by traffic, a member that is back has all requests, and half of them by requests"; exit 1; }
