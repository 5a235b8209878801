"""An app that moves to a cluster of its own, as docs/scale.md shows: HAProxy looks at the app in the path."""

import json
import pathlib
import shutil
import socket
import subprocess
import urllib.parse

import pytest

import pages
from conftest import ROOT, command
from serving import Server, wait

HAPROXY = shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin:/usr/bin")


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


ROUTES, MOVE = (block.text for block in pages.taken(text("docs/scale.md"), "test_clusters.py"))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.mark.skipif(HAPROXY is None, reason="HAProxy is not installed: script/bootstrap --interop")
def test_an_app_moves(tmp_path):
    first, second = Server(tmp_path / "first"), Server(tmp_path / "second")
    for server, name in ((first, "shop"), (first, "cafe"), (second, "cafe")):
        server.done("POST", "/v1/apps", {"name": name, "contract": "native"})
    old, new = (server.done("POST", "/v1/keys", {"name": "phones", "scopes": ["client"], "app": "cafe"})["key"] for server in (first, second))
    path = "/v1/apps/cafe/devices"
    one = {"name": "phone-1", "type": "ios", "token": "1" * 64, "user": "ann", "tags": ["vip"], "properties": {"plan": "pro"}, "opt_out": True}
    first.done("POST", path, one)
    retired = {"name": "phone-2", "type": "ios", "token": "2" * 64, "state": "retired", "state_reason": "Unregistered"}
    first.done("PUT", f"{path}/import", json.dumps(retired).encode(), content_type="application/x-ndjson")
    ann = {"email": "ann@example.com", "aliases": {"crm": "4711"}, "tags": ["staff"], "properties": {"plan": "pro"}, "opt_out_categories": ["news"]}
    people = {"ann": ann, "bob": {"opt_out": True}, "Zoë/1": {"entitlements": {"premium": True}}}
    for name, change in people.items():
        first.done("PATCH", f"/v1/apps/cafe/users/{urllib.parse.quote(name, safe='')}", change)
    for server, name in ((first, "first-key"), (second, "second-key")):
        (tmp_path / name).touch(mode=0o600)
        (tmp_path / name).write_text(server.key)

    def move():
        words = MOVE.replace("http://10.0.1.11:8787", first.origin).replace("http://10.0.2.11:8787", second.origin).replace("limit=200", "limit=2")
        environment = {"PATH": f"{pathlib.Path(command()).resolve().parent}:/usr/bin:/bin", "HOME": str(tmp_path)}
        done = subprocess.run(["bash", "-euc", words], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr

    def devices(server):
        found = server.ask("GET", f"{path}/export").content.decode().splitlines()
        return sorted(({name: value for name, value in json.loads(line).items() if name != "id"} for line in found), key=lambda one: one["name"])

    def users(server):
        found = server.done("GET", "/v1/apps/cafe/users")["users"]
        return {user["user"]: {name: value for name, value in user.items() if not name.endswith("_at")} for user in found}

    move()
    assert users(first) == users(second) and users(second).keys() == people.keys()
    assert users(second)["bob"]["opt_out"] and users(second)["ann"]["opt_out_categories"] == ["news"]
    # Registered between the copy and the change of routes.
    first.done("POST", path, {"name": "phone-3", "type": "android", "token": "late:APA91b" + "Phone" * 8}, key=old)
    port = free_port()
    routes = ROUTES.replace("127.0.0.1:8787", f"127.0.0.1:{port}").replace("10.0.1.11:8787", f"127.0.0.1:{first.port}")
    routes = routes.replace("10.0.2.11:8787", f"127.0.0.1:{second.port}").replace("$NEW_KEY", new).replace("$OLD_KEY", old)
    (tmp_path / "haproxy.cfg").write_text("defaults\n  mode http\n  timeout connect 5s\n  timeout client 30s\n  timeout server 30s\n" + routes)
    front = subprocess.Popen([HAPROXY, "-db", "-q", "-f", str(tmp_path / "haproxy.cfg")])
    try:
        move()
        assert devices(first) == devices(second) and len(devices(second)) == 3
        assert [one.get("state") for one in devices(second)][1] == "retired"
        through = Through(second, port)
        wait(through.answers, "HAProxy")
        # A phone with the key that it was built with, and a token that has changed.
        made = through.done("POST", path, {**one, "token": "9" * 64}, key=old)
        assert second.done("GET", f"{path}/{made['id']}")["token"] == "9" * 64
        assert {one["token"] for one in devices(first)}.isdisjoint({"9" * 64})
        # Of other apps, and of paths that only begin with its name, the first cluster knows.
        assert through.done("GET", "/v1/apps/shop", key=first.key)["name"] == "shop"
        assert through.ask("GET", "/v1/apps/cafeteria", key=first.key).status == 404
        assert through.ask("GET", "/v1/apps/shop", key=second.key).status == 401
        assert through.ask("GET", "/v1/apps/cafe", key=first.key).status == 401
    finally:
        front.terminate()
        front.wait(30)
    for server in (first, second):
        server.stop()


class Through(Server):
    """A server asked through another port."""

    def __init__(self, server, port):
        self.process, self.key, self.port, self.requests, self.kept = server.process, server.key, port, 0, type(server.kept)()

    def answers(self):
        self.kept.line = None
        try:
            return self.ask("GET", "/v1/apps/cafe").status == 200
        except OSError:
            return False
