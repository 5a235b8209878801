"""Gateways that break the protocol, each kind on a port of its own, in a process of their own.

A kind is a class with one way to misbehave until it is mended; then all behave as the gateway of `gateway.py` does, whose log
and shapes they share. What such a gateway takes and answers is in its log, as there.
"""

import asyncio
import json
import logging
import os
import random
import signal
import socket
import ssl
import struct
import sys

from hyperframe.frame import (ContinuationFrame, DataFrame, GoAwayFrame, HeadersFrame, PingFrame, PriorityFrame,
                              PushPromiseFrame, RstStreamFrame, SettingsFrame)

import gateway
from gateway import Answer, Conversation, Gateway
from takes import NO_ANSWER


class Raw(asyncio.Protocol):
    """TLS as agreed, and then whatever `attack` writes instead of HTTP/2; nothing is ever taken."""

    def __init__(self, shared, loop):
        self.shared, self.loop = shared, loop
        self.streams, self.buffer, self.ended = [], b"", False

    def connection_made(self, transport):
        self.transport = transport
        self.shared.connections += 1
        self.opened()

    def connection_lost(self, error):
        self.ended = True

    def data_received(self, data):
        self.buffer += data
        if self.buffer.startswith(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
            self.buffer = self.buffer[24:]
        while len(self.buffer) >= 9:
            length = int.from_bytes(self.buffer[:3], "big")
            if len(self.buffer) < 9 + length:
                break
            if self.buffer[3] == 1:  # HEADERS
                self.streams.append(int.from_bytes(self.buffer[5:9], "big") & 0x7FFF_FFFF)
                self.request(self.streams[-1])
            self.buffer = self.buffer[9 + length:]

    def opened(self):
        self.write(SettingsFrame(0, settings={3: 1000}))

    def request(self, stream):
        """A request began."""

    def write(self, *frames):
        if not self.ended and not self.transport.is_closing():
            self.transport.write(b"".join(one if isinstance(one, bytes) else one.serialize() for one in frames))


def frame(kind, flags, stream, payload):
    """A frame that no library would write."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def headers(stream, block, end=True):
    """A HEADERS frame with this block, as it is."""
    return frame(1, 0x4 | (0x1 if end else 0), stream, block)


def literal(name, value):
    """A field of a header block, without compression."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


OK = b"\x88"  # :status 200 of the static table

BREACHES = [
    lambda s: headers(s, OK + literal(b"x-bad", b"a\x00b")),
    lambda s: headers(s, OK + literal(b"x-bad", b"a\nb")),
    lambda s: headers(s, OK + literal(b"X-Upper", b"a")),
    lambda s: headers(s, OK + literal(b"connection", b"close")),
    lambda s: headers(s, OK + OK),
    lambda s: headers(s, literal(b":status", b"20x")),
    lambda s: headers(s, literal(b"x-only", b"no status")),
    lambda s: headers(s, OK + literal(b":late", b"pseudo")),
    lambda s: headers(s, b"\xff\xff\xff\xff\xff\x0f"),
    lambda s: headers(s, OK + literal(b"content-length", b"10")),
    lambda s: DataFrame(0, b"x").serialize(),
    lambda s: DataFrame(s, b"before headers", flags=["END_STREAM"]).serialize(),
    lambda s: headers(s, OK, end=False) + frame(0, 0x8, s, b"\xff"),
    lambda s: ContinuationFrame(s, b"x", flags=["END_HEADERS"]).serialize(),
    lambda s: HeadersFrame(s, OK).serialize() + PingFrame(0, b"12345678").serialize(),
    lambda s: PushPromiseFrame(s, 2, OK, flags=["END_HEADERS"]).serialize(),
    lambda s: frame(3, 0, 0, b"\0\0\0\1"),
    lambda s: frame(3, 0, s + 1000, b"\0\0\0\1"),
    lambda s: frame(3, 0, s, b"\0\0"),
    lambda s: frame(4, 0, 0, b"12345"),
    lambda s: frame(4, 0, s, b""),
    lambda s: frame(4, 1, 0, b"123456"),
    lambda s: frame(6, 0, 0, b"1234"),
    lambda s: frame(6, 0, s, b"12345678"),
    lambda s: frame(7, 0, 0, b"1234"),
    lambda s: frame(7, 0, s, b"12345678"),
    lambda s: frame(8, 0, 0, b"\0\0\0\0"),
    lambda s: frame(8, 0, s, b"\0\0\0\0"),
    lambda s: frame(8, 0, 0, b"\x7f\xff\xff\xff"),
    lambda s: frame(4, 0, 0, struct.pack(">HI", 4, 0x8000_0000)),
    lambda s: frame(4, 0, 0, struct.pack(">HI", 5, 1)),
    lambda s: frame(4, 0, 0, struct.pack(">HI", 2, 7)),
    lambda s: frame(0, 0, s, b"x" * 16_385),
    lambda s: headers(2, OK),
    lambda s: b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
    lambda s: bytes(random.Random(s).randrange(256) for _ in range(200)),
]


class GoAwayLoop(Raw):
    def opened(self):
        self.write(SettingsFrame(0), GoAwayFrame(0, last_stream_id=0))


class ResetAll(Raw):
    def request(self, stream):
        self.write(RstStreamFrame(stream, error_code=2))


class RefuseAll(Raw):
    def request(self, stream):
        self.write(RstStreamFrame(stream, error_code=7))


class Flood(Raw):
    """SETTINGS, PRIORITY, ALTSVC and frames of unknown kinds, as fast as they are read, and never an answer."""

    def opened(self):
        super().opened()
        self.pour(self.shared.connections)

    def pour(self, number):
        if self.ended:
            return
        if self.transport.get_write_buffer_size() < 65_536:
            kinds = [SettingsFrame(0, settings={3: 1000}), PriorityFrame(1, depends_on=0, stream_weight=1, exclusive=False),
                     frame(10, 0, 0, b"\0\0x"), frame(0xEE, 0, 0, b"unknown"), PingFrame(0, b"12345678")]
            self.write(*[kinds[number % len(kinds)]] * 500)
        self.loop.call_later(0.05, self.pour, number)


class Silence(Raw):
    def opened(self):
        pass


class Mute(Raw):
    """Settings, and then nothing."""


class NoWindow(Raw):
    def opened(self):
        self.write(SettingsFrame(0, settings={3: 1000, 4: 0}))


class HangUp(Raw):
    def request(self, stream):
        abort(self.transport)


class NoStreams(Raw):
    """Allows not a single stream."""

    def opened(self):
        self.write(SettingsFrame(0, settings={3: 0}))


def abort(transport):
    """A TCP reset instead of a close."""
    plain = transport.get_extra_info("socket")
    if plain is not None:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


RAW = {"goaway-loop": GoAwayLoop, "reset-all": ResetAll, "refuse-all": RefuseAll, "flood": Flood, "tls-silence": Silence,
       "mute": Mute, "no-window": NoWindow, "hang-up": HangUp, "no-streams": NoStreams}


class Plain(asyncio.Protocol):
    """Below TLS."""

    def __init__(self, kind):
        self.kind = kind

    def connection_made(self, transport):
        self.transport = transport
        if self.kind == "tcp-reset":
            abort(transport)
        elif self.kind == "tls-garbage":
            transport.write(os.urandom(600))
        # tcp-silence: nothing at all


PLAIN = ("tcp-reset", "tls-garbage", "tcp-silence")


BREACH_KINDS = tuple(f"breach-{number}" for number in range(len(BREACHES)))
# A breach in so many requests; the others are answered, so that many are on the connection when it comes.
BREACH_EVERY = 40


class Strange(Gateway):
    """Proper HTTP/2, strange answers; what it answers is logged."""

    kind = ""
    answers = 0

    def judge(self, provider, headers, body):
        if headers[":path"] == "/token" and self.kind.startswith("token-") and not self.mended:
            return self.token_answer(self.kind.removeprefix("token-"))
        return super().judge(provider, headers, body)

    def token_answer(self, kind):
        html = b"<html><body>Service trouble</body></html>"
        if kind.isdigit():
            extra = [("location", "https://127.0.0.1:1/token")] if kind == "302" else []
            return Answer(int(kind), extra, html)
        return {
            "html": Answer(200, [("content-type", "text/html")], html),
            "reset": Answer(NO_ANSWER, act="reset"),
            "goaway": Answer(NO_ANSWER, act="hang up"),
            "silence": Answer(200, [], b"{}", delay=3_600),
            "wrong": Answer(200, [("content-type", "application/json")], b'{"access_token": 7, "expires_in": "x"}'),
            "grant": Answer(400, [("content-type", "application/json")], b'{"error": "invalid_grant"}'),
        }[kind]

    def answer(self, provider, marker, token, apns_id, key):
        if self.mended:
            return super().answer(provider, marker, token, apns_id, key)
        if self.kind in BREACH_KINDS:
            return self.breach(apns_id)
        if self.kind == "slow":
            return Answer(200, [("apns-id", apns_id)], delay=5), "", ""
        if self.kind == "all-5xx":
            status, reason = gateway.REFUSALS[gateway.TROUBLE][provider]
            return Answer(status, [], gateway.refusal(provider, status, reason)), reason, ""
        if self.kind == "lies":
            return self.lie(token), "", ""
        return super().answer(provider, marker, token, apns_id, key)

    def breach(self, apns_id):
        """Accepts, and now and then commits its breach of RFC 9113 instead of an answer to what it took."""
        self.answers += 1
        if self.answers % BREACH_EVERY:
            return Answer(200, [("apns-id", apns_id)], delay=0.02), "", ""
        commit = BREACHES[BREACH_KINDS.index(self.kind)]
        return Answer(NO_ANSWER, act=lambda conversation, stream: conversation.transport.write(commit(stream))), self.kind, ""

    def lie(self, token):
        """Statuses and bodies that do not belong together."""
        lies = [
            Answer(503, [], b"<html>" + b"x" * 60_000), Answer(429, [("retry-after", "soon")], b""),
            Answer(503, [("retry-after", "99999999999999999999")], b"{}"),
            Answer(500, [], b'{"reason": ["Unregistered"]}'), Answer(502, [], b'{"reason":"' + b"A" * 20_000),
            Answer(503, [], b'{"error":{"code":"x","details":[{"@type":1}]}}'), Answer(429, [], b'{"timestamp": 1e999}'),
        ]
        return lies[int(token[4:6], 16) % len(lies)]


STRANGE = ("slow", "all-5xx", "lies", *BREACH_KINDS)
TOKEN_KINDS = tuple(f"token-{kind}" for kind in (
    "503", "500", "429", "408", "302", "html", "reset", "goaway", "silence", "wrong", "grant"))
# Nobody listens: the port stays closed.
CLOSED = "closed"
GATEWAY_KINDS = (CLOSED, *PLAIN, *RAW, *STRANGE)
# Who never answers, and before whom thousands can wait.
DEAD_KINDS = (CLOSED, *PLAIN, "tls-silence", "mute", "no-window", "no-streams", "slow")


class Shared:
    """What the connections to one port have in common."""

    connections = 0


async def serve(settings):
    loop = asyncio.get_running_loop()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(settings["certificate"], settings["key"])
    context.set_alpn_protocols(["h2"])
    gateways = []
    servers = {}
    for kind, port in settings["kinds"].items():
        strange = Strange({"name": kind, "log": settings["log"]})
        strange.kind = kind
        gateways.append(strange)
        provider = "fcm" if kind.startswith("token-") else "apns"
        proper = lambda strange=strange, provider=provider: Conversation(strange, provider, loop)  # noqa: E731
        if kind in RAW:
            shared = Shared()
            evil = lambda kind=kind, shared=shared: RAW[kind](shared, loop)  # noqa: E731
        else:
            evil = (lambda kind=kind: Plain(kind)) if kind in PLAIN else proper  # noqa: E731
        tls = None if kind in PLAIN else context
        if kind != CLOSED:
            servers[kind] = await loop.create_server(evil, "127.0.0.1", port, ssl=tls, backlog=256)
        servers[kind, "proper"] = (proper, port)
    print("ready", flush=True)
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.readline():
        # Mended: every kind from now on is a proper gateway on the same port.
        for strange in gateways:
            strange.mended = True
        for kind in [kind for kind in servers if isinstance(kind, str) and (kind in RAW or kind in PLAIN)]:
            servers.pop(kind).close()
        for kind in settings["kinds"]:
            if kind in RAW or kind in PLAIN or kind == CLOSED:
                proper, port = servers[kind, "proper"]
                servers[kind] = await loop.create_server(proper, "127.0.0.1", port, ssl=context, backlog=256)
        print("mended", flush=True)
    loop.stop()


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    line = sys.stdin.readline()
    if not line:
        return
    try:
        asyncio.new_event_loop().run_until_complete(serve(json.loads(line)))
    except RuntimeError:
        pass


if __name__ == "__main__":
    main()
