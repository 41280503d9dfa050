import http.server
import pathlib
import time
import urllib.parse


class Answer(http.server.BaseHTTPRequestHandler):
    """Answers as the query says (`status`, `wait` in seconds, `header` any number of times); writes each path down."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        with open("requests", "a") as requests:
            requests.write(self.path + "\n")
        wanted = urllib.parse.parse_qs(self.path.partition("?")[2])
        time.sleep(float(wanted.get("wait", ["0"])[0]))
        self.send_response(int(wanted.get("status", ["200"])[0]))
        for header in wanted.get("header", []):
            name, _, value = header.partition(": ")
            self.send_header(name, value)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128


server = Server(("127.0.0.1", 0), Answer)
pathlib.Path("port.new").write_text(str(server.server_port))
pathlib.Path("port.new").rename("port")
server.serve_forever()
