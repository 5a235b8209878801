"""What `script/package` builds, installed and used where there is no compiler: the .deb in a bare Debian, by apt, with an
upgrade and a removal; the image's root file system; the files of the tarball. Debian's lintian and mandoc judge them."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tarfile
import time
import urllib.error
import urllib.request

import pytest

import pages
from conftest import ROOT, command

TOOLS = ("mmdebstrap", "umoci", "lintian", "mandoc", "bwrap")
pytestmark = pytest.mark.skipif(
    os.getuid() != 0 or any(not shutil.which(tool) for tool in TOOLS), reason="needs root and Debian's tools for packages")
SUITE = dict(line.split("=", 1) for line in open("/etc/os-release").read().split("\n") if "=" in line)["VERSION_CODENAME"]
DATA = "/var/lib/postrider"


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


# What the pages say that people do, in the order of the page: of the quick start the tarball and the .deb; of Install the packages,
# the .deb, the key that it made, the tarball.
TARBALL, DEB = (block.text for block in pages.taken(text("README.md"), "test_install.py"))
PACKAGES, INSTALL, KEY, UNPACK = (block.text for block in pages.taken(text("docs/operations.md"), "test_install.py"))


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=900, **options)
    assert done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def package(what, version=None):
    """The file that script/package makes."""
    environment = dict(os.environ, POSTRIDER=command())
    if version:
        environment["POSTRIDER_VERSION"] = version
    assert PACKAGES.startswith("script/package\n")
    said = run(ROOT / "script" / "package", what, env=environment)
    # As the page shows it, but for the sizes; a version of the test's own is not on it.
    assert version or [line for line in PACKAGES.splitlines()[1:] if pages.agrees(line[2:], said.splitlines()[-1])], said
    return ROOT / re.search(r"package: (dist/\S+),", said.splitlines()[-1])[1]


@pytest.fixture(scope="module")
def deb():
    return package("deb")


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A Debian that has nothing but apt and what it needs."""
    root = tmp_path_factory.mktemp("bare") / "root"
    run("mmdebstrap", "--quiet", "--mode=root", "--variant=apt", SUITE, root)
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
    # No service manager runs here; a package must not start one's services either.
    (root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
    (root / "usr/sbin/policy-rc.d").chmod(0o755)
    return root


def inside(root, *words, user=None, **options):
    """The words of a command in a root file system, with its own /proc and /dev."""
    box = ["bwrap", "--bind", str(root), "/", "--proc", "/proc", "--dev", "/dev", "--chdir", "/", "--unshare-pid",
           "--die-with-parent", "--clearenv", "--setenv", "PATH", "/usr/sbin:/usr/bin:/sbin:/bin", "--cap-add", "ALL"]
    for name, value in options.pop("env", {}).items():
        box += ["--setenv", name, value]
    if user:
        words = ("setpriv", "--reuid", user, "--regid", user, "--clear-groups", *words)
    return [*box, *(str(word) for word in words)]


def in_chroot(root, *words, **options):
    return run(*inside(root, *words, **options))


class Server:
    """`postrider serve` in a root file system, on a port of this machine's loopback."""

    def __init__(self, words, port, log):
        self.origin, self.log = f"http://127.0.0.1:{port}", log
        with open(log, "wb") as file:
            self.process = subprocess.Popen(words, stdout=file, stderr=file)
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(self.origin + "/readyz", timeout=5).read()
                return
            except OSError:
                assert self.process.poll() is None and time.monotonic() < deadline, log.read_text()
                time.sleep(0.1)

    def call(self, key, method, path, body=None):
        request = urllib.request.Request(
            self.origin + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")

    def stop(self):
        # The sandbox is the parent of the server, which is the only one with this command below it.
        for line in subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True).stdout.split():
            for pid in [line, *subprocess.run(["pgrep", "-P", line], capture_output=True, text=True).stdout.split()]:
                os.kill(int(pid), signal.SIGTERM)
        try:
            self.process.wait(timeout=45)
        finally:
            self.process.kill()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def installed_server(root, tmp_path):
    port = free_port()
    settings = dict(
        line.split("=", 1) for line in (root / "etc/postrider/environment").read_text().splitlines() if line)
    words = inside(root, "postrider", "serve", "--data", DATA, "--port", port, user="postrider", env=settings)
    return Server(words, port, tmp_path / "log"), settings["POSTRIDER_ADMIN_KEY"]


def test_the_package_follows_debians_policy(deb):
    # Said of every package that Debian has not built: no bug closes with it, and its author has no mail domain.
    quiet = ("initial-upload-closes-no-bugs", "bogus-mail-host-in-debian-changelog", "bogus-mail-host", "embedded-library")
    done = subprocess.run(
        ["lintian", "--fail-on", "error,warning", "--suppress-tags", ",".join(quiet), str(deb)], capture_output=True,
        text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_the_manual_pages_are_sound(tmp_path):
    run(command(), "manual", tmp_path)
    pages = sorted(tmp_path.glob("*.1"))
    commands = re.findall(r"^  (\S+)  ", run(command(), "help"), re.M)
    assert [page.name for page in pages] == sorted(["postrider.1", *(f"postrider-{name}.1" for name in commands)])
    for page in pages:
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(page)], capture_output=True, text=True)
        # A page has no date of its own: it is as old as the program, whose version it names.
        assert [line for line in done.stdout.splitlines() if "missing date" not in line] == []
    shown = run("mandoc", "-T", "utf8", tmp_path / "postrider-check.1")
    shown = re.sub(".\b", "", shown)
    # What --help says is there, the dashes as people type them.
    for line in re.findall(r"^  (--\S+)", run(command(), "check", "--help"), re.M):
        assert line in shown


def test_apt_installs_upgrades_and_removes(deb, bare, tmp_path):
    before = package("deb", "0.0.9")
    for file in (before, deb):
        shutil.copy(file, bare / "srv" / file.name)
    install = ("apt-get", "-qq", "-y", "--no-install-recommends", "install")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    in_chroot(bare, "apt-get", "-qq", "update")
    assert INSTALL == f"apt-get install ./{deb.name}\n" and f"apt-get install ./{deb.name}" in DEB
    said = in_chroot(bare, *install, f"/srv/{before.name}", env=quiet)
    assert "the first API key is in /etc/postrider/environment" in said
    doctor = [line.split()[:2] for line in said.splitlines() if re.match("(ok|warning|skipped|error) ", line)]
    assert ["ok", "program"] in doctor and ["ok", "data"] in doctor and not [line for line in doctor if line[0] == "error"]
    assert (bare / "etc/postrider/environment").stat().st_mode & 0o777 == 0o600
    # The manual, the completion and the unit are where Debian looks for them.
    assert in_chroot(bare, "postrider", "version") == in_chroot(bare, "postrider", "--version")
    for file in ("usr/share/man/man1/postrider-serve.1.gz", "usr/share/bash-completion/completions/postrider",
                 "usr/share/zsh/vendor-completions/_postrider", "lib/systemd/system/postrider.service"):
        assert (bare / file).exists(), file
    assert "ExecStart=/usr/bin/postrider serve" in (bare / "lib/systemd/system/postrider.service").read_text()

    server, key = installed_server(bare, tmp_path)
    assert in_chroot(bare, "sh", "-c", KEY) == f"{key}\n"
    server.call(key, "POST", "/v1/apps", {"name": "shop"})
    # The demo beside the service, on its port and in its folder.
    words = re.search(r"^postrider (serve --demo .*)$", DEB, re.M)[1].split()
    assert words[2] == "--port" and words[3] != "8787"
    port = free_port()
    words[3] = str(port)
    demo = Server(inside(bare, "sh", "-c", f"cd /tmp && exec postrider {' '.join(words)} --emulator-port {free_port()}"), port, tmp_path / "demo-log")
    demo.stop()
    assert (bare / "tmp" / "demo-data").is_dir()
    server.stop()
    assert key not in server.log.read_text(), "the first key is in the log"

    said = in_chroot(bare, *install, f"/srv/{deb.name}", env=quiet)
    assert "first API key" not in said
    server, same = installed_server(bare, tmp_path)
    assert same == key and "shop" in json.dumps(server.call(key, "GET", "/v1/apps"))
    server.stop()

    said = in_chroot(bare, "apt-get", "-qq", "-y", "purge", "postrider", env=quiet)
    assert "/var/lib/postrider stays" in said
    assert (bare / "var/lib/postrider/postrider.sqlite").exists()
    assert not (bare / "etc/postrider").exists() and not (bare / "usr/bin/postrider").exists()


