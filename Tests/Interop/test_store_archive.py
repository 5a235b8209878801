"""docs/scale.md's base backup and archive of the log: what was acknowledged after the backup is there on a server that is made of both."""

import json
import os
import re
import signal
import subprocess
import time
import urllib.request

import pytest

import pages
from conftest import command
from test_store_backup import AS_SERVER, PROGRAMS, serve, stop, text


def database(folder, data, *options):
    """A server of Debian's package on a socket; answers when it takes writes."""
    process = subprocess.Popen([*AS_SERVER, f"{PROGRAMS}/postgres", "-D", data, "-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}", *options],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        asked = subprocess.run([f"{PROGRAMS}/psql", "-h", folder, "-U", "postgres", "-qAtX", "-c", "SELECT pg_is_in_recovery()"], capture_output=True, text=True)
        if asked.stdout.strip() == "f":
            return process
        assert process.poll() is None
        time.sleep(0.1)
    raise AssertionError("the server takes no writes")


@pytest.mark.skipif(PROGRAMS is None, reason="needs the package postgresql")
def test_a_base_backup_and_the_archive_have_what_was_acknowledged_later(tmp_path_factory):
    blocks = pages.taken(text("docs/scale.md"), "test_store_archive.py")
    assert len(blocks) == 2
    folder = str(tmp_path_factory.mktemp("archive"))
    backups = f"{folder}/backups"
    os.makedirs(f"{backups}/wal")
    for path in [folder, backups, f"{backups}/wal"]:
        os.chmod(path, 0o777)
    for parent in [os.path.dirname(folder), os.path.dirname(os.path.dirname(folder))]:
        os.chmod(parent, 0o755)
    subprocess.run([*AS_SERVER, f"{PROGRAMS}/initdb", "-D", f"{folder}/data", "-A", "trust", "-E", "UTF8", "--locale=C", "-U", "postgres"], check=True, capture_output=True)
    host = folder.replace("/", "%2F")
    psql = [f"{PROGRAMS}/psql", "-h", folder, "-U", "postgres", "-qAtX", "-v", "ON_ERROR_STOP=1", "-c"]

    def page(block):
        words = block.text.replace("db1.example.com", host).replace("/var/backups/postrider", backups)
        environment = os.environ | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}"}
        done = subprocess.run([*AS_SERVER, "bash", "-euc", words], cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr

    first = database(folder, f"{folder}/data", "-c", "archive_mode=on", "-c", f"archive_command=cp %p {backups}/wal/%f")
    second = None
    try:
        subprocess.run([*psql, "CREATE DATABASE postrider TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"], check=True)
        data, store = f"{folder}/postrider", f"postgresql://postgres@{host}/postrider"
        server, said = serve(data, f"{folder}/serve.log", "--store", store)
        url, key = re.search(r"http://\S+", said)[0], re.search(r"prk_[\w-]+", said)[0]
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

        def push():
            body = {"to": {"all": True}, "message": {"title": "T", "body": "B"}, "send_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86400))}
            asked = urllib.request.Request(f"{url}/v1/apps/demo/pushes", json.dumps(body).encode(), headers)
            return json.load(urllib.request.urlopen(asked, timeout=20))["id"]

        pushes = [push()]
        page(blocks[0])
        pushes.append(push())
        subprocess.run([*psql, "SELECT pg_switch_wal()"], check=True, capture_output=True)
        pushes.append(push())
        stop(server)
        # A primary that is lost leaves what it has archived; a stop archives the rest.
        first.send_signal(signal.SIGINT)
        assert first.wait(60) == 0
        page(blocks[1])
        second = database(folder, f"{backups}/sunday")
        done = subprocess.run([command(), "ledger", "check", "--data", data, "--store", store],
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        checked = json.loads(done.stdout.splitlines()[-1])
        assert checked["sound"] and checked["unopened"] == [] and checked["pushes"] == 3
        server, said = serve(data, f"{folder}/again.log", "--store", store)
        url = re.search(r"http://\S+", said)[0]
        asked = urllib.request.Request(f"{url}/v1/apps/demo/pushes", headers=headers)
        assert {found["id"] for found in json.load(urllib.request.urlopen(asked, timeout=20))["pushes"]} == set(pushes)
        stop(server)
    finally:
        for process in [first, second]:
            if process and process.poll() is None:
                process.send_signal(signal.SIGQUIT)
                process.wait(60)
