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

command -v varnishd > /dev/null || apt-get install -y -q --no-install-recommends varnish > apt.log
version=$(varnishd -V 2>&1 | sed -n 's/.*varnish-\([0-9.]*\).*/\1/p')
echo "Varnish $version"
[[ $version == 7.1.* ]] || { echo "NO LONGER SO: Varnish is $version, not 7.1"; exit 1; }

cat > server.py <<'END'
import http.server
import pathlib
import urllib.parse


class Expiring(http.server.BaseHTTPRequestHandler):
    """Answers with the header Expires that the query names, and writes a line for each request."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with open("requests", "a") as requests:
            requests.write(self.path + "\n")
        self.send_response(200)
        self.send_header("Expires", urllib.parse.unquote(self.path.partition("?")[2]))
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Expiring)
pathlib.Path("port.new").write_text(str(server.server_port))
pathlib.Path("port.new").rename("port")
server.serve_forever()
END
serve

listen=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
varnishd -F -n "$folder/varnish" -a "127.0.0.1:$listen" -b "127.0.0.1:$(cat port)" > varnish.log 2>&1 &
started+=("$!")
for _ in $(seq 200); do
  curl -s -o first "http://127.0.0.1:$listen/ready" && break
  sleep 0.1
done

failed=0
check() { # header, requests expected
  local query seen
  query=$(python3 -c 'import sys, urllib.parse; print(urllib.parse.quote(sys.argv[1]))' "$1")
  for _ in 1 2 3; do
    curl -s -o answer "http://127.0.0.1:$listen/?$query"
    sleep 0.5
  done
  seen=$(grep -Fxc "/?$query" requests)
  echo "3 requests, Expires: $1: $seen reached the server"
  [ "$seen" = "$2" ] || { echo "NO LONGER SO: expected $2"; failed=1; }
}
check 0 1
check -1 1
check "Thu, 01 Jan 1970 00:00:00 GMT" 1
check "Thu, 01 Jan 2015 00:00:00 GMT" 3
exit "$failed"
