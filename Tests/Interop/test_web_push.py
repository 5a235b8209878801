"""Web push against independent implementations: pywebpush, py-vapid and http-ece, in both directions."""

import base64
import http.server
import json
import ssl
import subprocess
import threading
import urllib.error
import urllib.request

import apprise
import apprise.plugins.vapid as apprise_vapid
import http_ece
import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02
from pywebpush import WebPushException, webpush

from conftest import command
from serving import Server, wait

SUBJECT = "mailto:ops@example.com"


def encode(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def point(key):
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


@pytest.fixture(scope="module")
def vapid(tmp_path_factory):
    """A key that Postrider made, as a file, and its public text."""
    file = tmp_path_factory.mktemp("vapid") / "vapid.pem"
    made = subprocess.run([command(), "vapid", "create", file], capture_output=True, check=True, timeout=30)
    assert file.stat().st_mode & 0o077 == 0
    return file, json.loads(made.stdout)["public_key"]


def subscribe(emulator, token, key=None, **members):
    body = {"provider": "web", "token": token, **members}
    if key:
        body["application_server_key"] = key
    return emulator.call("POST", "/devices", body)


def send(emulator, tmp_path, subscription, vapid, message, *options, trust=None):
    file = tmp_path / "subscription.json"
    file.write_text(json.dumps(subscription))
    run = subprocess.run(
        [command(), "send", "--platform", "web", "--subscription", file, "--vapid-key", vapid[0]]
        + ["--vapid-subject", SUBJECT, "--allow-private-endpoints"]
        + ["--ca", trust or emulator.folder / "ca.pem", *options],
        input=message.encode(), capture_output=True, timeout=60,
    )
    return run.returncode, json.loads(run.stdout) if run.stdout else run.stderr.decode()


# pywebpush sends, the emulator receives


def push(device, vapid, data, endpoint="plain_endpoint", **members):
    subscription = {"endpoint": device[endpoint], "keys": device["subscription"]["keys"]}
    return webpush(
        subscription, data, vapid_private_key=str(vapid[0]), vapid_claims={"sub": SUBJECT}, timeout=10, **members
    )


@pytest.mark.parametrize("text", ["{}", '{"title":"Grüße 👋","n":1.50}', json.dumps({"a": "x" * 3900})])
def test_the_emulator_decrypts_what_pywebpush_encrypts(emulator, vapid, text):
    device = subscribe(emulator, "alice", vapid[1])
    answer = push(device, vapid, text, ttl=60, headers={"Urgency": "high", "Topic": "news"})
    assert answer.status_code == 201 and answer.headers["location"]
    received = emulator.pushes("web", "alice")[-1]
    assert base64.b64decode(received["payload_base64"]).decode() == text and "problem" not in received
    assert received["headers"]["ttl"] == "60" and received["headers"]["topic"] == "news"


def test_a_topic_replaces_what_came_before(emulator, vapid):
    device = subscribe(emulator, "alice", vapid[1])
    for number, topic in enumerate(["news", "chat", "news"]):
        push(device, vapid, json.dumps({"n": number}), ttl=60, headers={"Topic": topic})
    standing = [push["payload"]["n"] for push in emulator.pushes("web", "alice") if push["standing"]]
    assert standing == [1, 2]


def test_each_refusal_of_the_emulator(emulator, vapid, tmp_path):
    stranger = Vapid02()
    stranger.generate_keys()
    other = encode(point(stranger.public_key))
    emulator.scenario(web={"messages_per_subscription_minute": 1, "body_bytes_max": 1000})
    cases = [
        (404, {"endpoint": f"{emulator.plain}/push/nobody"}, {}, {}),
        (403, subscribe(emulator, "foreign", other), {}, {}),
        (410, subscribe(emulator, "gone", vapid[1], unregistered_since_ms=1), {}, {}),
        (413, subscribe(emulator, "long", vapid[1]), {"data": "x" * 1200}, {}),
        (400, subscribe(emulator, "urgent", vapid[1]), {}, {"Urgency": "now"}),
        (400, subscribe(emulator, "topical", vapid[1]), {}, {"Topic": "a b"}),
    ]
    keys = cases[1][1]["subscription"]["keys"]
    for status, device, members, headers in cases:
        device = {"plain_endpoint": device.get("plain_endpoint", device.get("endpoint")), "subscription": {"keys": keys}}
        with pytest.raises(WebPushException) as refused:
            push(device, vapid, members.get("data", "{}"), headers=headers)
        assert refused.value.response.status_code == status, device
    busy = subscribe(emulator, "busy", vapid[1])
    push(busy, vapid, "{}")
    with pytest.raises(WebPushException) as refused:
        push(busy, vapid, "{}")
    assert refused.value.response.status_code == 429 and int(refused.value.response.headers["retry-after"]) > 0


def test_tokens_that_are_wrong(emulator, vapid):
    """Audience, expiry and contact, each signed by py-vapid with the right key."""
    device = subscribe(emulator, "alice", vapid[1])
    now = emulator.call("GET", "")["state"]["time_ms"] // 1000
    good = {"aud": emulator.plain, "exp": now + 3600, "sub": SUBJECT}
    for status, claims in [
        (201, good), (403, {**good, "aud": "https://push.example"}), (403, {**good, "exp": now - 1}),
        (403, {**good, "exp": now + 90_000}), (403, {"aud": emulator.plain, "exp": now + 3600}),
    ]:
        header = sign(vapid, claims)
        answer = post(device["plain_endpoint"], {**header, "TTL": "60"})
        assert answer == status, claims
    assert post(device["plain_endpoint"], {"TTL": "60"}) == 401
    assert post(device["plain_endpoint"], sign(vapid, good)) == 400, "without TTL"


def sign(vapid, claims):
    """The header that py-vapid makes, or for claims without `sub`, which it refuses, one made by PyJWT."""
    if "sub" in claims:
        return dict(Vapid02.from_file(str(vapid[0])).sign(claims))
    key = serialization.load_pem_private_key(vapid[0].read_bytes(), None)
    return {"Authorization": f"vapid t={jwt.encode(claims, key, 'ES256')}, k={vapid[1]}"}


def post(url, headers):
    request = urllib.request.Request(url, data=b"", headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_apprise_sends_and_a_virtual_browser_reads_it(emulator, vapid, tmp_path, monkeypatch):
    """Its plugin with its own key handling, token and encryption; only its HTTP/1.1 is replaced, as the port speaks HTTP/2."""
    client = httpx.Client(http2=True, verify=ssl.create_default_context(cafile=emulator.folder / "ca.pem"))

    def post(url, data, headers, **_):
        return client.post(url, content=data, headers=headers)

    monkeypatch.setattr(apprise_vapid.requests, "post", post)
    devices = {name: subscribe(emulator, name, vapid[1]) for name in ("alice", "bob")}
    gone = subscribe(emulator, "gone", vapid[1], unregistered_since_ms=1)
    file = tmp_path / "subscriptions.json"
    file.write_text(json.dumps(
        {f"{name}@example.com": device["subscription"] for name, device in (devices | {"gone": gone}).items()}))
    options = f"keyfile={vapid[0]}&subfile={file}&ttl=60"
    both = apprise.Apprise()
    assert both.add(f"vapid://ops@example.com/alice@example.com/bob@example.com?{options}")
    assert both.notify(body="Grüße 👋")
    for name in devices:
        (received,) = emulator.pushes("web", name)
        assert "problem" not in received and received["headers"]["ttl"] == "60"
        assert base64.b64decode(received["payload_base64"]).decode() == "Grüße 👋"
    # It reads the emulator's 410, and forgets the subscription.
    lost = apprise.Apprise()
    assert lost.add(f"vapid://ops@example.com/gone@example.com?{options}")
    assert not lost.notify(body="x")
    assert "gone@example.com" not in json.loads(file.read_text())


# Postrider sends, others receive


class PushService(http.server.BaseHTTPRequestHandler):
    """A push service of another kind: HTTP/1.1 over TLS, kept in `received`."""

    protocol_version = "HTTP/1.1"
    received = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        PushService.received.append((dict((k.lower(), v) for k, v in self.headers.items()), body))
        self.send_response(201)
        self.send_header("Location", "/m/1")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


@pytest.fixture
def service(emulator, tmp_path):
    """The other push service, with a certificate of its own."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        + ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
        + ["-keyout", tmp_path / "key.pem", "-out", tmp_path / "certificate.pem"],
        check=True, capture_output=True, timeout=30,
    )
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), PushService)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "certificate.pem", tmp_path / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    PushService.received = []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"https://127.0.0.1:{server.server_port}", tmp_path / "certificate.pem"
    server.shutdown()


@pytest.mark.parametrize("options", [[], ["--padding", "128"], ["--padding", "full"]])
def test_others_decrypt_and_verify_what_postrider_sends(emulator, service, vapid, tmp_path, options):
    origin, certificate = service
    key = ec.generate_private_key(ec.SECP256R1())
    auth = b"0123456789abcdef"
    # UnifiedPush endpoints have the same form, under any path of any server.
    subscription = {
        "endpoint": f"{origin}/up?token=abc",
        "keys": {"p256dh": encode(point(key.public_key())), "auth": encode(auth)},
    }
    message = '{"title":"Grüße 👋"}'
    status, answer = send(
        emulator, tmp_path, subscription, vapid, message, "--ttl", "30", *options, trust=certificate)
    assert status == 0 and answer["status"] == 201, answer
    (headers, body), = PushService.received
    assert http_ece.decrypt(body, private_key=key, auth_secret=auth, version="aes128gcm") == message.encode()
    assert Vapid02.verify(headers["authorization"])
    token = headers["authorization"].split("t=")[1].split(",")[0]
    claims = json.loads(decode(token.split(".")[1]))
    assert claims["aud"] == origin and claims["sub"] == SUBJECT
    assert headers["authorization"].split("k=")[1] == vapid[1]
    assert headers["ttl"] == "30" and headers["content-encoding"] == "aes128gcm"
    assert len(body) == {"[]": len(message.encode()) + 103, "['--padding', '128']": 128 + 103}.get(str(options), 4096)


# The server sends, others receive


class Client:
    """A browser as pywebpush's users have it: a key pair and a secret of its own."""

    def __init__(self, endpoint):
        self.endpoint, self.auth = endpoint, b"0123456789abcdef"
        self.key = ec.generate_private_key(ec.SECP256R1())

    @property
    def body(self):
        return {"type": "web", "endpoint": self.endpoint, "p256dh": encode(point(self.key.public_key())),
                "auth": encode(self.auth)}

    def open(self, body):
        return json.loads(http_ece.decrypt(body, private_key=self.key, auth_secret=self.auth, version="aes128gcm"))


def test_the_server_reaches_browsers(service, tmp_path):
    origin, certificate = service
    port = int(origin.rsplit(":", 1)[1])
    server = Server(tmp_path / "server")
    try:
        app = "/v1/apps/shop"

        def done(method, path, body=None, status=(200, 201, 202)):
            answer = server.ask(method, path, body)
            assert answer.status in status, answer
            return answer.json

        done("POST", "/v1/apps", {"name": "shop", "title": "Shop", "contract": "native"})
        web = {"subject": SUBJECT, "gateway": {"host": "127.0.0.1", "port": port, "ca": certificate.read_text()}}
        made = done("PUT", f"{app}/credentials", {"web": web})["web"]
        assert "PRIVATE" not in json.dumps(made) and len(decode(made["public_key"])) == 65
        early = Client(f"{origin}/send/early")
        device = done("POST", f"{app}/devices", early.body)["id"]
        # An address of the inner network, and one whose certificate authority is the system's, are another matter.
        private = server.ask("POST", f"{app}/devices", Client("https://10.0.0.1/send").body)
        assert private.status == 422 and private.json["report"][0]["rule"] == "web-endpoint-private"
        rotated = done("POST", f"{app}/web-push/rotate")
        late = Client(f"{origin}/send/late")
        done("POST", f"{app}/devices", late.body)
        message = {"title": "Grüße 👋", "body": "B", "data": {"n": 1.5}}
        push = done("POST", f"{app}/pushes", {"to": {"all": True}, "campaign": "sale 1", "message": message,
                                              "expires_in_seconds": 600})["id"]
        wait(lambda: "finished_at" in done("GET", f"{app}/pushes/{push}"), "the push")
        assert done("GET", f"{app}/pushes/{push}")["counts"]["accepted"] == 2
        assert len(PushService.received) == 2
        used = {}
        for headers, body in PushService.received:
            assert Vapid02.verify(headers["authorization"])
            key = headers["authorization"].split("k=")[1]
            client = early if key == made["public_key"] else late
            used[key] = client.open(body)
            assert 500 < int(headers["ttl"]) <= 600 and headers["urgency"] == "high" and len(headers["topic"]) == 32
        assert set(used) == {made["public_key"], rotated["public_key"]}
        assert all(got == {**message, "tag": "sale 1", "push": push} for got in used.values())
        rows = done("GET", f"{app}/pushes/{push}/deliveries")["deliveries"]
        assert [(row["provider"], row["status"], row["state"]) for row in rows] == [("web", 201, "accepted")] * 2
        token = done("GET", f"{app}/devices/{device}")["token"]
        assert token.split() == [early.endpoint, encode(point(early.key.public_key())), encode(early.auth), made["public_key"]]
    finally:
        server.stop()
    # What is secret of a key or a subscription is in no log, and the key is in no file as it is.
    assert encode(early.auth).encode() not in server.log
    for file in server.data.rglob("*"):
        assert not file.is_file() or b"PRIVATE KEY" not in file.read_bytes(), file


def test_postrider_to_the_emulator_over_http2(emulator, vapid, tmp_path):
    device = subscribe(emulator, "alice", vapid[1])
    status, answer = send(
        emulator, tmp_path, device["subscription"], vapid, '{"n":1}', "--campaign", "sale 1", "--urgency", "low")
    assert status == 0 and answer["outcome"] == "accepted", answer
    received = emulator.pushes("web", "alice")[-1]
    assert received["payload"] == {"n": 1} and received["headers"]["urgency"] == "low"
    assert len(received["headers"]["topic"]) == 32


def test_wrong_use_says_what_is_wrong(emulator, vapid, tmp_path):
    device = subscribe(emulator, "alice", vapid[1])
    subscription = device["subscription"]
    cut = {**subscription, "keys": {**subscription["keys"], "auth": "AAAA"}}
    status, said = send(emulator, tmp_path, cut, vapid, "{}")
    assert status == 3 and "keys.auth" in said
    status, said = send(emulator, tmp_path, subscription, vapid, "{}", "--topic", "com.example.app")
    assert status == 2 and "--topic" in said
    status, said = send(emulator, tmp_path, subscription, vapid, json.dumps({"a": "x" * 4000}))
    assert status == 1 and said["report"][0]["rule"] == "web-push-too-large"
    gone = subscribe(emulator, "gone", vapid[1], unregistered_since_ms=1)["subscription"]
    status, said = send(emulator, tmp_path, gone, vapid, "{}")
    assert status == 4 and said["status"] == 410 and "subscribes again" in said["next"]
    again = subprocess.run([command(), "vapid", "create", vapid[0]], capture_output=True, timeout=30)
    assert again.returncode == 3 and b"exists" in again.stderr


# The screen of a virtual browser


def test_a_virtual_browser_shows_what_it_decrypts(emulator, vapid):
    device = subscribe(emulator, "carol", vapid[1], phone={"app_name": "Shop"})
    screen = lambda method, path="", body=None: emulator.call(method, f"/devices/web/carol/phone{path}", body)  # noqa: E731
    titles = lambda: [row["notification"]["title"]["text"] for row in screen("GET", "/items/0/10")["items"]]  # noqa: E731
    assert [one["token"] for one in emulator.call("GET", "/devices/phones")] == ["carol"]

    def say(title, ttl=60, topic=None, **members):
        push(device, vapid, json.dumps({"title": title, "push": "7", **members}), ttl=ttl, headers={"Topic": topic} if topic else {})

    say("One", tag="t", navigate="https://shop.example/1", app_badge=4)
    say("Two", actions=[{"action": "buy", "title": "Buy", "navigate": "https://shop.example/buy"}], data={"n": 1})
    say("Three", tag="t", navigate="https://shop.example/3")
    assert titles() == ["Three", "Two"]
    shown = screen("GET")
    assert shown["tray"]["badge"] == 4 and shown["tray"]["groups"][0]["items"][0]["replaced"] == 1
    assert [one["change"] for one in shown["changes"]] == ["shown", "shown", "replaced"]
    items = {row["notification"]["title"]["text"]: row["item"] for row in screen("GET", "/items/0/10")["items"]}
    with pytest.raises(urllib.error.HTTPError):
        screen("POST", f"/items/{items['Two']}/press", {"button": "sell"})
    pressed = screen("POST", f"/items/{items['Two']}/press", {"button": "buy"})
    assert pressed["link"] == "https://shop.example/buy" and pressed["action"] == "buy" and pressed["data"] == {"n": 1}
    assert pressed["push_id"] == "7" and pressed["token"] == device["plain_endpoint"]
    assert screen("POST", f"/items/{items['Three']}/tap")["link"] == "https://shop.example/3" and titles() == []
    # Closed, the push service keeps what is worth keeping: one for each topic, none of a single attempt, none that expired.
    screen("POST", "/offline")
    say("now or never", ttl=0)
    say("short", ttl=1)
    for title in ["a first", "a second"]:
        say(title, topic="a")
    say("other")
    assert titles() == [] and screen("GET", "/summary")["held"] == 3
    emulator.call("POST", "/clock", {"advance_ms": 5000})
    screen("POST", "/online")
    assert titles() == ["other", "a second"]
    # What it cannot decrypt a browser drops.
    keys = subscribe(emulator, "another", vapid[1])["subscription"]["keys"]
    webpush({"endpoint": device["plain_endpoint"], "keys": keys}, "{}", vapid_private_key=str(vapid[0]), vapid_claims={"sub": SUBJECT}, timeout=10)
    assert titles() == ["other", "a second"]
    with urllib.request.urlopen(f"{emulator.control}/devices/web/carol/phone/picture/dark", timeout=10) as answer:
        assert b"a second" in answer.read() and answer.headers["content-type"] == "image/svg+xml"
    screen("POST", "/clear")
    assert titles() == []
    with pytest.raises(urllib.error.HTTPError) as refused:
        screen("PUT", "", {"contract": "amba"})
    assert refused.value.code == 400


@pytest.mark.parametrize("link, opened", [
    ("https://shop.example/1", True), ("HTTP://shop.example/1", True), ("/inbox?a=b:c", True), ("a/b:c", True), ("javascript:alert(1)", False),
    (" java\nscript:alert(1)", False), ("data:text/html,x", False), ("shop://1", False)])
def test_a_virtual_browser_opens_and_reports_what_the_worker_does(emulator, vapid, link, opened):
    report = {"url": "http://127.0.0.1:8787", "app": "shop", "key": "prk_x"}
    device = subscribe(emulator, "dave", vapid[1], phone={"app_name": "Shop", "report": report})
    for name in [None, "", "x", "0"]:
        push(device, vapid, json.dumps({"title": "T", "navigate": link, **({} if name is None else {"push": name})}), ttl=60)
        row, = emulator.call("GET", "/devices/web/dave/phone/items/0/10")["items"]
        tapped = emulator.call("POST", f"/devices/web/dave/phone/items/{row['item']}/tap")
        assert tapped.get("link") == (link if opened else None)
        assert "reported" not in tapped and "push_id" not in tapped
