"""A gateway for crowds: APNs only, every push accepted, frames read by hand and headers by PyPI's `hpack`.

Several times faster than `gateway.py`, with the same log, so that a campaign keeps the server under load busy.
"""

import asyncio
import json
import logging
import re
import signal
import ssl
import sys
import time

from hpack import Decoder
from hyperframe.frame import PingFrame, SettingsFrame, WindowUpdateFrame

from evil import frame, literal
from takes import Take, TakeWriter

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
TITLE = re.compile(rb'"title":"([^"]*)"')
DATA, HEADERS, SETTINGS, PING = 0, 1, 4, 6
END_STREAM, ACK = 0x1, 0x1
WINDOW = 1 << 20


class Lean(asyncio.Protocol):
    """One connection."""

    def __init__(self, takes, name):
        self.takes, self.name = takes, name
        self.decoder, self.buffer, self.requests = Decoder(), b"", {}
        self.answers, self.consumed, self.began = bytearray(), 0, False

    def connection_made(self, transport):
        self.transport = transport
        transport.write(SettingsFrame(0, settings={3: 1000}).serialize()
                        + WindowUpdateFrame(0, window_increment=16 << 20).serialize())

    def data_received(self, data):
        buffer, at = self.buffer + data, 0
        if not self.began:
            if len(buffer) < len(PREFACE):
                self.buffer = buffer
                return
            self.began, at = True, len(PREFACE)
        while len(buffer) - at >= 9:
            length = int.from_bytes(buffer[at:at + 3], "big")
            if len(buffer) - at < 9 + length:
                break
            stream = int.from_bytes(buffer[at + 5:at + 9], "big")
            self.take(buffer[at + 3], buffer[at + 4], stream, buffer[at + 9:at + 9 + length])
            at += 9 + length
        self.buffer = buffer[at:]
        # Logged first, answered then.
        self.takes.flush()
        if self.consumed >= WINDOW:
            self.answers += WindowUpdateFrame(0, window_increment=self.consumed).serialize()
            self.consumed = 0
        if self.answers:
            self.transport.write(bytes(self.answers))
            self.answers.clear()

    def take(self, kind, flags, stream, payload):
        if kind == HEADERS:
            if flags & 0x20:  # PRIORITY
                payload = payload[5:]
            self.requests[stream] = [dict(self.decoder.decode(payload)), b""]
        elif kind == DATA:
            self.consumed += len(payload)
            self.requests[stream][1] += payload
            if flags & END_STREAM:
                self.accept(stream, *self.requests.pop(stream))
        elif kind == SETTINGS and not flags & ACK:
            self.answers += SettingsFrame(0, flags=["ACK"]).serialize()
        elif kind == PING and not flags & ACK:
            self.answers += PingFrame(0, payload, flags=["ACK"]).serialize()

    def accept(self, stream, headers, body):
        title, apns_id = TITLE.search(body), headers.get("apns-id", "")
        token = headers[":path"].rsplit("/", 1)[1].lower()
        marker = title[1].decode() if title else ""
        self.takes.add(Take(time.time_ns(), "apns", self.name, marker, token, apns_id, "", 200, "", ""))
        self.answers += frame(HEADERS, 0x4 | END_STREAM, stream, b"\x88" + literal(b"apns-id", apns_id.encode()))


async def serve(settings):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(settings["certificate"], settings["key"])
    context.set_alpn_protocols(["h2"])
    takes, loop = TakeWriter(settings["log"]), asyncio.get_running_loop()
    port = settings["ports"]["apns"]
    await loop.create_server(lambda: Lean(takes, settings["name"]), "127.0.0.1", port, ssl=context, backlog=128)
    print("ready", flush=True)
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.readline():
        pass
    loop.stop()


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    if line := sys.stdin.readline():
        try:
            asyncio.new_event_loop().run_until_complete(serve(json.loads(line)))
        except RuntimeError:
            pass


if __name__ == "__main__":
    main()
