"""docs/scale.md's commands that move a server into a database and back it up, on a server of Debian's package."""

import glob
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import urllib.request

import pytest

import pages
from conftest import ROOT, command

PROGRAMS = next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)), None)
AS_SERVER = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--"] if os.getuid() == 0 else []


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture
def socket():
    """The folder of a database server's socket."""
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as folder:
        if AS_SERVER:
            subprocess.run(["chown", "postgres", folder], check=True)
        subprocess.run([*AS_SERVER, f"{PROGRAMS}/initdb", "-D", f"{folder}/data", "-A", "trust", "-E", "UTF8", "--locale=C", "-U", "postgres", "-N"],
                       check=True, capture_output=True)
        server = subprocess.Popen([*AS_SERVER, f"{PROGRAMS}/postgres", "-D", f"{folder}/data", "-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}",
                                   "-c", "fsync=off"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(600):
                if subprocess.run([f"{PROGRAMS}/pg_isready", "-q", "-h", folder]).returncode == 0:
                    break
                time.sleep(0.1)
            yield folder
        finally:
            server.send_signal(signal.SIGQUIT)
            server.wait(60)


def serve(data, log, *options):
    """A server; gives its process and what it printed up to its address."""
    out = open(log, "w", encoding="utf-8")
    process = subprocess.Popen([command(), "serve", "--demo", "--port", "0", "--emulator-port", "0", "--data", data, *options], stdout=out, stderr=subprocess.STDOUT)
    for _ in range(1200):
        said = pathlib.Path(log).read_text(encoding="utf-8")
        if "Ctrl-C stops" in said:
            return process, said
        assert process.poll() is None, said
        time.sleep(0.1)
    raise AssertionError(said)


def stop(process):
    process.terminate()
    assert process.wait(60) == 0


@pytest.mark.skipif(PROGRAMS is None, reason="needs the package postgresql")
def test_a_server_moves_into_a_database_and_comes_back_from_a_dump(socket, tmp_path):
    blocks = pages.taken(text("docs/scale.md"), "test_store_backup.py")
    assert len(blocks) == 3
    data = str(tmp_path / "postrider")
    process, said = serve(data, tmp_path / "first.log")
    url, key = re.search(r"http://\S+", said)[0], re.search(r"prk_[\w-]+", said)[0]
    body = json.dumps({"to": {"all": True}, "message": {"title": "T", "body": "B"}, "send_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86400))}).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(f"{url}/v1/apps/demo/pushes", body, headers), timeout=20).read()
    stop(process)
    psql = [f"{PROGRAMS}/psql", "-h", socket, "-U", "postgres", "-qAtX", "-v", "ON_ERROR_STOP=1"]
    subprocess.run([*psql, "-c", "CREATE ROLE postrider LOGIN CREATEDB"], check=True)
    subprocess.run([*psql, "-c", "CREATE DATABASE postrider OWNER postrider TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"], check=True)
    host = socket.replace("/", "%2F")
    environment = os.environ | {"PATH": f"{pathlib.Path(command()).resolve().parent}:{PROGRAMS}:{os.environ['PATH']}"}
    printed = []
    for block in blocks:
        words = block.text.replace("/var/lib/postrider", data).replace("db1.example.com", host)
        done = subprocess.run(["bash", "-euc", words], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        printed.append(done.stdout)
    copied = json.loads(printed[0].splitlines()[0])
    assert copied["verified"] and copied["written"] == copied["rows"] > 10 and copied["unopened"] == []
    checked = json.loads(printed[2].splitlines()[-1])
    assert checked["sound"] and checked["unopened"] == [] and checked["pushes"] == 1
    process, said = serve(f"{data}-node", tmp_path / "second.log", "--store", f"postgresql://postrider@{host}/restored")
    url = re.search(r"http://\S+", said)[0]
    asked = urllib.request.Request(f"{url}/v1/apps/demo/pushes", headers=headers)
    assert [push["state"] for push in json.load(urllib.request.urlopen(asked, timeout=20))["pushes"]] == ["scheduled"]
    stop(process)
