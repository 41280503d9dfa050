import time
import urllib.parse

import serving


class Answer(serving.Handler):
    """Answers as the query says (`status`, `wait` in seconds, `header` any number of times); writes each path down."""

    def do_GET(self):
        with open("requests", "a") as requests:
            requests.write(self.path + "\n")
        wanted = urllib.parse.parse_qs(self.path.partition("?")[2])
        time.sleep(float(wanted.get("wait", ["0"])[0]))
        headers = [header.split(": ", 1) for header in wanted.get("header", [])]
        self.respond(int(wanted.get("status", ["200"])[0]), headers, b"ok")


serving.serve(Answer)
