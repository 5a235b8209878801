"""What `packaging/` says of the service, tried: systemd's own checker reads the unit, and the server runs as the unit asks,
in a sandbox with the same properties, made of namespaces and a system-call filter."""

import ctypes
import errno
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import time
import urllib.request

import pytest

from conftest import ROOT, command

UNIT = ROOT / "packaging" / "postrider.service"
PROGRAM = "/usr/local/bin/postrider"
# A user that owns nothing else, as the unit's.
UID = "20011"
TOKEN = "ab" * 32


def settings():
    """The unit's settings, by name; a name may come several times."""
    found = {}
    for line in UNIT.read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            name, value = line.split("=", 1)
            found.setdefault(name, []).append(value)
    return found


def installed(tmp_path):
    """The unit with a program that is there."""
    path = tmp_path / "postrider.service"
    path.write_text(UNIT.read_text().replace(PROGRAM, command()))
    return str(path)


needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed here")
needs_sandbox = pytest.mark.skipif(
    not shutil.which("bwrap") or not shutil.which("systemd-analyze")
    or subprocess.run(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True).returncode != 0,
    reason="namespaces cannot be made here")


@needs_systemd
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path):
    done = subprocess.run(["systemd-analyze", "verify", installed(tmp_path)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
def test_the_unit_is_as_closed_as_the_page_says(tmp_path):
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=15", installed(tmp_path)],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout[-500:]
    level = re.search(r"exposure level for postrider.service: ([0-9.]+)", done.stdout)[1]
    page = re.sub(r"\s+", " ", (ROOT / "docs" / "operations.md").read_text())
    assert f"gives it an exposure of {level} " in page


# ---- The same properties without systemd


def system_calls(group):
    """The names in one of systemd's groups of system calls."""
    out = subprocess.run(["systemd-analyze", "syscall-filter", group], capture_output=True, text=True, check=True).stdout
    names = set()
    for line in out.splitlines()[1:]:
        word = line.strip().split(" ")[0]
        if word.startswith("@"):
            names |= system_calls(word)
        elif word and not word.startswith("#"):
            names.add(word)
    return names


class Comparison(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("how", ctypes.c_int), ("first", ctypes.c_uint64), ("second", ctypes.c_uint64)]


def filter_of(unit, path):
    """Writes the unit's SystemCallFilter, RestrictAddressFamilies and MemoryDenyWriteExecute as a program for the kernel."""
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    allow, refuse, equal, masked = 0x7FFF0000, 0x00050000 | errno.EPERM, 4, 7
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(refuse)))
    allowed = set()
    for line in unit["SystemCallFilter"]:
        for group in line.lstrip("~").split():
            allowed = allowed - system_calls(group) if line.startswith("~") else allowed | system_calls(group)

    def add(name, *comparisons):
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number < 0:
            return
        array = (Comparison * len(comparisons))(*comparisons)
        assert library.seccomp_rule_add_array(context, ctypes.c_uint32(allow), number, len(comparisons), array) == 0, name

    families = {"AF_UNIX": socket.AF_UNIX, "AF_INET": socket.AF_INET, "AF_INET6": socket.AF_INET6}
    for name in allowed - {"socket", "mmap", "mprotect"}:
        add(name)
    for family in unit["RestrictAddressFamilies"][0].split():
        add("socket", Comparison(0, equal, int(families[family]), 0))
    write, execute = 2, 4
    assert unit["MemoryDenyWriteExecute"] == ["yes"]
    for rights in (0, write, execute):
        add("mmap", Comparison(2, masked, write | execute, rights))
    add("mprotect", Comparison(2, masked, execute, 0))
    with open(path, "wb") as file:
        assert library.seccomp_export_bpf(context, file.fileno()) == 0
    library.seccomp_release(context)
    return path


class Service:
    """The unit's command under the unit's properties."""

    def __init__(self, folder):
        unit = settings()
        for name in ("PrivateTmp", "PrivateDevices", "PrivateUsers", "PrivateIPC", "ProtectHome", "NoNewPrivileges"):
            assert unit[name] == ["yes"], name
        assert unit["ProtectSystem"] == ["strict"] and unit["CapabilityBoundingSet"] == [""]
        self.state = folder / "state"
        self.state.mkdir(mode=0o700)
        if os.getuid() == 0:
            os.chown(self.state, int(UID), int(UID))
        self.filter = filter_of(unit, str(folder / "filter"))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.command = shlex.split(unit["ExecStart"][0].replace("--port 8787", f"--port {self.port}"))
        assert self.command[0] == PROGRAM
        self.stop_seconds = int(unit["TimeoutStopSec"][0])
        self.process, self.log = None, folder / "log"

    def inside(self, words, **options):
        """Starts a command in the sandbox: nothing can be written but the state folder and a /tmp of its own."""
        program = pathlib.Path(command()).resolve()
        arguments = ["--ro-bind", "/", "/", "--tmpfs", "/home", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp",
                     "--tmpfs", "/var/lib", "--bind", str(self.state), "/var/lib/postrider", "--tmpfs", "/usr/local/bin",
                     "--ro-bind", str(program), PROGRAM, "--remount-ro", "/home",
                     "--remount-ro", "/var/lib", "--remount-ro", "/usr/local/bin", "--dev", "/dev", "--proc", "/proc", "--unshare-ipc", "--unshare-uts",
                     "--unshare-cgroup-try", "--new-session", "--die-with-parent", "--cap-drop", "ALL", "--chdir", "/"]
        bwrap = ["bwrap", *arguments]
        if os.getuid() == 0:
            # As root the user is taken on first, so that the state folder's owner is the one who runs.
            bwrap = ["setpriv", "--reuid", UID, "--regid", UID, "--clear-groups", *bwrap]
        filter_file = os.open(self.filter, os.O_RDONLY)
        try:
            shell = f"umask {settings()['UMask'][0]}; exec \"$@\""
            return subprocess.Popen(
                [*bwrap, "--seccomp", str(filter_file), "sh", "-c", shell, "sh", *words],
                pass_fds=[filter_file], start_new_session=True, **options)
        finally:
            os.close(filter_file)

    def start(self):
        with open(self.log, "wb") as log:
            self.process = self.inside(self.command, stdout=log, stderr=log)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.log.read_text()
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5).read()
                return self.log.read_text()
            except OSError:
                time.sleep(0.1)
        raise AssertionError(f"not ready within two minutes: {self.log.read_text()}")

    def end(self, number):
        """Ends the server itself, the only process below; the sandbox passes its status on."""
        if self.process is None or self.process.poll() is not None:
            return None
        os.kill(server_below(self.process.pid), number)
        status = self.process.wait(timeout=self.stop_seconds + 30)
        self.process = None
        return status


def server_below(pid):
    """The process under the sandbox's that runs the program."""
    pids = [pid]
    for one in pids:
        task = f"/proc/{one}/task/{one}/children"
        pids += [int(child) for child in open(task).read().split()]
        if open(f"/proc/{one}/cmdline", "rb").read().startswith(PROGRAM.encode()):
            return one
    raise AssertionError("the server does not run")


@pytest.fixture()
def service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    for above in (folder, *folder.parents[:3]):
        if os.getuid() == 0 and str(above).startswith("/tmp/"):
            above.chmod(0o755)
    service = Service(folder)
    yield service
    service.end(signal.SIGKILL)


def call(service, key, method, path, body=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{service.port}{path}", method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        content = answer.read()
    return json.loads(content) if content else None


def send(service, key):
    made = call(service, key, "POST", "/v1/apps/shop/pushes", {
        "contract": "amba", "message": {"title": "T", "body": "B"}, "to": {"tokens": [{"type": "ios", "token": TOKEN}]}})
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        push = call(service, key, "GET", f"/v1/apps/shop/pushes/{made['id']}")
        if "finished_at" in push:
            return push["counts"]["accepted"]
        time.sleep(0.1)
    raise AssertionError("the push is not over within two minutes")


@needs_sandbox
def test_the_service_starts_sends_stops_and_comes_back_inside_its_sandbox(service, running):
    # The sandbox itself: the folder can be written and nothing else; a filter is on, and no capability is left.
    probe = service.inside(["sh", "-e", "-c", """
        touch /var/lib/postrider/.probe
        rm /var/lib/postrider/.probe
        for place in /etc /usr /var/lib; do if touch $place/.probe 2>/dev/null; then exit 1; fi; done
        grep -q "^Seccomp:.2$" /proc/self/status
        grep -q "^NoNewPrivs:.1$" /proc/self/status
        grep -q "^CapEff:.0*$" /proc/self/status
        """])
    assert probe.wait(timeout=60) == 0
    key = re.search(r"prk_[A-Za-z0-9_-]+", service.start())[0]
    folder = running.folder
    address = {"host": "127.0.0.1", "port": running.apns_port, "ca": (folder / "ca.pem").read_text()}
    call(service, key, "POST", "/v1/apps", {"name": "shop"})
    call(service, key, "PUT", "/v1/apps/shop/credentials?check=true", {
        "apns": {"topic": "com.example.app", "key": (folder / "apns-key.p8").read_text(), "key_id": "EMULATEKEY",
                 "team_id": "EMULATETEA", "gateway": address}})
    assert send(service, key) == 1
    assert service.end(signal.SIGTERM) == 0
    assert "prk_" not in service.start()
    assert send(service, key) == 1
    # As Restart=on-failure would after a crash.
    service.end(signal.SIGKILL)
    service.start()
    assert send(service, key) == 1
    assert call(service, key, "GET", "/v1/apps/shop/overview")["ledger"]["balanced"] is True
    inside = sorted(path.name for path in service.state.iterdir()) if os.access(service.state, os.R_OK) else []
    assert {"sealing.key"} <= set(inside)
    assert all(oct(path.stat().st_mode & 0o077) == "0o0" for path in service.state.iterdir())
    assert service.end(signal.SIGTERM) == 0
