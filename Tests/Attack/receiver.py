"""A webhook receiver that remembers every batch, and now and then refuses one or hangs up after taking it."""

import collections
import hashlib
import hmac
import http.server
import json
import random
import threading


class Receiver:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        self.batches = {}  # (webhook path, batch id) → body
        self.times = collections.Counter()
        self.secrets = collections.defaultdict(list)  # webhook path → every secret it was ever given
        self.rotating = set()  # webhook paths whose next secret is on its way
        self.faults = []
        self.trouble = 0.0  # share of deliveries that fail
        self.hanging = threading.Event()
        self.released = threading.Event()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if receiver.hanging.is_set():
                    receiver.released.wait(60)
                    self.close_connection = True
                    return
                status = receiver.take(self.path, self.headers, body)
                if status is None:
                    self.close_connection = True
                    return
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *words):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.handle_error = lambda *_: None  # The server was killed while it spoke.
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def take(self, path, headers, body):
        """Checks and remembers one batch; the status to answer, or None to hang up."""
        with self.lock:
            number = headers["Postrider-Batch"]
            self.check_signature(path, headers, body)
            known = self.batches.setdefault((path, number), body)
            if known != body:
                self.faults.append(f"webhook {path}: batch {number} came with two contents")
            self.times[path, number] += 1
            luck = self.random.random()
            is_first = self.times[path, number] == 1
        # A second failure would pause the batch for half a minute, which nobody waits for.
        if is_first and luck < self.trouble:
            return None if luck < self.trouble / 2 else 500
        return 200

    def check_signature(self, path, headers, body):
        parts = [part.split("=", 1) for part in headers["Postrider-Signature"].split(",")]
        stamp = next(value for name, value in parts if name == "t")
        wanted = {hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
                  for secret in self.secrets[path]}
        if path not in self.rotating and wanted.isdisjoint(value for name, value in parts if name == "v1"):
            self.faults.append(f"webhook {path}: batch {headers['Postrider-Batch']} is not signed with its secret")

    def notices(self, path):
        """Every notice once for each batch it came in: (batch, push, notice)."""
        with self.lock:
            found = [(number, json.loads(body)) for (at, number), body in self.batches.items() if at == path]
        for number, batch in found:
            for notice in batch["notices"]:
                yield number, batch["push"], notice

    def close(self):
        self.released.set()
        self.http.shutdown()
        self.http.server_close()
