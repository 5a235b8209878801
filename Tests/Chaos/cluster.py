"""A cluster on one machine: PostgreSQL with a synchronous standby, nodes of Postrider, HAProxy in front, and the emulator."""

import json
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request

from database import DATABASE, ROLE, Pair
from networks import FAR_HOST, NEAR_HOST
from processes import Failed, Process, ports, wait

APP, TOPIC = "shop", "com.example.shop"
#: What chaos drives: more than one, because rates, providers and webhooks are each app's own, and the database is all of theirs. The
#: last one has the large audience.
APPS = (APP, "cafe", "news")

FRONT = """
global
  maxconn 2000
defaults
  mode http
  timeout connect 1s
  timeout client 90s
  timeout server 90s
  timeout check 1s
  # A request that reached no node is sent to another one; one that may have is not repeated: that is for the caller to decide.
  retries 3
  option redispatch
  option forwardfor
  errorfile 503 {folder}/away.http
frontend api
  bind 127.0.0.1:{port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz
  http-check expect status 200
  default-server check inter 200ms fall 2 rise 1 on-marked-down shutdown-sessions
{servers}
"""
AWAY = ("HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nRetry-After: 1\r\nCache-Control: no-store\r\n"
        "Connection: close\r\n\r\n"
        '{"type":"urn:postrider:problem:busy","title":"Busy","status":503,"detail":"no node is ready"}\n')
# What the virtual devices keep, so that everything that was received can be compared with the ledger.
SCENARIO = {"limits": {"pushes_per_device": 10000, "arising_devices": 100000}}


class Node:
    """One server of Postrider; `url` is where the database is for it."""

    def __init__(self, folder, name, host, port, words, environment):
        self.name, self.host, self.port, self.origin = name, host, port, f"http://{host}:{port}"
        self.is_paused = False
        self.process = Process(name, words, folder / f"{name}.log", environment)

    def is_ready(self):
        try:
            with urllib.request.urlopen(f"{self.origin}/readyz", timeout=2) as answer:
                return answer.status == 200
        except (OSError, urllib.error.URLError):
            return False

    def start(self):
        self.process.start()
        self.is_paused = False

    def wait_ready(self, seconds=60):
        def is_ready():
            self.process.expect()
            return self.is_ready()

        wait(is_ready, f"{self.name} is ready", seconds)

    def pause(self):
        self.process.send(signal.SIGSTOP)
        self.is_paused = True

    def resume(self):
        self.process.send(signal.SIGCONT)
        self.is_paused = False


