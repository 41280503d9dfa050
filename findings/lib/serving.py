"""What the servers of findings in Python share."""

import http.server
import pathlib


class Handler(http.server.BaseHTTPRequestHandler):
    """Keeps its connection, sends without delay, and logs nothing."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def respond(self, status=200, headers=(), body=b""):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128


def serve(handler):
    """Serves on a free port, and writes it into the file `port`."""
    server = Server(("127.0.0.1", 0), handler)
    pathlib.Path("port.new").write_text(str(server.server_port))
    pathlib.Path("port.new").rename("port")
    server.serve_forever()
