"""Our APNs client against servers that are not ours: nghttpd, and PyPI's h2 behaving well and badly.

Each misbehaviour must end in an outcome that names it, within a bound.
"""

import json
import shutil
import socket
import ssl
import struct
import subprocess
import threading
import time

import h2.config
import h2.connection
import h2.events
import pytest

from conftest import command

TOKEN = "a1" * 32
SECONDS = 3


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """A server certificate for 127.0.0.1 and an APNs signing key."""
    folder = tmp_path_factory.mktemp("keys")
    run = lambda *words: subprocess.run(["openssl", *words], check=True, capture_output=True)
    run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
        str(folder / "server.key"), "-out", str(folder / "server.pem"), "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=IP:127.0.0.1")
    run("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(folder / "apns.p8"))
    return folder


def send(keys, port):
    """One push to a server on loopback; the outcome and how long it took."""
    started = time.monotonic()
    done = subprocess.run(
        [command(), "send", "--platform", "ios", "--token", TOKEN, "--topic", "com.example.app", "--key",
         str(keys / "apns.p8"), "--key-id", "ABC123DEFG", "--team", "DEF123GHIJ", "--gateway", f"127.0.0.1:{port}",
         "--ca", str(keys / "server.pem"), "--timeout", str(SECONDS)],
        input='{"title":"Hello","body":"World"}', capture_output=True, text=True, timeout=60)
    assert done.stdout, done.stderr
    return json.loads(done.stdout), done.returncode, time.monotonic() - started


class Server:
    """Accepts TLS connections on loopback and hands each to `behave(socket)` on a thread of its own."""

    def __init__(self, keys, behave, alpn=("h2",)):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(keys / "server.pem", keys / "server.key")
        if alpn:
            context.set_alpn_protocols(list(alpn))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.requests = []
        threading.Thread(target=self.accept, args=(context, behave), daemon=True).start()

    def accept(self, context, behave):
        while True:
            try:
                plain, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(context, plain, behave), daemon=True).start()

    def serve(self, context, plain, behave):
        try:
            with context.wrap_socket(plain, server_side=True) as channel:
                channel.settimeout(30)
                behave(self, channel)
        except OSError:
            pass

    def close(self):
        self.listener.close()


def speak_h2(on_request):
    """A behaviour: proper HTTP/2 up to the request, then `on_request(connection, channel, stream)`."""

    def behave(server, channel):
        connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        connection.initiate_connection()
        channel.sendall(connection.data_to_send())
        while data := channel.recv(65_536):
            for event in connection.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    server.requests.append(dict(event.headers))
                if isinstance(event, h2.events.StreamEnded):
                    on_request(connection, channel, event.stream_id)
            channel.sendall(connection.data_to_send())

    return behave


def accept(connection, channel, stream):
    connection.send_headers(stream, [(":status", "200"), ("apns-id", "123e4567-e89b-12d3-a456-426614174000")], end_stream=True)


def reset(connection, channel, stream):
    connection.reset_stream(stream, error_code=2)


def refuse(connection, channel, stream):
    connection.reset_stream(stream, error_code=7)


def say_nothing(connection, channel, stream):
    time.sleep(SECONDS + 5)


def cut(connection, channel, stream):
    # A linger of zero turns the close into a TCP reset.
    channel.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    channel.close()


def go_away_first(server, channel):
    """GOAWAY before SETTINGS, as some front ends do when they shut down."""
    debug = b'{"reason":"Shutdown"}'
    payload = struct.pack(">II", 0, 0) + debug
    channel.sendall(struct.pack(">I", len(payload))[1:] + b"\x07\x00" + struct.pack(">I", 0) + payload)
    time.sleep(1)


def silence(server, channel):
    time.sleep(SECONDS + 5)


def test_h2_accepts_our_client(keys):
    server = Server(keys, speak_h2(accept))
    outcome, status, _ = send(keys, server.port)
    server.close()
    assert outcome == {
        "line": 1, "outcome": "accepted", "status": 200, "apns_id": "123e4567-e89b-12d3-a456-426614174000"}
    assert status == 0
    headers = {name.decode() if isinstance(name, bytes) else name: value.decode() if isinstance(value, bytes) else value
               for name, value in server.requests[0].items()}
    assert headers[":method"] == "POST" and headers[":path"] == f"/3/device/{TOKEN}"
    assert headers["apns-topic"] == "com.example.app" and headers["apns-push-type"] == "alert"
    assert headers["authorization"].startswith("bearer ")


@pytest.mark.parametrize(
    "behave, alpn, reason, processing",
    [
        (silence, (), "no_http2", "not_processed"),
        (silence, ("http/1.1",), "no_http2", "not_processed"),
        (go_away_first, ("h2",), "go_away", "not_processed"),
        (silence, ("h2",), "queue_timeout", "not_processed"),
        (speak_h2(say_nothing), ("h2",), "request_timeout", "unknown"),
        (speak_h2(reset), ("h2",), "stream_reset", "unknown"),
        (speak_h2(refuse), ("h2",), "refused_stream", "not_processed"),
        (speak_h2(cut), ("h2",), "connection_lost", "unknown"),
    ],
    ids=["no ALPN", "ALPN http/1.1", "GOAWAY before SETTINGS", "silence after TLS", "silence after the request",
         "RST_STREAM", "REFUSED_STREAM", "TCP reset"],
)
def test_each_misbehaviour_has_a_name(keys, behave, alpn, reason, processing):
    server = Server(keys, behave, alpn)
    outcome, status, seconds = send(keys, server.port)
    server.close()
    assert outcome["outcome"] == "failed", outcome
    assert (outcome["reason"], outcome["processing"]) == (reason, processing), outcome
    assert outcome["detail"], outcome
    assert status == 4
    assert seconds < 40


@pytest.mark.skipif(shutil.which("nghttpd") is None, reason="nghttpd is not installed")
def test_nghttpd_answers_our_client(keys, tmp_path):
    """nghttpd serves files: a path it does not have is a 404, and our client says so."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(
        ["nghttpd", "-a", "127.0.0.1", "-d", str(tmp_path), str(port), str(keys / "server.key"), str(keys / "server.pem")],
        stdout=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        outcome, status, _ = send(keys, port)
        assert outcome["outcome"] == "rejected" and outcome["status"] == 404, outcome
        assert status == 4
    finally:
        server.terminate()
        server.wait(timeout=10)
