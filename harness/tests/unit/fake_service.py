"""A small server in place of a service: ready at once, late or never; may end, or refuse to."""

from __future__ import annotations

import argparse
import json
import signal
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--ready-after", type=float, default=0.0)
    parser.add_argument("--fail", action="store_true", help="end before anything is served")
    parser.add_argument("--stubborn", action="store_true", help="ignore TERM")
    options = parser.parse_args()
    print(f"serving on {options.port}", flush=True)
    if options.fail:
        raise SystemExit("no such catalogue")
    if options.stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ready_at = time.monotonic() + options.ready_after

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            ready = time.monotonic() >= ready_at
            body = json.dumps({"status": "UP" if ready else "OUT_OF_SERVICE"}).encode()
            self.send_response(200 if ready else 503)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    ThreadingHTTPServer(("127.0.0.1", options.port), Handler).serve_forever()


if __name__ == "__main__":
    main()
