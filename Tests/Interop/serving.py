"""A server of its own for a test: `postrider serve` on a fresh data folder, spoken to over kept connections.

Unlike a client library, `ask` sends what it is given: any method, any header, any bytes of a path.
"""

import http.client
import json
import os
import pathlib
import re
import select
import signal
import sqlite3
import subprocess
import threading
import time

from conftest import command

TOPIC = "com.example.app"


class Answer:
    """Status, headers and body of one answer."""

    def __init__(self, status, headers, content):
        self.status, self.headers, self.content = status, headers, content

    @property
    def json(self):
        return json.loads(self.content)

    @property
    def whole(self):
        """Everything that the client was given, for searching."""
        return "".join(f"{name}: {value}\n" for name, value in self.headers.items()).encode() + b"\n" + self.content

    def __repr__(self):
        return f"{self.status} {self.content[:300]!r}"


class Server:
    """A running server; `said` is its standard output, `log` what it wrote to standard error."""

    def __init__(self, folder, *options, environment=None, prefix=()):
        self.folder, self.data = pathlib.Path(folder), pathlib.Path(folder) / "data"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.arguments = [command(), "serve", "--data", str(self.data), "--port", "0", *options]
        self.log_path = self.folder / "log"
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [*prefix, *self.arguments], stdout=subprocess.PIPE, stderr=log, env={**os.environ, **(environment or {})})
        self.said = ""
        wanted = "Ctrl-C stops" if "--demo" in options else "postrider listens on http://"
        first = not (self.data / "sealing.key").exists() or "--demo" in options
        end = time.monotonic() + 120
        while wanted.lower() not in self.said.lower() or (first and "prk_" not in self.said):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            text = os.read(self.process.stdout.fileno(), 65536).decode() if ready else ""
            assert text, f"the server did not start: {self.said} {self.log_path.read_text()}"
            self.said += text
            if not first and re.search(r"http://[0-9.]+:[0-9]+\n", self.said):
                break
        self.port = int(re.search(r"http://127\.0\.0\.1:([0-9]+)", self.said)[1])
        self.origin = f"http://127.0.0.1:{self.port}"
        found = re.search(r"prk_[A-Za-z0-9_-]{43}", self.said)
        self.key = found[0] if found else None
        self.requests = 0
        self.kept = threading.local()

    @property
    def log(self):
        return self.log_path.read_bytes()

    def ask(self, method, path, body=None, key="admin", headers=(), content_type="application/json"):
        """One request; `key` is a key's text, "admin" for the first key, None for none."""
        content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        sent = []
        if key is not None:
            sent.append(("Authorization", f"Bearer {self.key if key == 'admin' else key}"))
        if content is not None:
            sent.append(("Content-Type", content_type))
        sent += list(headers)
        for attempt in range(2):
            line = getattr(self.kept, "line", None)
            if line is None:
                line = self.kept.line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                # The tests send what a client library would refuse.
                line._validate_path = lambda url: None
            try:
                line.putrequest(method, path, skip_accept_encoding=True)
                for name, value in sent:
                    line.putheader(name, value)
                if content is not None:
                    line.putheader("Content-Length", str(len(content)))
                line.endheaders(content)
                answer = line.getresponse()
                result = Answer(answer.status, answer.headers, answer.read())
                self.requests += 1
                return result
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                # A connection that the server closed between two requests; the second attempt has a fresh one.
                self.kept.line = None
                if attempt == 1 or self.process.poll() is not None:
                    raise

    def done(self, method, path, body=None, **more):
        answer = self.ask(method, path, body, **more)
        assert answer.status < 300, (method, path, answer)
        return answer.json if answer.content else None

    def rows(self, leaving_out=()):
        """Every row of the database, by table; `leaving_out` names columns, as `table.column`."""
        database = sqlite3.connect(f"file:{self.database()}?mode=ro", uri=True, timeout=30)
        try:
            tables = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            shown = {}
            for table in tables:
                columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
                columns = [name for name in columns if f"{table}.{name}" not in leaving_out]
                if not columns:
                    continue
                names = ", ".join(f'"{name}"' for name in columns)
                shown[table] = sorted(database.execute(f'SELECT {names} FROM "{table}"'), key=repr)
            return shown
        finally:
            database.close()

    def database(self):
        return next(path for path in self.data.iterdir() if path.read_bytes()[:15] == b"SQLite format 3")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            assert self.process.wait(timeout=60) == 0
        self.process.stdout.close()


def credentials(running):
    """APNs and FCM credentials that lead to the emulator."""
    authority = (running.folder / "ca.pem").read_text()
    gateway = lambda port: {"host": "127.0.0.1", "port": port, "ca": authority}  # noqa: E731
    return {
        "apns": {"topic": TOPIC, "key": (running.folder / "apns-key.p8").read_text(), "key_id": "EMULATEKEY",
                 "team_id": "EMULATETEA", "gateway": gateway(running.apns_port)},
        "fcm": {"service_account": json.loads((running.folder / "service-account.json").read_text()),
                "gateway": gateway(running.fcm_port)},
    }


def wait(condition, what, seconds=60):
    """Waits until a condition holds and returns its value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.02)
    return value
