"""Requests to the API, one connection for each thread, patient with a server that dies and comes back."""

import json
import time

from shared import Caller, Gone


class Client(Caller):
    def __init__(self, server, seconds=30):
        super().__init__(seconds)
        self.server = server

    def ask(self, method, path, body=None, headers=(), key=None):
        """Status and answer of one request that is sent once."""
        origin = self.server.url
        if origin is None:
            raise Gone("the server is away")
        answer, content = self.exchange(
            origin, method, path, body, {"Authorization": f"Bearer {key or self.server.key}", **dict(headers)})
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