def test_the_image_runs_without_a_shell(tmp_path):
    archive = package("image")
    layout = tmp_path / "layout"
    run("tar", "-xf", archive, "-C", layout.mkdir() or layout)
    tag = json.loads((layout / "index.json").read_text())["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"]
    run("umoci", "unpack", "--image", f"{layout}:{tag}", tmp_path / "bundle")
    root = tmp_path / "bundle" / "rootfs"
    process = json.loads((tmp_path / "bundle" / "config.json").read_text())["process"]
    assert (process["user"]["uid"], process["user"]["gid"]) == (10001, 10001)
    assert not (root / "bin/sh").exists() and not (root / "usr/bin/sh").exists()
    port = free_port()
    words = [str(port) if word == "8787" else "127.0.0.1" if word == "0.0.0.0" else word for word in process["args"]]
    for above in [root, *list(root.parents)[:4]]:
        above.chmod(0o755)
    box = ["setpriv", "--reuid", "10001", "--regid", "10001", "--clear-groups", "bwrap", "--ro-bind", str(root), "/",
           "--bind", str(root / DATA[1:]), DATA, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/",
           "--unshare-pid", "--die-with-parent", "--clearenv"]
    for variable in process["env"]:
        box += ["--setenv", *variable.split("=", 1)]
    server = Server([*box, *words], port, tmp_path / "log")
    key = re.search(r"POSTRIDER_KEY=(\S+)", server.log.read_text())[1]
    server.call(key, "POST", "/v1/apps", {"name": "shop"})
    # The authorities and the time zones that its packages' scripts would have put in place.
    done = subprocess.run([*box, process["args"][0], "doctor", "--data", DATA, "--url", server.origin, "--offline", "--json"],
                          capture_output=True, text=True, timeout=60)
    checks = {check["check"]: check["result"] for check in json.loads(done.stdout)["checks"]}
    assert (checks["time zones"], checks["ledger"], checks["server"]) == ("ok", "ok", "ok"), done.stdout
    assert b"BEGIN CERTIFICATE" in (root / "etc/ssl/certs/ca-certificates.crt").read_bytes()
    server.stop()


def test_the_tarball_is_used_as_the_pages_say(tmp_path, bare):
    """In a bare Debian: the libraries that the page names are all that it needs."""
    archive = package("tarball")
    for folder in ("srv", "usr/local"):
        shutil.copy(archive, bare / folder / archive.name)
    libraries, unpack, start = TARBALL.splitlines()
    assert unpack == f"tar -xf {archive.name}"
    in_chroot(bare, "apt-get", "-qq", "update")
    in_chroot(bare, "sh", "-c", libraries.replace("sudo apt-get install", "apt-get -qq -y --no-install-recommends install"), env={"DEBIAN_FRONTEND": "noninteractive"})
    in_chroot(bare, "sh", "-c", f"cd /srv && {unpack}")
    port = free_port()
    server = Server(inside(bare, "sh", "-c", f"cd /srv && exec {start} --port {port} --emulator-port {free_port()}"), port, tmp_path / "log")
    server.stop()
    assert (bare / "srv" / "demo-data").is_dir()
    in_chroot(bare, "sh", "-c", f"cd /usr/local && {UNPACK}")
    assert in_chroot(bare, "/usr/local/bin/postrider", "version").startswith("postrider ")
    assert (bare / "usr/local/lib/systemd/system/postrider.service").exists()


def test_the_tarball_runs_from_where_it_is_unpacked(tmp_path):
    archive = package("tarball")
    with tarfile.open(archive) as file:
        assert all(member.uid == 0 and not member.name.startswith(("/", "..")) for member in file.getmembers())
    run("tar", "-xf", archive, "--strip-components=1", "-C", tmp_path)
    assert run(tmp_path / "bin" / "postrider", "version").startswith("postrider ")
    unit = (tmp_path / "lib/systemd/system/postrider.service").read_text()
    assert "ExecStart=/usr/local/bin/postrider serve" in unit
    assert pathlib.Path(tmp_path / "share/man/man1/postrider.1.gz").exists()
    # The quick start of somebody who was given the tarball, on ports that are free here.
    said = re.search(r"^postrider-\S+/bin/(postrider serve --demo .*)$", (ROOT / "README.md").read_text(), re.M)[1].split()
    port = free_port()
    server = Server(["env", "-C", str(tmp_path), f"bin/{said[0]}", *said[1:], "--port", str(port), "--emulator-port", str(free_port())],
                    port, tmp_path / "log")
    try:
        # The key is printed, then the demo is furnished and described.
        deadline = time.monotonic() + 60
        while not (key := re.search(r"POSTRIDER_KEY=(prk_\S+)", server.log.read_text())) or "virtual" not in server.log.read_text():
            assert server.process.poll() is None and time.monotonic() < deadline, server.log.read_text()
            time.sleep(0.1)
        sent = server.call(key[1], "POST", "/v1/apps/demo/pushes", {"to": {"all": True}, "message": {"title": "T", "body": "B"}})
        assert sent["number"] == 1, sent
    finally:
        server.process.terminate()
        assert server.process.wait(timeout=45) == 0
    assert (tmp_path / "demo-data").is_dir()
