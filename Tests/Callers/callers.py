"""What the attack (Tests/Attack) and the chaos (Tests/Chaos) have in common: kept connections, lists over their pages, and a
receiver of webhooks that checks signatures and fails when it is told to."""

import hashlib
import hmac
import http.client
import http.server
import json
import threading
import time

#: The server closes a connection that is idle for a minute.
IDLE_SECONDS = 30


class Gone(Exception):
    """No answer: the connection was refused or lost, or the server is away. Whether it acted, nobody knows."""


class Caller:
    """One connection for each thread."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.kept = threading.local()

    def exchange(self, origin, method, path, body, headers):
        """The answer's head and content for one request that is sent once."""
        now = time.monotonic()
        idle, self.kept.used = now - getattr(self.kept, "used", now), now
        if getattr(self.kept, "origin", None) != origin or idle > IDLE_SECONDS:
            self.kept.origin = origin
            self.kept.line = http.client.HTTPConnection(origin.removeprefix("http://"), timeout=self.seconds)
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        try:
            self.kept.line.request(method, path, data, headers)
            answer = self.kept.line.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.kept.line.close()
            self.kept.origin = None
            raise Gone(f"{type(error).__name__}: {error}") from error
        if answer.headers.get("Connection", "").lower() == "close":
            self.kept.origin = None
        return answer, content

    def rows(self, path, name):
        """All rows of a list, over its pages; `done` is the caller's own."""
        cursor, joint = "", "&" if "?" in path else "?"
        while True:
            page = self.done("GET", f"{path}{joint}limit=1000{cursor}")
            yield from page[name]
            if "next" not in page:
                return
            cursor = f"&cursor={page['next']}"


class Hooks:
    """A server for webhooks on a port of its own; who derives from it says in `take` what a batch is answered with."""

    def __init__(self, host="127.0.0.1"):
        self.lock = threading.Lock()
        self.faults = []
        #: The share of batches that fail the first time: a second failure would pause the batch for half a minute.
        self.trouble = 0.0
        hooks = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                status = hooks.take(self.path, self.headers, self.rfile.read(int(self.headers["Content-Length"])))
                if status is None:
                    self.close_connection = True
                    return
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *words):
                pass

        self.http = http.server.ThreadingHTTPServer((host, 0), Handler)
        self.http.daemon_threads = True
        self.http.handle_error = lambda *_: None  # The server was killed while it spoke.
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def take(self, path, headers, body):
        """The status to answer one batch with, or None to hang up after it was taken."""
        raise NotImplementedError

    def luck(self, is_first):
        """What becomes of a batch: None, 500 or 200, the first two by `trouble`."""
        luck = self.random.random()
        if is_first and luck < self.trouble:
            return None if luck < self.trouble / 2 else 500
        return 200

    def close(self):
        self.http.shutdown()
        self.http.server_close()


def is_signed(headers, body, secrets):
    """Whether a batch is signed with one of these secrets."""
    parts = [part.split("=", 1) for part in headers["Postrider-Signature"].split(",")]
    stamp = next(value for name, value in parts if name == "t")
    wanted = {hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest() for secret in secrets}
    return not wanted.isdisjoint(value for name, value in parts if name == "v1")
