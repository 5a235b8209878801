"""Requests to the API, one connection for each thread, patient with a server that dies and comes back."""

import http.client
import json
import threading
import time


class Gone(Exception):
    """No answer: the connection was refused or lost, or the server is away. Whether it acted, nobody knows."""


class Client:
    def __init__(self, server, seconds=30):
        self.server, self.seconds = server, seconds
        self.local = threading.local()

    def connection(self):
        url = self.server.url
        if url is None:
            raise Gone("the server is away")
        # The server closes a connection that is idle for a minute.
        now = time.monotonic()
        idle, self.local.used = now - getattr(self.local, "used", now), now
        if getattr(self.local, "url", None) != url or idle > 30:
            self.local.url = url
            self.local.connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=self.seconds)
        return self.local.connection

    def ask(self, method, path, body=None, headers=(), key=None):
        """Status and answer of one request that is sent once."""
        connection = self.connection()
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        try:
            connection.request(method, path, data, {"Authorization": f"Bearer {key or self.server.key}", **dict(headers)})
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            self.local.url = None
            raise Gone(f"{type(error).__name__}: {error}") from error
        is_json = "json" in answer.headers.get("Content-Type", "") and "ndjson" not in answer.headers["Content-Type"]
        return answer.status, json.loads(content) if is_json and content else content

    def done(self, method, path, body=None, **more):
        """The answer of a request that must succeed; one that only reads may have to wait until the server can."""
        if method == "GET":
            status, answer, _ = self.persist(method, path, seconds=30)
        else:
            status, answer = self.ask(method, path, body, **more)
        if status >= 300:
            raise AssertionError(f"{method} {path}: {status} {answer}")
        return answer

    def persist(self, method, path, body=None, headers=(), seconds=90):
        """Repeats until there is an answer that is not 503; returns status, answer and how often it was sent."""
        deadline = time.monotonic() + seconds
        sent = 0
        while True:
            try:
                if self.server.url is not None:
                    sent += 1
                status, answer = self.ask(method, path, body, headers)
                if status != 503:
                    return status, answer, sent
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{method} {path}: 503 for {seconds} s: {answer}")
                time.sleep(0.1)
            except Gone:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def rows(self, path, name):
        """All rows of a list, over its pages."""
        cursor, joint = "", "&" if "?" in path else "?"
        while True:
            page = self.done("GET", f"{path}{joint}limit=1000{cursor}")
            yield from page[name]
            if "next" not in page:
                return
            cursor = f"&cursor={page['next']}"
