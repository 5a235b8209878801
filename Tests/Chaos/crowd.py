"""Clients that take all connections of a database server.

Each says who it is and answers the question for its password never: so it has a place among the server's connections for as long as
the server waits for that, which is a minute.
"""

import socket
import struct

from database import DATABASE, ROLE

#: What the server keeps for superusers (3), and one.
LEFT_FREE = 4
#: More than any server here has.
MOST = 1000


class Crowd:
    """Goes away at the end of a `with`."""

    def __init__(self, server):
        self.server = server
        self.lines = []
        #: The most that it had.
        self.most = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for line in self.lines:
            line.close()

    def come(self):
        """Takes what is free, until the server refuses one, and leaves what is for superusers."""
        while len(self.lines) < MOST and self.enter():
            pass
        for _ in range(min(LEFT_FREE, len(self.lines))):
            self.lines.pop().close()
        self.most = max(self.most, len(self.lines))

    def enter(self):
        """One connection; whether the server has taken it."""
        words = b"".join(f"{word}\0".encode() for word in ("user", ROLE, "database", DATABASE)) + b"\0"
        try:
            line = socket.create_connection(("127.0.0.1", self.server.port), timeout=5)
        except OSError:
            return False
        try:
            line.sendall(struct.pack("!ii", len(words) + 8, 3 << 16) + words)
            is_taken = line.recv(1) == b"R"
        except OSError:
            is_taken = False
        if is_taken:
            self.lines.append(line)
        else:
            line.close()
        return is_taken
