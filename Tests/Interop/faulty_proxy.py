"""An HTTP proxy in front of a server that fails on command, in the ways in which networks and proxies fail.

- `drop`: the request is carried out, and the answer is lost: the connection is closed without a byte.
- `cut`: the same after half of the answer's body.
- `reset`: the connection is reset before the request reaches the server.
- `refuse`: 503 with `Retry-After`, and a page that is not one of the server's problems.
- `gateway`: 502, without any word on when to try again.
- `busy`: 503 with the server's own problem document, which says that nothing was changed.
- `stall`: the request is carried out, and nothing is answered for `stall_seconds`.
- `page`: 200 with HTML, as a network's sign-in page is.
"""

import contextlib
import http.client
import http.server
import json
import socket
import struct
import threading
import time

PROBLEM = {"type": "urn:postrider:problem:busy", "title": "Busy", "status": 503, "detail": "too much to do", "request_id": "1"}


class FaultyProxy:
    def __init__(self, port):
        self.port = port
        #: The faults of the next requests, in order; after them all is passed on.
        self.faults = []
        self.retry_after, self.stall_seconds = "1", 3.0
        #: Of each request: method, path, idempotency key, the fault or "pass", and when it came.
        self.requests = []
        self.lock = threading.Lock()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self):
                proxy.handle(self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one

            def log_message(self, *words):
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, client_address):
                """A client that goes away is part of the test."""

        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    @contextlib.contextmanager
    def failing(self, *faults):
        """The next requests fail in these ways; what came meanwhile is in the list that it gives."""
        with self.lock:
            self.faults, self.requests = list(faults), []
        yield self.requests
        with self.lock:
            assert self.faults == [], "faults that no request met"

    def handle(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        with self.lock:
            fault = self.faults.pop(0) if self.faults else "pass"
            self.requests.append(
                (handler.command, handler.path, handler.headers.get("Idempotency-Key"), fault, time.monotonic()))
        handler.close_connection = fault != "pass"
        if fault == "reset":
            # Without lingering, closing a socket resets its connection.
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.connection.close()
        elif fault == "refuse":
            self.answer(handler, 503, [("Retry-After", self.retry_after), ("Content-Type", "text/html")], b"<h1>Later</h1>")
        elif fault == "gateway":
            self.answer(handler, 502, [("Content-Type", "text/plain")], b"bad gateway")
        elif fault == "page":
            self.answer(handler, 200, [("Content-Type", "text/html; charset=utf-8")], b"<h1>Please sign in</h1>")
        elif fault == "busy":
            headers = [("Retry-After", self.retry_after), ("Content-Type", "application/problem+json")]
            self.answer(handler, 503, headers, json.dumps(PROBLEM).encode())
        else:
            self.forward(handler, body, fault)

    def forward(self, handler, body, fault):
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        line.request(handler.command, handler.path, body or None, dict(handler.headers))
        answer = line.getresponse()
        content = answer.read()
        line.close()
        if fault == "drop":
            return handler.connection.shutdown(socket.SHUT_RDWR)
        if fault == "stall":
            time.sleep(self.stall_seconds)
            return handler.connection.shutdown(socket.SHUT_RDWR)
        headers = [(name, value) for name, value in answer.getheaders()
                   if name.lower() not in ("transfer-encoding", "connection", "content-length", "date", "server")]
        self.answer(handler, answer.status, headers, content, len(content) // 2 if fault == "cut" else None)

    @staticmethod
    def answer(handler, status, headers, content, sent=None):
        handler.send_response(status)
        for name, value in headers:
            handler.send_header(name, value)
        if status != 204:
            handler.send_header("Content-Length", str(len(content)))
        if handler.close_connection:
            handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(content[:sent])
        handler.wfile.flush()
        if sent is not None:
            handler.connection.shutdown(socket.SHUT_RDWR)
