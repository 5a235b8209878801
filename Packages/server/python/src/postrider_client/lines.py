"""Files and streams: NDJSON, CSV and server-sent events, line by line."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from .models.register_device_body import RegisterDeviceBody

#: What an import takes: a whole file, an open file, or registrations.
Devices = bytes | BinaryIO | Iterable[RegisterDeviceBody | Mapping[str, Any]]
CHUNK = 65536


class Lines:
    """Splits bytes at line feeds only: JSON may contain characters that `str.splitlines` takes for the end of a line."""

    def __init__(self) -> None:
        self.rest = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        return lines


def lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    buffer = Lines()
    for chunk in chunks:
        yield from buffer.feed(chunk)
    if buffer.rest:
        yield buffer.rest


async def async_lines(chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    buffer = Lines()
    async for chunk in chunks:
        for line in buffer.feed(chunk):
            yield line
    if buffer.rest:
        yield buffer.rest


def data_of(line: bytes) -> Any:
    """The JSON of a `data` line of server-sent events; None of other lines. Postrider writes an event's data in one line."""
    return json.loads(line[5:]) if line.startswith(b"data:") else None


def upload(devices: Devices) -> bytes | Iterator[bytes]:
    """The body of an import; only bytes can be sent again."""
    return devices if isinstance(devices, bytes) else chunks_of(devices)


def chunks_of(devices: BinaryIO | Iterable[RegisterDeviceBody | Mapping[str, Any]]) -> Iterator[bytes]:
    if hasattr(devices, "read"):
        while chunk := devices.read(CHUNK):
            yield chunk
        return
    piece = bytearray()
    for device in devices:
        members = device if isinstance(device, Mapping) else device.to_dict()
        piece += json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        if len(piece) >= CHUNK:
            yield bytes(piece)
            piece.clear()
    if piece:
        yield bytes(piece)


async def async_upload(chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk
