"""The disk fills up and has room again; the file system becomes read-only and is repaired. Mounting needs root."""

import contextlib
import errno
import fcntl
import os
import random
import struct
import subprocess
import time

from client import Gone
from processes import StartFailed
from stage import Stage

# From the kernel's ext4.h.
EXT4_IOC_SHUTDOWN = 0x8004_587D
SHUTDOWN_WITHOUT_FLUSH = 2


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise PermissionError(f"{' '.join(words)}: {done.stderr.strip()}")


@contextlib.contextmanager
def mounted(folder, *words):
    """A file system for the data folder."""
    folder.mkdir(parents=True, exist_ok=True)
    run("mount", *words, str(folder))
    try:
        yield folder
    finally:
        for _ in range(50):
            if subprocess.run(["umount", str(folder)], capture_output=True).returncode == 0:
                break
            time.sleep(0.1)
        folder.rmdir()


def disk_full(folder, identity, seed):
    """A small file system is filled to the last byte under load, the server dies meanwhile or not, and then there is room."""
    disk = folder.with_name("disk-full-disk")
    with mounted(disk, "-t", "tmpfs", "-o", "size=160m", "tmpfs"):
        with Stage(folder, identity, seed, data=disk / "data", devices=200) as stage:
            rng = random.Random(f"{seed} disk")
            stage.workload.start(callers=3)
            time.sleep(1.5)
            for turn in range(2):
                ballast = fill(disk / "ballast")
                stage.figures[f"full_{turn + 1}"] = while_full(stage, seconds=3)
                if turn == 1:
                    killed_while_full(stage, rng)
                ballast.unlink()
                back(stage, turn)
                time.sleep(1)
            stage.settle()
            stage.verify()
            return stage.findings, stage.figures


def fill(path):
    """Takes what is left of the file system, to the last block."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT)
    piece = 1 << 20
    while piece:
        try:
            if os.write(file, bytes(piece)) == 0:
                break
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            piece //= 2
    os.close(file)
    return path


def while_full(stage, seconds, readable=True):
    """Writes are answered 503 or kept; reads go on where the disk can be read; `/readyz` tells the truth about it."""
    statuses, ready, deadline = {}, {}, time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            status, _ = stage.client.ask("PATCH", f"/v1/apps/{stage.workload.apps[0]}", {"title": f"at {time.monotonic()}"})
            is_ready, _ = stage.client.ask("GET", "/readyz")
            reading, _ = stage.client.ask("GET", f"/v1/apps/{stage.workload.apps[0]}")
        except Gone as gone:
            stage.findings.append(f"died: while the disk was full: {gone}: {stage.server.tail()}")
            break
        statuses[status] = statuses.get(status, 0) + 1
        ready[is_ready] = ready.get(is_ready, 0) + 1
        last = (status, is_ready)
        if status not in (200, 503) or reading != 200 and (readable or reading != 503):
            stage.findings.append(f"disk: a write was answered {status} and a read {reading}")
            break
        time.sleep(0.05)
    else:
        if last[0] == 503 and last[1] == 200:
            stage.findings.append(f"readyz: 200 while the disk is full and writes are answered 503: {statuses} {ready}")
    return {"writes": statuses, "readyz": ready}


def killed_while_full(stage, rng):
    """Dies with the disk full; what starts then serves, or refuses in words, and never damages anything."""
    stage.server.kill()
    time.sleep(rng.random() * 0.2)
    stage.server.spawn()
    try:
        stage.server.ready(15)
    except StartFailed as failure:
        stage.figures["start_while_full"] = str(failure)
        if stage.server.alive():
            stage.findings.append(f"start: on a full disk the server neither starts nor ends: {failure}")
            stage.server.kill()
        elif stage.server.process.returncode < 0:
            stage.findings.append(f"died: on a full disk the start ended with signal {-stage.server.process.returncode}")


def back(stage, turn):
    """There is room again: the server accepts writes again by itself, or starts."""
    started = time.monotonic()
    if not stage.server.alive():
        stage.server.start()
    while time.monotonic() - started < 30:
        try:
            status, _ = stage.client.ask("PATCH", f"/v1/apps/{stage.workload.apps[0]}", {"title": f"turn {turn}"})
            if status == 200:
                stage.figures[f"back_seconds_{turn + 1}"] = round(time.monotonic() - started, 2)
                return
        except Gone:
            pass
        time.sleep(0.05)
    stage.findings.append(f"disk: 30 s after there was room again the server takes no writes: {stage.server.tail()}")


def read_only(folder, identity, seed):
    """The kernel makes the file system read-only under load, as it does after an error of the disk; then it is repaired."""
    image, disk = folder.with_name("read-only.img"), folder.with_name("read-only-disk")
    with open(image, "wb") as file:
        file.truncate(128 << 20)
    run("mkfs.ext4", "-q", str(image))
    try:
        with Stage(folder, identity, seed, data=disk / "data", devices=200, before=lambda: mount_image(image, disk)) as stage:
            stage.workload.start(callers=3)
            time.sleep(2)
            with stage.server.frozen():
                shut_down(disk)
            stage.figures["while_read_only"] = while_full(stage, seconds=2, readable=False)
            stage.server.kill()
            run("umount", str(disk))
            run("mount", "-o", "loop,ro,noload", str(image), str(disk))
            start_refused(stage)
            run("umount", str(disk))
            subprocess.run(["e2fsck", "-p", str(image)], capture_output=True)
            mount_image(image, disk)
            stage.server.start()
            time.sleep(1)
            stage.settle()
            stage.verify()
            return stage.findings, stage.figures
    finally:
        subprocess.run(["umount", str(disk)], capture_output=True)
        image.unlink()


def shut_down(disk):
    """Stops the file system as a failed disk does: what was flushed is there afterwards, nothing else can be written.

    No flush may be under way. One that is may be answered with success although it wrote nothing (Linux 6.18: seen of a
    program that only appends and calls `fdatasync`, in 3 of 60 runs, and in none of 150 when it was stopped meanwhile).
    """
    directory = os.open(disk, os.O_RDONLY)
    fcntl.ioctl(directory, EXT4_IOC_SHUTDOWN, struct.pack("I", SHUTDOWN_WITHOUT_FLUSH))
    os.close(directory)


def mount_image(image, disk):
    disk.mkdir(exist_ok=True)
    run("mount", "-o", "loop", str(image), str(disk))


def start_refused(stage):
    """On a read-only file system a start says why it cannot be, and ends."""
    stage.server.spawn()
    try:
        stage.server.ready(15)
        stage.figures["start_read_only"] = "serves"
        stage.server.kill()
    except StartFailed as failure:
        stage.figures["start_read_only"] = str(failure)
        if stage.server.alive():
            stage.findings.append(f"start: on a read-only disk the server neither starts nor ends: {failure}")
            stage.server.kill()
        elif stage.server.process.returncode < 0:
            stage.findings.append(f"died: on a read-only disk the start ended with signal {-stage.server.process.returncode}")
