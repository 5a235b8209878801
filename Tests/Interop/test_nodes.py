"""Two nodes on one database with a synchronous standby, behind HAProxy, which sends each request to the other node in turn.

What one node does at a time goes on when its process is killed, without being done twice; clients of several requests see what
they have written whichever node answers; and `postrider doctor` says what it should of the database.
"""

import collections
import contextlib
import datetime
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

import test_compat_onesignal as onesignal_tests
from client_walk import Driver, walk
from conftest import ROOT, command
from oidc_provider import running as running_provider
from serving import Answer, wait
from test_chaos import HAS_POSTGRES, open_folder_of

sys.path += [str(ROOT / "Tests/Chaos"), str(ROOT / "Tests/Callers")]

from callers import Hooks, is_signed  # noqa: E402
from client import Client  # noqa: E402
from cluster import APP, Cluster  # noqa: E402

pytestmark = pytest.mark.skipif(not HAS_POSTGRES and "CHAOS_MINUTES" not in os.environ, reason="PostgreSQL is not installed")
BASE = f"/v1/apps/{APP}"
MESSAGE = {"title": "Hello", "body": "World"}
# A duty's term, and the time to notice that it is over on a busy machine.
TAKEN_OVER = 60


@pytest.fixture(scope="module")
def cluster():
    with open_folder_of() as folder, running_provider(knows_clients=False) as provider, pytest.MonkeyPatch.context() as patch:
        patch.setenv("POSTRIDER_OIDC_SECRET", "walks with it")
        made = Cluster(folder / "cluster", str(pathlib.Path(command()).resolve()), count=2, node_options=[
            "--oidc-issuer", provider.issuer, "--oidc-client-id", "walk", "--oidc-name", "Example"])
        try:
            made.start()
            yield made
        finally:
            made.stop()


@pytest.fixture
def client(cluster):
    return Client(cluster.origin, cluster.key)


