"""Requests through HAProxy, one connection for each thread, repeated as an application would."""

import json
import threading
import time

from shared import Caller, Gone

# Answers by HAProxy or a node that leave the request to be repeated; 409 while the same key's request is under way.
AGAIN = (429, 502, 503, 504)


class Client(Caller):
    def __init__(self, origin, key, seconds=120):
        super().__init__(seconds)
        self.origin, self.key = origin, key
        self.lock = threading.Lock()
        #: The longest request: how many seconds it took, and which it was.
        self.slowest = (0.0, "")
        #: How often a request was answered 503, and the longest of these.
        self.busy, self.busy_slowest = 0, 0.0

    def ask(self, method, path, body=None, headers=()):
        """Status and content of one request that is sent once."""
        kind = {"Content-Type": "application/json"} if body is not None else {}
        begun, said = time.monotonic(), "no answer"
        try:
            answer, content = self.exchange(
                self.origin, method, path, body, {"Authorization": f"Bearer {self.key}", **kind, **dict(headers)})
            said = answer.status
            return answer.status, content
        finally:
            self.note(time.monotonic() - begun, f"{method} {path}: {said}", said == 503)

    def note(self, took, what, is_busy):
        with self.lock:
            self.slowest = max(self.slowest, (took, what))
            if is_busy:
                self.busy += 1
                self.busy_slowest = max(self.busy_slowest, took)

    def persist(self, method, path, body=None, headers=(), seconds=180, again=AGAIN):
        """Repeats until an answer that is not one of `again`; returns status, document and how often it was sent."""
        end, sent = time.monotonic() + seconds, 0
        while True:
            sent += 1
            try:
                status, content = self.ask(method, path, body, headers)
                if status not in again:
                    return status, document(content), sent
                last = f"{status} {content[:200]!r}"
            except Gone as error:
                last = str(error)
            if time.monotonic() > end:
                raise TimeoutError(f"{method} {path}: for {seconds} s no answer but {last}")
            time.sleep(0.1)

    def done(self, method, path, body=None, **more):
        """The document of a request that has to succeed in the end."""
        status, found, _ = self.persist(method, path, body, **more)
        if status >= 300:
            raise AssertionError(f"{method} {path}: {status} {found}")
        return found

    def lines(self, path):
        """The documents of an export."""
        status, content, _ = self.persist("GET", path)
        if status >= 300:
            raise AssertionError(f"GET {path}: {status} {content}")
        return content if isinstance(content, list) else [content] if content else []


def document(content):
    """What an answer holds: a JSON document, or one for each line."""
    if not content:
        return None
    try:
        return json.loads(content)
    except ValueError:
        pass
    try:
        # All at once: it is faster, and the rows share the names of their members.
        return json.loads(b"[" + b",".join(line for line in content.splitlines() if line) + b"]")
    except ValueError:
        return content.decode(errors="replace")
