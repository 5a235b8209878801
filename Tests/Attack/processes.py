"""Starting, killing and restarting the two programs: the server under attack and the independent gateway."""

import contextlib
import json
import os
import pathlib
import random
import re
import select
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STARTED = re.compile(rb"Postrider listens on (http://[0-9.:]+)")
KEY = re.compile(rb"prk_[A-Za-z0-9_-]+")


def command():
    """The built program: POSTRIDER, or the release or debug build of this checkout."""
    named = os.environ.get("POSTRIDER")
    for path in [pathlib.Path(named)] if named else [ROOT / ".build" / kind / "postrider" for kind in ("release", "debug")]:
        if path.exists():
            return str(path)
    sys.exit("the program is not built; run: swift build -c release --product postrider")


def free_ports(count):
    """Ports that are free now, below those that the system hands out: nobody takes one while a gateway is dead."""
    sockets = []
    while len(sockets) < count:
        try:
            sockets.append(socket.create_server(("127.0.0.1", random.randrange(10_000, 32_000))))
        except OSError:
            continue
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class StartFailed(Exception):
    """The server ended, or said nothing in time."""


class Server:
    """`postrider serve` on one data folder, through all its lives."""

    def __init__(self, folder, wrapper=(), environment=None, options=()):
        self.folder = pathlib.Path(folder)
        self.data = self.folder / "data"
        self.wrapper, self.options = list(wrapper), list(options)
        self.environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", **(environment or {})}
        self.key, self.url, self.process, self.lives = None, None, None, 0
        self.log_path = self.folder / "server.log"

    def spawn(self):
        """Starts a life without waiting for it."""
        self.lives += 1
        self.url = None
        self.log = open(self.log_path, "ab")
        self.process = subprocess.Popen(
            [*self.wrapper, command(), "serve", "--data", str(self.data), "--port", "0", "--allow-private-webhooks",
             *self.options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, env=self.environment)
        self.hello = b""

    def ready(self, seconds=60):
        """Waits until it listens."""
        deadline = time.monotonic() + seconds
        while True:
            found = STARTED.search(self.hello)
            if found and (self.key or KEY.search(self.hello)):
                self.url = found[1].decode()
                self.key = self.key or KEY.search(self.hello)[0].decode()
                return self
            left = deadline - time.monotonic()
            readable = select.select([self.process.stdout], [], [], max(left, 0))[0]
            data = os.read(self.process.stdout.fileno(), 65_536) if readable else b""
            if not data:
                why = f"it said nothing for {seconds} s" if not readable else f"it ended with {self.process.wait(10)}"
                raise StartFailed(f"{why}: {self.tail()}")
            self.hello += data

    def start(self, seconds=60):
        self.spawn()
        return self.ready(seconds)

    def kill(self):
        """SIGKILL; returns whether it had already ended by itself, which it never should."""
        ended = self.process.poll()
        self.process.kill()
        self.process.wait()
        self.forget()
        return ended

    def stop(self, seconds=60):
        """SIGTERM; returns the exit status, or None when it did not end in time and was killed."""
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = None
        self.forget()
        return status

    @contextlib.contextmanager
    def frozen(self, seconds=10):
        """Stopped where it is, with no call into the kernel under way."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            deadline = time.monotonic() + seconds
            while any(state != "T" for state in self.thread_states()):
                if time.monotonic() > deadline:
                    raise TimeoutError(f"the server is not stopped after {seconds} s")
                time.sleep(0.001)
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def thread_states(self):
        """One letter for each thread, as in `ps`."""
        for path in pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/stat"):
            with contextlib.suppress(OSError):  # a thread that has ended since
                yield path.read_text().rsplit(")", 1)[1].split()[0]

    def forget(self):
        self.url = None
        self.process.stdout.close()
        self.log.close()

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def peak_bytes(self):
        """The most memory that this life has had in use."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024

    def written_bytes(self):
        """What this life has sent to the disk."""
        text = pathlib.Path(f"/proc/{self.process.pid}/io").read_text()
        return int(text.split("\nwrite_bytes:")[1].split()[0])

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def tail(self):
        """What it said last."""
        lines = self.log_path.read_bytes().splitlines() if self.log_path.exists() else []
        return lines[-1][-600:].decode(errors="replace") if lines else "it wrote nothing"


class GatewayProcess:
    """The independent gateway through all its lives; a spare process waits, so that a new life begins at once."""

    def __init__(self, folder, identity, name="g", providers=("apns", "fcm"), program="gateway.py", **settings):
        self.folder, self.program = pathlib.Path(folder), program
        self.ports = dict(zip(providers, free_ports(len(providers))))
        self.log = str(self.folder / f"takes-{name}.tsv")
        self.name, self.lives, self.settings = name, 0, settings
        self.identity = identity
        self.process = None
        self.spare = self.prepare()

    def prepare(self):
        return subprocess.Popen([sys.executable, str(HERE / self.program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def start(self):
        self.process, self.spare = self.spare, self.prepare()
        self.lives += 1
        self.tell({
            "name": f"{self.name}{self.lives}", "log": self.log, "certificate": str(self.identity.certificate),
            "key": str(self.identity.certificate_key), "ports": self.ports, **self.settings})
        if not select.select([self.process.stdout], [], [], 60)[0] or self.process.stdout.readline() != b"ready\n":
            raise StartFailed(f"the gateway {self.name} did not start")
        return self

    def tell(self, order):
        self.process.stdin.write(json.dumps(order).encode() + b"\n")
        self.process.stdin.flush()

    def change(self, **settings):
        """Changes how it behaves, in this life and in those to come."""
        self.settings.update(settings)
        self.tell(settings)

    def kill(self):
        if self.process:
            close(self.process)
            self.process = None

    def close(self):
        self.kill()
        close(self.spare)

    def complaints(self):
        """What `h2` had to say about the client's protocol."""
        path = pathlib.Path(self.log + ".complaints")
        return path.read_text().splitlines() if path.exists() else []


def close(process):
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe:
            try:
                pipe.close()
            except BrokenPipeError:
                pass
