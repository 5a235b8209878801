"""Too few file descriptors, too little memory, and clients that use both up."""

import os
import pathlib
import shutil
import socket
import threading
import time

from client import Gone
from stage import Stage

DESCRIPTORS = 64
MEMORY_BYTES = 300 << 20
SILENT_SOCKETS = 200
BODIES = 1_000
BODY_BYTES = 4 << 20


def descriptors(folder, identity, seed):
    """64 file descriptors, and more silent clients than that: the server lives, and serves again when they have gone."""
    wrapper = ["prlimit", f"--nofile={DESCRIPTORS}:{DESCRIPTORS}"]
    with Stage(folder, identity, seed, wrapper=wrapper, devices=200) as stage:
        stage.workload.start(callers=3)
        time.sleep(1)
        silent = connect(stage, SILENT_SOCKETS)
        before = stage.server.cpu_seconds()
        time.sleep(3)
        stage.figures["cpu_share_while_full"] = round((stage.server.cpu_seconds() - before) / 3, 2)
        stage.figures["silent_sockets"] = len(silent)
        for one in silent:
            one.close()
        stage.figures["back_seconds"] = seconds_until_served(stage)
        # Webhook batches that found no descriptor twice wait for half a minute.
        stage.settle(notified=90)
        stage.verify()
        return stage.findings, stage.figures


def connect(stage, count, first=b""):
    """Clients that connect and, at most, begin to speak."""
    host, port = stage.server.url.removeprefix("http://").split(":")
    sockets = []
    for _ in range(count):
        try:
            one = socket.create_connection((host, int(port)), timeout=2)
            if first:
                one.sendall(first)
            sockets.append(one)
        except OSError:
            continue
    return sockets


def seconds_until_served(stage, limit=30):
    started = time.monotonic()
    while time.monotonic() - started < limit:
        try:
            if stage.client.ask("GET", "/readyz")[0] == 200:
                return round(time.monotonic() - started, 2)
        except Gone:
            pass
        time.sleep(0.05)
    stage.findings.append(f"refused: {limit} s after the clients had gone the server does not answer: {stage.server.tail()}")
    return None


def memory(folder, identity, seed):
    """300 MB, 1 000 clients without a key who send 4 MiB each, 100 with one whose bodies are all brackets, thousands of heads
    that never end."""
    with limited(f"postrider-attack-{os.getpid()}") as group:
        with Stage(folder, identity, seed, wrapper=group.wrapper, devices=400) as stage:
            stage.figures["by"] = group.how
            stage.workload.start(callers=2)
            heads = connect(stage, 900, b"POST /v1/apps/one/pushes HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 30_000)
            time.sleep(1)
            for one in heads:
                one.close()
            stage.figures["bodies_answered"] = send_bodies(stage, BODIES)
            stage.figures["bracket_bodies_answered"] = send_bodies(stage, 100, stage.server.key, many_values())
            stage.figures["peak_bytes"] = group.peak(stage.server)
            if not stage.server.alive():
                stage.findings.append(f"died: with {MEMORY_BYTES >> 20} MB of memory it ended with "
                                      f"{stage.server.process.returncode}: {stage.server.tail()}")
                stage.workload.stopping.set()
                return stage.findings, stage.figures
            stage.figures["back_seconds"] = seconds_until_served(stage)
            stage.settle()
            stage.verify()
            return stage.findings, stage.figures


def many_values():
    """An object with as many arrays as fit."""
    start, end = b'{"a":[', b"[]]}"
    return start + b"[]," * ((BODY_BYTES - len(start) - len(end)) // 3) + end


def send_bodies(stage, count, key=None, body=None, at_once=100):
    """Bodies that are all held open together; how many were answered, by status. Without one given they never end."""
    host, port = stage.server.url.removeprefix("http://").split(":")
    statuses, lock = {}, threading.Lock()
    bearer = f"Authorization: Bearer {key}\r\n" if key else ""
    head = (f"POST /v1/apps/one/pushes HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n{bearer}"
            f"Content-Length: {len(body) if body else BODY_BYTES}\r\n\r\n").encode()
    body = body or b" " * (BODY_BYTES - 65_536)

    def one():
        try:
            with socket.create_connection((host, int(port)), timeout=5) as channel:
                channel.sendall(head)
                for start in range(0, len(body), 65_536):
                    channel.sendall(body[start:start + 65_536])
                status = channel.recv(64).split(b" ")[1].decode()
        except (OSError, IndexError) as error:
            status = type(error).__name__
        with lock:
            statuses[status] = statuses.get(status, 0) + 1

    for _ in range(count // at_once):
        threads = [threading.Thread(target=one) for _ in range(at_once)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if not stage.server.alive():
            break
    return statuses


class limited:
    """A limit of memory: a control group where one can be made, else the address space of the process."""

    def __init__(self, name):
        self.name, self.group = name, None

    def __enter__(self):
        for root, limit, peak in [
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes"),
            ("/sys/fs/cgroup", "memory.max", "memory.peak"),
        ]:
            group = pathlib.Path(root) / self.name
            try:
                group.mkdir()
                (group / limit).write_text(str(MEMORY_BYTES))
            except OSError:
                if group.is_dir():
                    group.rmdir()
                continue
            self.group, self.peak_file, self.how = group, group / peak, f"control group, {limit}"
            self.wrapper = ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"]
            return self
        if not shutil.which("prlimit"):
            raise PermissionError("no control group can be made, and there is no prlimit")
        # Addresses, not memory: threads and maps reserve far more than they use.
        self.how, self.wrapper = "prlimit --data", ["prlimit", f"--data={MEMORY_BYTES}"]
        return self

    def peak(self, server):
        if self.group and self.peak_file.exists():
            return int(self.peak_file.read_text())
        return server.peak_bytes() if server.alive() else None

    def __exit__(self, *_):
        for _ in range(50):
            try:
                if self.group:
                    self.group.rmdir()
                return
            except OSError:
                time.sleep(0.1)
