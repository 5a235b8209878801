"""The network between nodes and database: a TCP proxy with a port for each node and each database server, which breaks on command.

A process of its own, so that what it passes on does not wait for the callers. It reads commands from standard input, a line each:

    cut node1            every connection of the node is reset
    refuse node1 5       the same, and for so many seconds every new one
    stall node1 20       nothing is passed on for so many seconds, and no connection ends: a network that drops packets
    deaf node1 20        the same for what the servers say alone: what the node asks for is done, and it does not hear of it
    down 5432            connections to the server at this port are refused, as those to a machine without a server are
    up 5432              they are passed on again
"""

import asyncio
import socket
import struct
import sys


class Wire:
    """One node's way to the database servers."""

    def __init__(self, host):
        self.host = host
        #: Whether anything is passed on, and whether what the servers say is.
        self.open, self.hears = asyncio.Event(), asyncio.Event()
        self.open.set()
        self.hears.set()
        self.refuses_until = 0.0
        self.sockets = set()
        #: By the port of a database server: our port for it, and what listens there while the server is up.
        self.listeners = {}

    async def up(self, target, port=None):
        port = port or self.listeners[target][0]
        server = await asyncio.start_server(lambda r, w: self.serve(r, w, target), self.host, port, reuse_address=True)
        self.listeners[target] = (port, server)

    def down(self, target):
        self.listeners[target][1].close()

    def cut(self):
        for writer in list(self.sockets):
            # Without lingering, closing a socket resets its connection.
            raw = writer.get_extra_info("socket")
            if raw is not None:
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()

    async def pass_on(self, reader, writer, *gates):
        try:
            while data := await reader.read(65536):
                for gate in gates:
                    await gate.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    async def serve(self, reader, writer, port):
        if asyncio.get_running_loop().time() < self.refuses_until:
            writer.transport.abort()
            return
        await self.open.wait()
        try:
            to_reader, to_writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.transport.abort()
            return
        pair = {writer, to_writer}
        self.sockets |= pair
        try:
            await asyncio.gather(self.pass_on(reader, to_writer, self.open), self.pass_on(to_reader, writer, self.open, self.hears))
        finally:
            self.sockets -= pair


async def obey(wires):
    """Reads commands until standard input ends."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := (await reader.readline()).decode().split():
        if line[0] in ("up", "down"):
            for wire in wires.values():
                if line[0] == "up":
                    await wire.up(int(line[1]))
                else:
                    wire.down(int(line[1]))
            continue
        wire = wires[line[1]]
        if line[0] in ("stall", "deaf"):
            gate = wire.open if line[0] == "stall" else wire.hears
            gate.clear()
            loop.call_later(float(line[2]), gate.set)
        else:
            if line[0] == "refuse":
                wire.refuses_until = loop.time() + float(line[2])
            wire.cut()


async def main(words):
    """The address to listen on; then, each word is NODE:PORT:TARGET."""
    wires = {}
    for word in words[1:]:
        node, port, target = word.split(":")
        await wires.setdefault(node, Wire(words[0])).up(int(target), int(port))
    print("ready", flush=True)
    await obey(wires)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
