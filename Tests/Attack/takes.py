"""The gateway's own log: one line for each request that it took, written before the answer is sent.

A `write` of a whole line survives `kill -9` of the gateway, so what is missing here was never answered. Only a power cut
could lose it, and nobody cuts the power. A line that the kill cut off is taken out by the next life: it was not answered.
"""

import collections
import os
from typing import NamedTuple


class Take(NamedTuple):
    """One request as the gateway took it, and what it was about to answer."""

    at: int  # nanoseconds since 1970
    provider: str  # apns or fcm
    gateway: str  # which gateway, and which life of it
    marker: str  # the title of the message, by which a push is known
    token: str
    apns_id: str
    key: str  # the provider token's key id, or the access token
    status: int  # 200; a refusal; NO_ANSWER; NOT_PROCESSED
    reason: str
    name: str  # FCM's name of the message


# More bytes than a line has.
LINE_MAX = 65_536
# The request was taken and no answer followed: nobody but this log knows.
NO_ANSWER = 0
# Refused with REFUSED_STREAM or beyond a GOAWAY's last stream: the protocol says that it was not processed.
NOT_PROCESSED = -1


class TakeWriter:
    """Appends lines; the caller sends no answer before `flush` has returned."""

    def __init__(self, path):
        self.file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        self.lines = []
        self.end_last_line()

    def end_last_line(self):
        size = os.fstat(self.file).st_size
        tail = os.pread(self.file, LINE_MAX, max(size - LINE_MAX, 0))
        os.ftruncate(self.file, size - len(tail) + tail.rfind(b"\n") + 1)

    def add(self, take):
        self.lines.append("\t".join(map(str, take)))

    def flush(self):
        if self.lines:
            data = ("\n".join(self.lines) + "\n").encode()
            self.lines.clear()
            while data:
                data = data[os.write(self.file, data):]


class TakeLog:
    """Reads one or several logs while they grow."""

    def __init__(self, *paths):
        self.paths = list(paths)
        self.offsets = collections.Counter()
        self.by_address = collections.defaultdict(list)  # (marker, token) → takes in their order
        self.count = 0

    def refresh(self):
        """Reads what was added since; a last line without its end is read next time."""
        for path in self.paths:
            if not os.path.exists(path):
                continue
            with open(path, "rb") as file:
                file.seek(self.offsets[path])
                data = file.read()
            end = data.rfind(b"\n") + 1
            self.offsets[path] += end
            for line in data[:end].decode().splitlines():
                parts = line.split("\t")
                take = Take(int(parts[0]), *parts[1:7], int(parts[7]), *parts[8:])
                self.by_address[take.marker, take.token].append(take)
                self.count += 1
        return self
