"""Processes of the cluster: each ends with the program that started it, and writes into a log of its own."""

import ctypes
import os
import pathlib
import signal
import socket
import subprocess
import time

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


class Failed(Exception):
    """What did not work, where, and what helps, in one sentence."""


def ports(count):
    """So many free ports of loopback; all are held at once, so that they differ."""
    taken = [socket.socket() for _ in range(count)]
    for one in taken:
        one.bind(("127.0.0.1", 0))
    found = [one.getsockname()[1] for one in taken]
    for one in taken:
        one.close()
    return found


def wait(condition, what, seconds):
    """Waits until a condition holds, and returns its value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise Failed(f"{what}: not within {seconds} s")
        time.sleep(0.05)
    return value


def children(pid):
    """The processes that a process has started."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = pathlib.Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue  # It has ended meanwhile.
            if int(fields[1]) == pid:
                found.append(int(entry))
    return found


class Process:
    """A program that runs until it is stopped, and can be started again.

    Linux ends it with the thread that started it, so start it on a thread that lives as long as the program.
    """

    def __init__(self, name, words, log, environment=None, ends_with=signal.SIGKILL, **more):
        self.name, self.words, self.log, self.ends_with = name, words, pathlib.Path(log), ends_with
        self.environment = {**os.environ, **(environment or {})}
        self.more = more
        self.running = None

    def start(self):
        def prepare():
            LIBC.prctl(PR_SET_PDEATHSIG, self.ends_with)

        with open(self.log, "ab") as log:
            self.running = subprocess.Popen(
                self.words, **{"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log, **self.more},
                env=self.environment, preexec_fn=prepare, start_new_session=True)
        return self

    @property
    def pid(self):
        return self.running.pid

    def alive(self):
        return self.running is not None and self.running.poll() is None

    def expect(self):
        """Raises with the end of its log when it has ended."""
        if not self.alive():
            raise Failed(f"{self.name} has ended ({self.running.returncode}): {self.tail()}")

    def tail(self, count=1500):
        return self.log.read_text(errors="replace")[-count:]

    def send(self, number):
        if self.alive():
            self.running.send_signal(number)

    def send_all(self, number):
        """The same to all that it has started."""
        if self.alive():
            for pid in [self.pid, *children(self.pid)]:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass

    def kill(self):
        """Ends it without warning, with all that it has started."""
        if self.alive():
            self.send_all(signal.SIGKILL)
            self.running.wait()

    def stop(self, number=signal.SIGTERM, seconds=20):
        """Ends it as an operator would; returns its exit status, or None when it had to be killed."""
        self.send(signal.SIGCONT)
        self.send(number)
        return self.wait_ended(seconds)

    def wait_ended(self, seconds):
        """Waits for one that was asked to end; a second signal would end it at once."""
        if self.running is None:
            return None
        try:
            return self.running.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