class Cluster:
    """All of it; `routes` maps the port of a database server to the port by which a node reaches it, and with `networks` each node has
    a network of its own."""

    def __init__(self, folder, program, count=3, port=0, node_options=(), routes=None, networks=None, apps=(APP,)):
        self.folder, self.program = pathlib.Path(folder).resolve(), program
        self.count, self.node_options, self.apps = count, node_options, apps
        free = ports(3 + count)
        self.port = port or free[2]
        self.origin = f"http://127.0.0.1:{self.port}"
        self.database_ports, self.node_ports = free[:2], free[3:]
        self.routes, self.networks = routes or (lambda node, server: server), networks
        #: Where nodes find callers and gateways, and where the database.
        self.near, self.far = (NEAR_HOST, FAR_HOST) if networks else ("127.0.0.1", "127.0.0.1")
        self.key = "prk_" + secrets.token_urlsafe(32)
        #: The names of nodes that reach the database without a proxy between.
        self.direct = []
        self.nodes, self.devices = [], []
        self.pair = self.front = self.emulator = None

    # MARK: - Starting

    def start(self, say=lambda text: None):
        if self.folder.exists() and any(self.folder.iterdir()):
            raise Failed(f"{self.folder} is not empty; remove it, or choose another --folder")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o755)
        say("PostgreSQL: a primary and a synchronous standby")
        password = secrets.token_hex(16)
        self.secret("store-password", password)
        self.secret("admin-key", self.key)
        self.pair = Pair(self.folder, self.database_ports, self.far)
        self.pair.create(password)
        say("the emulator of APNs and FCM")
        self.start_emulator()
        say(f"{self.count} {'node' if self.count == 1 else 'nodes'} of Postrider")
        self.start_nodes()
        self.start_front()
        self.create_apps()

    def secret(self, name, text):
        path = self.folder / name
        path.touch(mode=0o600)
        path.write_text(text + "\n")

    def start_emulator(self):
        folder = self.folder / "emulator"
        folder.mkdir()
        (folder / "scenario.json").write_text(json.dumps(SCENARIO))
        self.emulator = Process(
            "emulator",
            [self.program, "emulate", "--host", self.near, "--apns-port", "0", "--fcm-port", "0", "--port", "0", "--scenario",
             str(folder / "scenario.json"), "--out", str(folder)],
            self.folder / "emulator.log", stdout=subprocess.PIPE).start()
        line = self.emulator.running.stdout.readline()
        self.emulator.running.stdout.close()
        if not line:
            raise Failed(f"the emulator did not start: {self.emulator.tail()}")
        self.emulated = json.loads(line)

    def store_url(self, node):
        servers = [self.routes(node, server.port) for server in self.pair.servers]
        hosts = ",".join(f"{self.far}:{port}" for port in servers)
        proof = f"&sslmode=verify-full&sslrootcert={self.folder}/database.crt" if self.networks else ""
        return f"postgresql://{ROLE}@{hosts}/{DATABASE}?target_session_attrs=read-write{proof}"

    def start_nodes(self):
        environment = {"POSTRIDER_SEALING_KEY": secrets.token_hex(32)}
        for number, port in enumerate(self.node_ports, 1):
            name = f"node{number}"
            host = self.networks.address(name) if self.networks else "127.0.0.1"
            words = [*(self.networks.inside(name) if self.networks else ()),
                     self.program, "serve", "--data", str(self.folder / name), "--node", name, "--store", self.store_url(name),
                     "--store-password-file", str(self.folder / "store-password"), "--host", host, "--port", str(port),
                     "--admin-key-file", str(self.folder / "admin-key"), "--trusted-proxy", self.near,
                     "--allow-private-webhooks", *self.node_options]
            self.nodes.append(Node(self.folder, name, host, port, words, environment))
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            node.wait_ready()

    def start_front(self):
        (self.folder / "away.http").write_text(AWAY, newline="")
        servers = "\n".join(f"  server {node.name} {node.host}:{node.port}" for node in self.nodes)
        path = self.folder / "haproxy.cfg"
        path.write_text(FRONT.format(folder=self.folder, port=self.port, servers=servers))
        program = shutil.which("haproxy", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
        if program is None:
            raise Failed("HAProxy is not installed: apt-get install haproxy")
        self.front = Process("haproxy", [program, "-db", "-q", "-f", str(path)], self.folder / "haproxy.log").start()

        def answers():
            self.front.expect()
            try:
                with urllib.request.urlopen(f"{self.origin}/readyz", timeout=2) as answer:
                    return answer.status == 200
            except (OSError, urllib.error.URLError):
                return False

        wait(answers, f"HAProxy serves at {self.origin}", 30)

    def create_apps(self):
        folder = self.folder / "emulator"
        authority = (folder / "ca.pem").read_text()
        gateway = lambda url: {"host": self.near, "port": int(url.rsplit(":", 1)[1]), "ca": authority}  # noqa: E731
        self.credentials = {
            "apns": {"topic": TOPIC, "key": (folder / "apns-key.p8").read_text(), "key_id": self.emulated["key_id"],
                     "team_id": self.emulated["team_id"], "gateway": gateway(self.emulated["apns"])},
            "fcm": {"service_account": json.loads((folder / "service-account.json").read_text()),
                    "gateway": gateway(self.emulated["fcm"])}}
        for app in self.apps:
            self.ask("POST", "/v1/apps", {"name": app, "contract": "native"})
            self.ask("PUT", f"/v1/apps/{app}/credentials", self.credentials)

    def ask(self, method, path, body=None):
        """One request through HAProxy that must succeed."""
        request = urllib.request.Request(
            self.origin + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                content = answer.read()
        except urllib.error.HTTPError as error:
            raise Failed(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}") from error
        return json.loads(content) if content else None

    def control(self, method, path, body=None):
        """One request to the emulator's control API."""
        request = urllib.request.Request(
            self.emulated["control"] + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.emulated['control_token']}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    # MARK: - Acts

    def node(self, name):
        found = next((node for node in self.nodes if node.name == name), None)
        if found is None:
            raise Failed(f"there is no {name}; there are {', '.join(node.name for node in self.nodes)}")
        return found

    def stop(self):
        """Ends everything; returns how the nodes ended, by name."""
        ended = {}
        for node in self.nodes:
            node.process.send(signal.SIGCONT)
            node.process.send(signal.SIGTERM)
        for node in self.nodes:
            ended[node.name] = node.process.wait_ended(30)
        for process in (self.front, self.emulator):
            if process:
                process.stop()
        if self.pair:
            self.pair.stop()
        return ended

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def fail(text):
    print(text, file=sys.stderr)
    sys.exit(1)
