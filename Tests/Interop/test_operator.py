"""The operator's half of the server, against the program itself: several apps and their credentials, rotation, secrets, keys."""

import base64
import concurrent.futures
import json
import re
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

import pytest

from conftest import command

TOPIC = "com.example.app"


class Server:
    """`postrider serve` on a data folder, and everything that it has ever said."""

    def __init__(self, folder):
        self.folder, self.data = folder, folder / "data"
        self.said = []
        self.process = subprocess.Popen(
            [command(), "serve", "--data", str(self.data), "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.hello = ""
        while "prk_" not in self.hello:
            line = self.process.stdout.readline().decode()
            assert line, "the server ended"
            self.hello += line
        self.url = re.search(r"http://[0-9.:]+", self.hello)[0]
        self.key = re.search(r"prk_[A-Za-z0-9_-]+", self.hello)[0]
        self.log = b""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            self.log += line

    def ask(self, method, path, body=None, key=None, headers=()):
        """Status, answer and headers of one request."""
        request = urllib.request.Request(
            self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {key or self.key}", **dict(headers)})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                status, content, found = answer.status, answer.read(), answer.headers
        except urllib.error.HTTPError as error:
            status, content, found = error.code, error.read(), error.headers
        self.said.append(content)
        return status, json.loads(content) if content[:1] in (b"{", b"[") else content, found

    def done(self, method, path, body=None, **more):
        status, answer, _ = self.ask(method, path, body, **more)
        assert status < 300, (method, path, status, answer)
        return answer

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            assert self.process.wait(timeout=60) == 0
            self.reader.join(timeout=30)


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path)
    yield server
    server.process.kill()
    server.process.wait()


def openssl(*words, given=None):
    return subprocess.run(["openssl", *words], input=given, capture_output=True, check=True, timeout=60).stdout


class Keys:
    """Two keys for APNs that the emulator knows, a certificate, and the emulator's service account."""

    def __init__(self, running, folder):
        authority = (running.folder / "ca.pem").read_text()
        self.apns_gateway = {"host": "127.0.0.1", "port": running.apns_port, "ca": authority}
        self.first = {"topic": TOPIC, "key": (running.folder / "apns-key.p8").read_text(), "key_id": "EMULATEKEY",
                      "team_id": "EMULATETEA", "gateway": self.apns_gateway}
        second = openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256").decode()
        public = openssl("pkey", "-pubout", given=second.encode()).decode()
        running.call("POST", "/keys", {"key_id": "SECONDKEY0", "team_id": "EMULATETEA", "public_key": public})
        self.second = {**self.first, "key": second, "key_id": "SECONDKEY0"}
        self.account = json.loads((running.folder / "service-account.json").read_text())
        self.fcm = {"service_account": self.account,
                    "gateway": {"host": "127.0.0.1", "port": running.fcm_port, "ca": authority}}
        pem, p12 = folder / "client.pem", folder / "client.p12"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(folder / "client.key"), "-out", str(pem),
                "-days", "2", "-subj", f"/UID={TOPIC}/CN=Apple Push Services")
        openssl("pkcs12", "-export", "-inkey", str(folder / "client.key"), "-in", str(pem), "-out", str(p12), "-passout",
                "pass:a-password-of-its-own")
        self.client_key = (folder / "client.key").read_text()
        self.pem = pem.read_text() + self.client_key
        self.p12 = base64.b64encode(p12.read_bytes()).decode()

    def secrets(self):
        """What must stand nowhere: lines of each private key, the certificate file, its password."""
        found = ["a-password-of-its-own", self.p12[:60], self.p12[400:460]]
        for text in (self.first["key"], self.second["key"], self.client_key, self.account["private_key"]):
            lines = [line for line in text.splitlines() if line and "-----" not in line]
            found += [lines[0], lines[-2], base64.b64decode("".join(lines))[-60:].hex()]
        return found


@pytest.fixture
def keys(emulator, tmp_path):
    return Keys(emulator, tmp_path)


def finished(server, app, push):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        shown = server.done("GET", f"/v1/apps/{app}/pushes/{push}")
        if "finished_at" in shown:
            return shown["counts"]
        time.sleep(0.05)
    raise AssertionError(f"push {push} is not over: {shown}")


def push_to(token, **more):
    return {"contract": "native", "message": {"title": "T", "body": "B"}, "to": {"tokens": [{"token": token, **more}]}}


def test_several_apps_have_credentials_of_every_kind(server, keys):
    """Token, PKCS#12, PEM, sandbox, several topics, FCM; what is wrong is said before anything is saved."""
    for name, contract in (("shop", "amba"), ("chat", "imkit"), ("bank", "powerauth")):
        server.done("POST", "/v1/apps", {"name": name, "contract": contract})
    certificate = {"topic": TOPIC, "gateway": keys.apns_gateway}
    shown = server.done("PUT", "/v1/apps/shop/credentials?check=true", {
        "apns": {**keys.first, "topics": ["com.example.lite"]}, "fcm": keys.fcm,
        "apns_sandbox": {**keys.second, "topic": "com.example.app.dev"}})
    assert set(shown) == {"apns", "apns_sandbox", "fcm"} and shown["fcm"]["project_id"] == keys.account["project_id"]
    p12 = {**certificate, "certificate_p12": keys.p12, "password": "a-password-of-its-own"}
    assert server.done("PUT", "/v1/apps/chat/credentials", {"apns": p12})["apns"]["kind"] == "certificate"
    pem = {**certificate, "certificate_pem": keys.pem}
    assert server.done("PUT", "/v1/apps/bank/credentials", {"apns": pem})["apns"]["kind"] == "certificate"
    # A dry run says what each provider says.
    checked = server.done("POST", "/v1/apps/shop/credentials/check", {})
    assert {slot: said["usable"] for slot, said in checked.items()} == {"apns": True, "apns_sandbox": True, "fcm": True}
    p384 = openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384").decode()
    strange = {**keys.fcm, "service_account": {**keys.account, "private_key": openssl("genrsa", "2048").decode()}}
    for path, body, words in [
        ("", {"apns": {**keys.first, "key": "no key"}}, "apns.key"),
        ("", {"apns": {**keys.first, "key": p384}}, "P-256"),
        ("", {"apns": {**p12, "password": "another"}}, "apns.certificate_p12"),
        ("", {"fcm": {**keys.fcm, "service_account": {"type": "authorized_user"}}}, "fcm.service_account"),
        ("?check=true", {"apns": {**keys.first, "key_id": "SECONDKEY0"}}, "InvalidProviderToken"),
        ("?check=true", {"fcm": strange}, "fcm"),
    ]:
        status, problem, _ = server.ask("PUT", f"/v1/apps/shop/credentials{path}", body)
        assert status == 422 and words in json.dumps(problem), problem
    assert server.done("GET", "/v1/apps/shop/credentials") == shown
    for body in (push_to("ab" * 32, type="ios"), push_to("ac" * 32, type="ios", environment="development"),
                 push_to("demo:APA91bDemo", type="android"), {**push_to("ad" * 32, type="ios"), "topic": "com.example.lite"}):
        counts = finished(server, "shop", server.done("POST", "/v1/apps/shop/pushes", body)["id"])
        assert counts["accepted"] == 1, (body, counts)


def test_credentials_rotate_without_a_gap(server, keys):
    server.done("POST", "/v1/apps", {"name": "shop", "contract": "native"})
    server.done("PUT", "/v1/apps/shop/credentials", {"apns": keys.first})
    turns, over = 0, threading.Event()

    def rotate():
        nonlocal turns
        while not over.is_set():
            for credential in (keys.second, keys.first):
                server.done("PUT", "/v1/apps/shop/credentials", {"apns": credential})
                turns += 1

    with concurrent.futures.ThreadPoolExecutor(max_workers=3) as pool:
        rotating = pool.submit(rotate)
        made = []
        for number in range(300):
            made.append(server.done("POST", "/v1/apps/shop/pushes", push_to(f"{number:064x}", type="ios"))["id"])
        counts = [finished(server, "shop", push) for push in made]
        over.set()
        rotating.result(timeout=120)
    assert turns >= 2
    assert all(count["accepted"] == 1 for count in counts), [count for count in counts if count["accepted"] != 1]
    assert "stopped" not in server.done("GET", "/v1/apps/shop")


def test_secrets_stand_in_no_file_log_answer_export_or_backup(server, keys, tmp_path):
    server.done("POST", "/v1/apps", {"name": "shop", "contract": "native"})
    for body in ({"apns": keys.first, "fcm": keys.fcm}, {"apns": keys.second},
                 {"apns_sandbox": {"topic": TOPIC, "gateway": keys.apns_gateway, "certificate_p12": keys.p12,
                                   "password": "a-password-of-its-own"}},
                 {"apns_sandbox": {"topic": TOPIC, "gateway": keys.apns_gateway, "certificate_pem": keys.pem}}):
        server.done("PUT", "/v1/apps/shop/credentials", body)
    # Secrets where they do not belong, and in what is refused.
    for method, path, body in [
        ("PUT", "/v1/apps/shop/credentials", {"apns": {**keys.first, "key_id": keys.first["key"]}}),
        ("PUT", "/v1/apps/shop/credentials", {"apns": {**keys.first, "topic": keys.first["key"]}}),
        ("PUT", "/v1/apps/shop/credentials?check=true", {"apns": {**keys.second, "key_id": "EMULATEKEY"}}),
        ("POST", "/v1/apps/shop/credentials/check", {}),
        ("PUT", "/v1/apps/shop/credentials", {"fcm": {**keys.fcm, "service_account": {**keys.account, "project_id": 7}}}),
    ]:
        server.ask(method, path, body)
    assert finished(server, "shop", server.done("POST", "/v1/apps/shop/pushes", push_to("ab" * 32, type="ios"))["id"])
    made = server.done("POST", "/v1/keys", {"name": "k", "scopes": ["send"], "app": "shop"})["key"]
    hook = server.done("POST", "/v1/apps/shop/webhooks", {"url": "https://hooks.example.com/", "types": ["push.finished"]})
    turned = server.done("POST", "/v1/apps/shop/webhooks/1/rotate", {})["secret"]
    # These two kinds are shown in the one answer that makes them, and never again.
    shown_once = [made, server.key, hook["secret"], turned]
    refusals = {f"earlier answer {number}": content for number, content in enumerate(server.said)}
    server.said.clear()
    for path in ("/v1/apps", "/v1/apps/shop", "/v1/apps/shop/credentials", "/v1/apps/shop/overview", "/v1/keys", "/v1/audit",
                 "/v1/apps/shop/webhooks", "/v1/apps/shop/webhooks/1", "/v1/apps/shop/devices/export", "/metrics",
                 "/v1/apps/shop/pushes/1/deliveries/export", "/openapi.json"):
        server.done("GET", path)
    backup = tmp_path / "backup"
    done = subprocess.run([command(), "backup", "--data", str(server.data), str(backup)], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    server.stop()
    places = {"log": server.log, "backup's words": done.stdout + done.stderr}
    places |= {f"answer {number}": content for number, content in enumerate(server.said)}
    for folder in (server.data, backup):
        places |= {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert sum(b"SQLite format 3" in content[:16] for content in places.values()) == 2 and len(server.log) > 100
    for secrets, searched in ((keys.secrets(), {**places, **refusals}), (shown_once, places)):
        for secret in secrets:
            forms = [secret.encode()] + ([bytes.fromhex(secret)] if re.fullmatch(r"[0-9a-f]{120}", secret) else [])
            for place, content in searched.items():
                assert not any(form in content for form in forms), f"{secret[:12]}… stands in {place}"


def test_keys_do_what_they_are_for_and_end(server, keys):
    for name in ("shop", "chat"):
        server.done("POST", "/v1/apps", {"name": name, "contract": "native"})
        server.done("PUT", f"/v1/apps/{name}/credentials", {"apns": keys.first})

    def make(**more):
        answer = server.done("POST", "/v1/keys", {"name": "k", **more})
        return answer["id"], answer["key"]

    device = {"type": "ios", "token": "ab" * 32}
    acts = {"devices": ("POST", "/v1/apps/shop/devices", device), "push": ("POST", "/v1/apps/shop/pushes", push_to("ab" * 32, type="ios")),
            "list": ("GET", "/v1/apps/shop/pushes", None), "keys": ("GET", "/v1/keys", None),
            "apps": ("POST", "/v1/apps", {"name": "new"}),
            "events": ("POST", "/v1/apps/shop/events", {"events": [{"type": "opened", "delivery": "1"}]})}
    may = {"client": {"devices", "events"}, "read": {"list"}, "send": {"devices", "push", "list", "events"}, "admin": set(acts)}
    for scope, allowed in may.items():
        _, key = make(scopes=[scope])
        for act, (method, path, body) in acts.items():
            status, _, _ = server.ask(method, path, body, key=key)
            assert (status < 300) == (act in allowed), (scope, act, status)
    # A key of one app sees nothing of another's.
    _, bound = make(scopes=["send"], app="chat")
    assert [server.ask("GET", f"/v1/apps/{app}/pushes", key=bound)[0] for app in ("chat", "shop")] == [200, 403]
    # Nobody without a key writes anything.
    for method, path, body in acts.values():
        assert server.ask(method, path, body, key="x")[0] == 401
    # Use, rotation and the end.
    number, key = make(scopes=["read"], expires_in_seconds=3600)
    server.done("GET", "/v1/apps", key=key)
    # The use is written down behind the answer.
    deadline = time.monotonic() + 30
    while True:
        listed = {one["id"]: one for one in server.done("GET", "/v1/keys")["keys"]}
        if "last_used_at" in listed[number] or time.monotonic() > deadline:
            break
        time.sleep(0.05)
    assert listed[number]["last_used_at"] and listed[number]["expires_at"] and "key" not in listed[number]
    assert key.startswith(listed[number]["prefix"]) and len(listed[number]["prefix"]) <= 12
    again = server.done("POST", f"/v1/keys/{number}/rotate", {"overlap_seconds": 3600})
    assert [server.ask("GET", "/v1/apps", key=one)[0] for one in (key, again["key"])] == [200, 200]
    last = server.done("POST", f"/v1/keys/{again['id']}/rotate", {"overlap_seconds": 0})
    assert [server.ask("GET", "/v1/apps", key=one)[0] for one in (again["key"], last["key"])] == [401, 200]
    server.done("DELETE", f"/v1/keys/{last['id']}")
    assert server.ask("GET", "/v1/apps", key=last["key"])[0] == 401
    # A rate of its own: a tenth of a minute's worth at once, then the answer says when.
    _, slow = make(scopes=["read"], rate_per_minute=30)
    statuses = [server.ask("GET", "/v1/apps", key=slow) for _ in range(5)]
    assert [status for status, _, _ in statuses] == [200, 200, 200, 429, 429]
    assert int(statuses[-1][2]["Retry-After"]) >= 1
    # Who did what.
    acts = server.done("GET", "/v1/audit?limit=1000")["acts"]
    names = [act["act"] for act in acts]
    assert {"createApp", "putCredentials", "createKey", "rotateKey", "revokeKey"} <= set(names)
    revoked = next(act for act in acts if act["act"] == "revokeKey")
    assert revoked["target"] == f"/v1/keys/{last['id']}" and revoked["from"] == "127.0.0.1" and revoked["key"] == "1"