class Front:
    """HAProxy as a server that the tests of single servers can be given."""

    def __init__(self, cluster):
        self.origin, self.key = cluster.origin, cluster.key
        self.client = Client(cluster.origin, cluster.key)

    def done(self, method, path, body=None):
        return self.client.done(method, path, body)

    def ask(self, method, path, body=None, headers=()):
        """Status, headers and body of one request on a connection of its own."""
        line = http.client.HTTPConnection(self.origin.removeprefix("http://"), timeout=60)
        try:
            content = None if body is None else json.dumps(body).encode()
            line.request(method, path, content, {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json", **dict(headers)})
            answer = line.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            line.close()


def nodes(client):
    return client.done("GET", "/v1/nodes")["nodes"]


def holder(client, duty, but=None):
    """The name of the node that has a duty, once there is one; `but` is one that is dead."""
    found = lambda: next((one["name"] for one in nodes(client) if duty in one["duties"] and one["name"] != but), None)  # noqa: E731
    return wait(found, f"a node with the duty {duty}", TAKEN_OVER)


@contextlib.contextmanager
def killed(cluster, name):
    """Without warning; it is back behind the block."""
    node = cluster.node(name)
    node.process.kill()
    try:
        yield
    finally:
        node.start()
        node.wait_ready()


def test_each_request_goes_to_the_other_node(cluster):
    front = Front(cluster)
    asked = [front.ask("GET", "/readyz").json["node"] for _ in range(6)]
    assert asked in (["node1", "node2"] * 3, ["node2", "node1"] * 3), asked


# --- What one node does at a time


def test_a_schedule_runs_once_while_its_holders_are_killed(cluster, client):
    """One run a second, for a minute in which the node that makes them dies three times."""
    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    due = {}
    for number in range(60):
        start = now + datetime.timedelta(seconds=6 + number)
        made = client.done("POST", f"{BASE}/schedules", {
            "message": MESSAGE, "to": {"tokens": [{"type": "android", "token": f"run-{number}"}]},
            "repeat": {"every": "day", "start": start.strftime("%Y-%m-%dT%H:%M:%S"), "timezone": "UTC"}})
        due[made["id"]] = start
    names = []
    for _ in range(3):
        names.append(holder(client, "schedules", but=names[-1] if names else None))
        time.sleep(2)
        with killed(cluster, names[-1]):
            holder(client, "schedules", but=names[-1])
    assert names[0] != names[1] != names[2]

    def runs():
        authors = [push.get("author", {}) for push in client.rows(f"{BASE}/pushes", "pushes")]
        return collections.Counter(author["id"] for author in authors if author.get("kind") == "schedule")

    def missing():
        return sorted((due[name] - now).seconds for name in set(due) - set(runs()))

    for _ in range(120):
        if not missing():
            break
        time.sleep(1)
    assert missing() == [], "runs that were never made, in seconds"
    # A second one would come with the next look, or when a successor has the duty.
    time.sleep(3)
    assert {name: count for name, count in runs().items() if name in due} == dict.fromkeys(due, 1)
    for one in due:
        client.done("DELETE", f"{BASE}/schedules/{one}")


class Holding(Hooks):
    """Takes the first batch and does not answer until it is told to; remembers which came when."""

    def __init__(self):
        self.came, self.secret = [], None
        self.first, self.released = threading.Event(), threading.Event()
        super().__init__()

    def take(self, _, headers, body):
        with self.lock:
            self.came.append((headers["Postrider-Batch"], body))
            is_first = len(self.came) == 1
            if not is_signed(headers, body, [self.secret]):
                self.faults.append(f"batch {headers['Postrider-Batch']} is not signed")
        if is_first:
            self.first.set()
            self.released.wait(120)
            return None
        return 200


def test_a_batch_is_told_again_by_the_node_that_takes_over(cluster, client):
    """Its holder is killed while it waits for the receiver: the other one tells the same batch, and nobody does meanwhile."""
    hooks = Holding()
    made = client.done("POST", f"{BASE}/webhooks", {"url": f"http://127.0.0.1:{hooks.port}/", "types": ["push.finished"]})
    hooks.secret = made["secret"]
    try:
        client.done("POST", f"{BASE}/pushes", {"message": MESSAGE, "to": {"tokens": [{"type": "android", "token": "told"}]}})
        assert hooks.first.wait(60), "no batch came"
        name = holder(client, "webhooks")
        time.sleep(2)
        assert len(hooks.came) == 1, "another node tells it, too"
        with killed(cluster, name):
            wait(lambda: len(hooks.came) > 1, "the batch once more", TAKEN_OVER)
        holder(client, "webhooks", but=None)
        # Acknowledged now, it comes no more, also from the node that is back.
        time.sleep(3)
        assert len(hooks.came) == 2 and hooks.came[0] == hooks.came[1], hooks.came
        assert hooks.faults == []
    finally:
        hooks.released.set()
        hooks.close()
        client.done("DELETE", f"{BASE}/webhooks/{made['id']}")


def test_an_import_whose_node_dies_is_reported_and_sent_again(cluster, client):
    lines = [json.dumps({"type": "android", "token": f"import-{number}", "name": f"import-{number}"}).encode() + b"\n" for number in range(4_000)]
    body = b"".join(lines)
    node = cluster.node("node1")
    with socket.create_connection(("127.0.0.1", node.port), timeout=60) as line:
        line.sendall(f"PUT {BASE}/devices/import HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {cluster.key}\r\n"
                     f"Content-Type: application/x-ndjson\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body[: len(body) // 2])
        shown = lambda: next(iter(client.done("GET", f"{BASE}/devices/imports")["imports"]), {})  # noqa: E731
        wait(lambda: shown().get("node") == "node1" and shown().get("created", 0) > 0, "the import under way", 60)
        with killed(cluster, "node1"):
            wait(lambda: not shown()["running"], "its end", TAKEN_OVER)
            assert "send the file again" in shown()["problem"], shown()
            again = client.done("PUT", f"{BASE}/devices/import", body, headers=[("Content-Type", "application/x-ndjson")])
    assert again["lines"] == 4_000 and again["failed"] == 0, again
    assert again["created"] < 4_000, "what the first one has stored is registered already"
    names = collections.Counter(one.get("name", "") for one in client.lines(f"{BASE}/devices/export"))
    assert {name: count for name, count in names.items() if name.startswith("import-")} == {f"import-{number}": 1 for number in range(4_000)}
    # The node that is back knows of it, too.
    assert "send the file again" in client.done("GET", f"{BASE}/devices/imports")["imports"][1]["problem"]


# --- Requests by turns


def test_our_client_drives_every_operation_by_turns(package, cluster, emulator):
    """The tour of all operations as one server has it: each answer is as if the node before had given it."""
    front = Front(cluster)
    with urllib.request.urlopen(f"{front.origin}/openapi.json", timeout=60) as answer:
        document = json.loads(answer.read())
    drive = Driver(package.Client(front.origin, front.key), document)
    walk(drive, front, emulator, package.models, lambda: Driver(package.Client(front.origin.replace("127.0.0.1", "localhost")), document))
    drive.close()
    assert drive.faults == []
    assert drive.operations.all - drive.seen == set()


OF_ONESIGNAL = [
    onesignal_tests.test_a_message_arrives_as_our_own_api_sends_it, onesignal_tests.test_a_notification_is_shown_listed_and_counted,
    onesignal_tests.test_a_message_waits_and_is_canceled, onesignal_tests.test_a_message_is_made_from_a_template,
    onesignal_tests.test_the_same_key_makes_one_message, onesignal_tests.test_segments_filters_and_who_is_left_out,
    onesignal_tests.test_users_are_made_shown_changed_and_forgotten, onesignal_tests.test_subscriptions_are_added_changed_given_away_and_deleted,
    onesignal_tests.test_users_have_aliases_of_any_label, onesignal_tests.test_segments_are_made_listed_changed_and_deleted,
]


@pytest.mark.parametrize("judge", OF_ONESIGNAL, ids=lambda judge: judge.__name__)
def test_a_vendors_client_works_by_turns(judge, cluster, running):
    number = next(onesignal_tests.numbers) + 100
    running.scenario()
    judge(onesignal_tests.Shop(Front(cluster), running, f"turns{number}", number))


def test_what_was_written_is_read_at_the_next_node(cluster, client):
    """Lists, conditions, keys that repeat, and sessions."""
    front = Front(cluster)
    for number in range(20):
        name = f"turn-{number}"
        front.done("PUT", f"{BASE}/templates/{name}", {"message": MESSAGE})
        assert name in [one["name"] for one in client.done("GET", f"{BASE}/templates")["templates"]]
        tag = front.ask("GET", f"{BASE}/templates/{name}").headers["ETag"]
        changed = {"message": {**MESSAGE, "title": name}}
        assert front.ask("PUT", f"{BASE}/templates/{name}", changed, headers=[("If-Match", tag)]).status == 200
        stale = front.ask("PUT", f"{BASE}/templates/{name}", {"message": MESSAGE}, headers=[("If-Match", tag)])
        assert stale.status == 412, stale
        assert front.ask("GET", f"{BASE}/templates/{name}").json["message"]["title"] == name
        device = front.done("POST", f"{BASE}/devices", {"type": "android", "token": f"turn-{number}", "user": name})
        assert [one["id"] for one in client.rows(f"{BASE}/devices?user={name}", "devices")] == [device["id"]]
        body = {"message": MESSAGE, "to": {"users": [name]}}
        made = [front.ask("POST", f"{BASE}/pushes", body, headers=[("Idempotency-Key", name)]) for _ in range(4)]
        assert {one.status for one in made} == {202} and len({one.json["id"] for one in made}) == 1, made
        assert front.done("GET", f"{BASE}/pushes?limit=1")["pushes"][0]["id"] == made[0].json["id"]
    signed = front.ask("POST", "/session", {"key": front.key})
    cookie = signed.headers["Set-Cookie"].split(";")[0]
    for _ in range(6):
        with_session = urllib.request.Request(f"{front.origin}/v1/apps", headers={"Cookie": cookie})
        with urllib.request.urlopen(with_session, timeout=60) as answer:
            assert answer.status == 200


# --- The database is away


# What each node may have leased at once for a campaign (`DeliveryOptions.window`).
WINDOW, AUDIENCE = 20_000, 90_000
# A minute, in which the term of every lease passes several times.
AWAY_SECONDS = 65
# What a node may need more for outcomes that wait: those of the window are leased, and have their memory, before.
WAITING_BYTES = 24 << 20


def resident(node):
    return 1024 * next(int(line.split()[1]) for line in pathlib.Path(f"/proc/{node.process.pid}/status").read_text().splitlines()
                       if line.startswith("VmRSS"))


def test_a_minute_without_the_database_and_a_full_window(cluster, client):
    """What is on the wire ends, its outcomes wait in bounded memory and are written afterwards, and nothing is acknowledged meanwhile."""
    base = "/v1/apps/minute"
    client.done("POST", "/v1/apps", {"name": "minute", "contract": "native"})
    client.done("PUT", f"{base}/credentials", cluster.credentials)
    lines = b"".join(json.dumps({"type": "ios", "token": f"{number:064x}"}).encode() + b"\n" for number in range(AUDIENCE))
    client.done("PUT", f"{base}/devices/import", lines, headers=[("Content-Type", "application/x-ndjson")])
    pair = cluster.pair
    received = lambda: sum(one["accepted"] for one in cluster.control("GET", "/devices") if one["provider"] == "apns")  # noqa: E731
    before = received()
    made = client.done("POST", f"{base}/pushes", {"message": MESSAGE, "to": {"all": True}, "campaign": "minute", "unknown": "leave"})
    counted = lambda: client.done("GET", f"{base}/pushes/{made['id']}")["counts"]  # noqa: E731
    try:
        # A window grows with what is answered, and is full when the gateway is slow then.
        wait(lambda: counted()["accepted"] >= AUDIENCE // 3, "large windows", 60)
        cluster.control("POST", "/rules", {"name": "slow", "provider": "apns", "latency": {"uniform": [2000, 4000]}})
        wait(lambda: counted()["in_flight"] >= WINDOW, "as much in flight as a window has room for", 60)
        memory = {node.name: resident(node) for node in cluster.nodes}
        written = counted()["accepted"]
        for server in pair.servers:
            server.process.kill()
        gone = time.monotonic()
        most = dict(memory)
        while time.monotonic() < gone + AWAY_SECONDS:
            time.sleep(1)
            for node in cluster.nodes:
                node.process.expect()
                most[node.name] = max(most[node.name], resident(node))
                one = Client(node.origin, cluster.key)
                status, body = one.ask("POST", f"{base}/pushes", {"message": MESSAGE, "to": {"all": True}})
                assert status == 503, (node.name, status, body)
                status, body = one.ask("GET", "/readyz")
                assert status == 503 and b"cannot be reached" in body, (node.name, status, body)
        on_the_wire = received() - before
        assert written < on_the_wire <= written + WINDOW * len(cluster.nodes), (written, on_the_wire)
        grown = {name: most[name] - memory[name] for name in memory}
        assert all(bytes < WAITING_BYTES for bytes in grown.values()), grown
    finally:
        cluster.control("DELETE", "/rules")
        if not pair.primary.process.alive():
            pair.primary.start()
            pair.rejoin()
    wait(lambda: client.done("GET", f"{base}/pushes/{made['id']}").get("finished_at"), "the end of the campaign", 120)
    counts = counted()
    assert counts["accepted"] == counts["targeted"] == AUDIENCE, counts
    phones = [one["accepted"] for one in cluster.control("GET", "/devices") if one["provider"] == "apns" and int(one["token"], 16) < AUDIENCE]
    assert collections.Counter(phones) == {1: AUDIENCE}, collections.Counter(phones)
    [only] = client.rows(f"{base}/pushes", "pushes")
    assert only["id"] == made["id"], "a push was made that nobody acknowledged"


# --- The database as `postrider doctor` sees it


def doctor(cluster, server, *options):
    """Exit status and findings of a look at the database by its one server."""
    url = f"postgresql://postrider@127.0.0.1:{server.port}/postrider"
    words = [command(), "doctor", "--quick", "--offline", "--json", "--data", str(cluster.folder / "doctor"), "--store", url,
             "--store-password-file", str(cluster.folder / "store-password"), *options]
    (cluster.folder / "doctor").mkdir(exist_ok=True)
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, env={**os.environ, "POSTRIDER_SEALING_KEY": "5a" * 32})
    return done.returncode, {check["check"]: check for check in json.loads(done.stdout)["checks"]}


def test_doctor_says_what_becomes_of_commits(cluster):
    pair = cluster.pair
    said = lambda: (lambda one: (one["result"], one["detail"], one.get("remedy", "")))(doctor(cluster, pair.primary)[1]["standby"])  # noqa: E731
    assert said() == ("warning", "1 standby; whether commits wait for it is not shown to postrider", "GRANT pg_monitor TO postrider, and look again.")
    pair.primary.sql("GRANT pg_monitor TO postrider")
    try:
        assert said()[:2] == ("ok", "1 standby, 1 of them synchronous")
        status, findings = doctor(cluster, pair.standby)
        assert status == 1 and findings["database"]["result"] == "error", findings
        assert "session is read-only" in findings["database"]["detail"] and "name every host in the URL" in findings["database"]["remedy"]
        pair.primary.demand("")
        wait(lambda: said()[:2] == ("warning", "1 standby, none of them synchronous: a failover may lose the last acknowledged pushes"), "asynchronous", 30)
        # Gone while commits wait for it: the one error, because nothing is written.
        pair.primary.demand("*")
        pair.wait_synchronous()
        pair.standby.process.kill()
        wait(lambda: said()[:2] == ("error", "none, and commits wait for one: nothing is written"), "no standby", 30)
        assert "synchronous_standby_names" in said()[2] and doctor(cluster, pair.primary)[0] == 1
        pair.primary.demand("")
        wait(lambda: said()[0] == "warning" and said()[1].startswith("none: the loss of the server's machine"), "nobody is waited for", 30)
    finally:
        if not pair.standby.process.alive():
            pair.rejoin()
        pair.primary.demand("*")
        pair.wait_synchronous()
        pair.primary.sql("REVOKE pg_monitor FROM postrider")


def test_a_server_refuses_a_standby_as_its_primary(cluster):
    words = [command(), "serve", "--data", str(cluster.folder / "refused"), "--node", "refused", "--port", "0",
             "--store", f"postgresql://postrider@127.0.0.1:{cluster.pair.standby.port}/postrider",
             "--store-password-file", str(cluster.folder / "store-password")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, env={**os.environ, "POSTRIDER_SEALING_KEY": "5a" * 32})
    assert done.returncode == 3, done
    assert "refuses the connection" in done.stderr and "name every host in the URL" in done.stderr, done.stderr
