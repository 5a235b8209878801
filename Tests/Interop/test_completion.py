"""Completion as people have it: the Tab key in bash and zsh on a terminal, and fish's own list."""

import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import time

import pytest

import pages
from conftest import ROOT, command
from serving import Server


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


# How the page switches it on, by shell.
[_block] = pages.taken(text("docs/cli.md"), "test_completion.py")
ON = {re.search(r"completion (\w+)", line)[1]: re.sub(r"\s+#.*", "", line) for line in _block.text.splitlines()}

# What is typed, and the line that it becomes.
TYPED = [
    ("dev", "devices"),
    ("devices exp", "devices export"),
    ("events rec", "events received"),
    ("users unsch", "users unschedule"),
    ("devices list --st", "devices list --state"),
    ("deliveries list --provider f", "deliveries list --provider fcm"),
    ("render --contract amb", "render --contract amba"),
    ("devices import some", "devices import some-devices.csv"),
    ("apps list --key-f", "apps list --key-file"),
]
START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], f"PS1='> '; {ON['bash']}\n"),
    "zsh": (["zsh", "-f", "-i"], f"PS1='> '; autoload -Uz compinit; compinit -u -D; {ON['zsh']}\n"),
    # As a package installs it: a file that zsh loads at the first Tab.
    "zsh, installed": (["zsh", "-f", "-i"], "PS1='> '; cp script _postrider; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D\n"),
}


class Shell:
    """An interactive shell on a terminal of its own."""

    def __init__(self, words, folder, more=None):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            environment = {**os.environ, "TERM": "vt100", "PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": folder, **(more or {})}
            os.execvpe(words[0], words, environment)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read_until(self, wanted, seconds=30):
        """What the terminal was told, without control sequences; fails when the wanted text does not come."""
        said, deadline = "", time.monotonic() + seconds
        while wanted not in (plain := re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>()][0B]?|[\x00-\x08\x0e-\x1a]", "", said)):
            left = deadline - time.monotonic()
            assert left > 0, f"{wanted!r} does not come: {plain!r}"
            if select.select([self.terminal], [], [], min(left, 1))[0]:
                said += os.read(self.terminal, 4096).decode(errors="replace")
        return plain

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def prepare(tmp_path, shell):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "postrider").symlink_to(pathlib.Path(command()).resolve())
    (tmp_path / "some-devices.csv").write_text("")
    script = subprocess.run([command(), "completion", shell], capture_output=True, text=True, check=True, timeout=60).stdout
    (tmp_path / "script").write_text(script)


@pytest.mark.parametrize("name", START)
def test_tab_completes(name, tmp_path):
    prepare(tmp_path, name.split(",")[0])
    words, start = START[name]
    shell = Shell(words, str(tmp_path))
    try:
        shell.type(start + "echo rea''dy\n")
        shell.read_until("ready")
        for typed, expected in TYPED:
            shell.type(f"postrider {typed}\t")
            shell.read_until(f"postrider {expected}")
            # Ctrl-U takes the line away; the answer of the next command says that the shell is back.
            shell.type("\x15echo do''ne\n")
            shell.read_until("done")
    finally:
        shell.close()


def test_fish_completes(tmp_path):
    prepare(tmp_path, "fish")
    for typed, expected in TYPED:
        done = subprocess.run(
            ["fish", "--no-config", "-c", f"{ON['fish']}; complete -C 'postrider {typed}'"], cwd=tmp_path, text=True,
            capture_output=True, timeout=60, env={**os.environ, "HOME": str(tmp_path), "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
        assert (done.returncode, done.stderr) == (0, "")
        offered = [line.split("\t")[0] for line in done.stdout.splitlines()]
        assert offered == [expected.split(" ")[-1]], typed


def test_names_of_the_server_complete(tmp_path):
    """Apps and segments, asked of a running server by each shell."""
    server = Server(tmp_path / "server")
    try:
        server.done("POST", "/v1/apps", {"name": "shopping"})
        server.done("POST", "/v1/apps/shopping/segments", {"name": "professionals", "title": "T", "filter": {"field": "tags", "op": "eq", "value": "x"}})
        asking = {"POSTRIDER_URL": server.origin, "POSTRIDER_KEY": server.key}
        rows = [("devices list --app sho", "devices list --app shopping"),
                ("push send --app shopping --segment pro", "push send --app shopping --segment professionals")]
        for name in START:
            folder = tmp_path / name.replace(", ", "-")
            folder.mkdir()
            prepare(folder, name.split(",")[0])
            words, start = START[name]
            shell = Shell(words, str(folder), asking)
            try:
                shell.type(start + "echo rea''dy\n")
                shell.read_until("ready")
                for typed, expected in rows:
                    shell.type(f"postrider {typed}\t")
                    shell.read_until(f"postrider {expected}")
                    shell.type("\x15echo do''ne\n")
                    shell.read_until("done")
            finally:
                shell.close()
        folder = tmp_path / "fish"
        folder.mkdir()
        prepare(folder, "fish")
        for typed, expected in rows:
            done = subprocess.run(
                ["fish", "--no-config", "-c", f"source script; complete -C 'postrider {typed}'"], cwd=folder, text=True,
                capture_output=True, timeout=60,
                env={**os.environ, **asking, "HOME": str(folder), "PATH": f"{folder}/bin:{os.environ['PATH']}"})
            assert [line.split("\t")[0] for line in done.stdout.splitlines()] == [expected.split(" ")[-1]], (typed, done)
    finally:
        server.stop()
