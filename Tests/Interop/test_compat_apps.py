"""IMKit's and Amba's interfaces against a running server and the emulator.

The clients of both are npm packages and native SDKs, so the requests are the documented ones: those of the curl lines, with their
headers; what arrives is compared with what our own API sends.
"""

import base64
import hashlib
import hmac
import http.client
import itertools
import json
import pathlib
import subprocess
import sys
import time
import urllib.error

import pytest

from serving import Server, credentials, wait

numbers = itertools.count(0xC0)
HOSTS = {"imkit": "chat.test", "amba": "amba.test"}
WRITTEN = ("apps", "compat", "devices", "device_attributes", "users", "user_attributes", "push_plans", "push_contents",
           "idempotency", "schedules", "templates")


def written(server):
    """What is stored of requests; times of use and the progress of earlier sends change by themselves."""
    rows = server.rows()
    return {**{table: rows[table] for table in WRITTEN}, "devices": [row[:9] for row in rows["devices"]],
            "pushes": [row[:2] for row in rows["pushes"]]}


def headers(push):
    """What the payload came with; its own id and the time are of the send."""
    return {name: value for name, value in (push.get("headers") or {}).items() if name.startswith("apns-") and name != "apns-id"}


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Shop:
    """An app that answers to IMKit's and Amba's clients, with a device of each platform of `ann`, and one of `bob`."""

    def __init__(self, server, running, number):
        self.server, self.running, self.name = server, running, f"shop{number:x}"
        self.base = f"/v1/apps/{self.name}"
        server.done("POST", "/v1/apps", {"name": self.name})
        server.done("PUT", f"{self.base}/credentials", credentials(running))
        shown = server.done("PATCH", self.base, {"compat": {"imkit": {"app_id": "SampleApp"}, "amba": {}}})
        self.project = shown["compat"]["amba"]["app_id"]
        self.key, self.client = self.make_key("compat"), self.make_key("client")
        made = server.done("POST", f"{self.base}/identity/keys", {"algorithm": "HS256"})
        self.signer = made["id"], made["secret"]
        self.ios, self.android, self.bobs = f"{number:02x}" * 32, f"android-apps-{number}", f"{number:02x}1" * 21 + "0"
        self.amba("POST", "/client/users/me/push-token", {"token": self.ios, "platform": "ios"}, user="ann", status=201)
        self.imkit("POST", "/me/subscribe", {"type": "fcm", "token": self.android, "deviceId": "pixel-8-uuid-002"}, user="ann")
        self.imkit("POST", "/me/subscribe", {"type": "ios", "token": self.bobs, "deviceId": "d", "clientId": "bob"})

    def make_key(self, *scopes, **more):
        body = {"name": self.name, "scopes": list(scopes), "app": self.name, **more}
        return self.server.done("POST", "/v1/keys", body)["key"]

    def token(self, user):
        """What the app's backend signs, as docs/identity.md has it."""
        name, secret = self.signer
        claims = {"sub": user, "aud": self.name, "iat": int(time.time()), "exp": int(time.time()) + 600}
        text = ".".join(b64(json.dumps(part).encode()) for part in ({"alg": "HS256", "kid": name, "typ": "JWT"}, claims))
        return f"{text}.{b64(hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest())}"

    def ask(self, vendor, method, path, body=None, user=None, more=()):
        if vendor == "imkit":
            headers = [("IM-API-KEY", self.key)] if user is None else [
                ("IM-CLIENT-KEY", self.client), ("IM-Authorization", self.token(user))]
        else:
            headers = [("Authorization", f"Bearer {self.key}")] if user is None else [
                ("X-Api-Key", self.client), ("Authorization", f"Bearer {self.token(user)}")]
        return self.server.ask(
            method, f"/compat/{vendor}{path}", body, key=None,
            headers=[("Content-Type", "application/json; charset=utf-8"), *headers, *more])

    def imkit(self, method, path, body=None, **more):
        answer = self.ask("imkit", method, path, body, **more)
        assert answer.status == 200 and answer.json["RC"] == 0 and answer.json["RM"] == "OK", answer
        return answer.json["result"]

    def amba(self, method, path, body=None, status=200, **more):
        answer = self.ask("amba", method, path, body, **more)
        assert answer.status == status, answer
        return answer.json["data"] if status != 204 else None

    def refused(self, vendor, method, path, body=None, code="", status=400, says="", **more):
        """A refused request, which has changed nothing at all."""
        before = written(self.server)
        answer = self.ask(vendor, method, path, body, **more)
        assert answer.status == status and answer.json["error"]["code"] == code and says in answer.json["error"]["message"], answer
        assert written(self.server) == before
        return answer.json["error"]

    def pushes(self, provider, token):
        try:
            return self.running.pushes(provider, token)
        except urllib.error.HTTPError:
            return []

    def last(self, provider, token, count):
        wait(lambda: len(self.pushes(provider, token)) >= count, f"push {count} to {token}")
        return self.pushes(provider, token)[-1]

    def arrived(self, count):
        """What the n-th push to ann's devices was, byte for byte, without what is of the send itself."""
        found = [self.last("apns", self.ios, count), self.last("fcm", self.android, count)]
        return [(headers(push), base64.b64decode(push["payload_base64"])) for push in found]

    def own(self, **request):
        """A push of our own API to ann."""
        return self.server.done("POST", f"{self.base}/pushes", {"to": {"users": ["ann"]}, **request})


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    options = [part for vendor, host in HOSTS.items() for part in ("--compat-host", f"{host}={vendor}")]
    server = Server(tmp_path_factory.mktemp("apps"), *options)
    yield server
    server.stop()


@pytest.fixture
def shop(server, running):
    running.scenario()
    return Shop(server, running, next(numbers))


PAYLOAD = {"type": "marketing", "alert": "您有一則新的優惠活動，立即查看！", "badge": 1, "sound": "default", "title": "限時優惠",
           "body": "您有一則新的優惠活動，立即查看！", "icon": "https://example.com/icon.png", "collapseKey": "promo_2026"}
LOCALIZED = {"alert": {"loc-key": "NEW_MESSAGE_NOTIFICATION", "loc-args": ["張小明", "您好，請問有空嗎？"]}, "badge": 3,
             "sound": "default", "title": "新訊息", "body": "張小明：您好，請問有空嗎？"}


def test_imkit_sends_what_our_own_api_sends(shop):
    count = 0
    for payload in [PAYLOAD, LOCALIZED, {"type": "alert", "alert": "系統維護通知", "badge": 1}]:
        assert shop.imkit("POST", "/push/push2clients", {"clients": ["ann", "nobody"], "payload": payload}) == {}
        theirs = shop.arrived(count + 1)
        shop.own(contract="imkit", message=payload)
        assert shop.arrived(count + 2) == theirs
        count += 2
    topic = shop.arrived(count)[0][0]["apns-topic"]
    shop.imkit("POST", "/push/push2clients", {"clients": ["ann"], "payload": {**PAYLOAD, "topic": topic}})
    assert shop.arrived(count + 1)[0][0]["apns-topic"] == topic
    assert shop.imkit("GET", "/me/badge", user="ann") == {"badge": 1}
    ends = int(time.time()) + 3_600
    shop.imkit("POST", "/push/push2clients", {"clients": ["ann"], "payload": {"alert": "Soon", "expiry": ends}})
    expiration = shop.arrived(count + 2)[0][0]["apns-expiration"]
    assert abs(int(expiration) - ends) <= 2
    shop.refused("imkit", "POST", "/push/push2clients", {"clients": ["ann"]}, "MISSING_PARAMETER", says="clients and payload")


def test_imkit_sends_nothing_about_a_muted_room(shop):
    assert shop.imkit("POST", "/me/mute/demo-room", user="ann")["mute"] == ["demo-room"]
    event = {"alert": "Hi", "type": "chatroom_chat:demo-room"}
    shop.imkit("POST", "/push/push2clients", {"clients": ["ann", "bob"], "payload": event})
    shop.last("apns", shop.bobs, 1)
    shop.imkit("POST", "/push/push2clients", {"clients": ["ann"], "payload": {"alert": "Another", "room": "other"}})
    assert "Another" in json.dumps(shop.last("apns", shop.ios, 1)["payload"])
    assert shop.imkit("DELETE", "/me/mute/demo-room", user="ann")["mute"] == []
    shop.imkit("POST", "/push/push2clients", {"clients": ["ann"], "payload": event})
    shop.last("apns", shop.ios, 2)
    assert len(shop.pushes("apns", shop.ios)) == 2


def test_imkit_forgets_a_device_that_signs_out(shop):
    assert shop.imkit("POST", "/me/unsubscribe", {"type": "fcm", "deviceId": "pixel-8-uuid-002"}, user="bob") == {"n": 0, "ok": 1}
    assert shop.imkit("POST", "/me/unsubscribe", {"type": "fcm", "deviceId": "pixel-8-uuid-002"}, user="ann") == {"n": 1, "ok": 1}
    shop.imkit("POST", "/push/push2clients", {"clients": ["ann"], "payload": PAYLOAD})
    shop.last("apns", shop.ios, 1)
    assert shop.pushes("fcm", shop.android) == []


CAMPAIGN = {"name": "win-back-7d", "title": "Welcome back!", "body": "Your streak is waiting for you.",
            "data": {"screen": "home", "promo": "winback", "n": 42, "deep": {"a": [1, None]}}}
CONTENT = {name: CAMPAIGN[name] for name in ("title", "body", "data")}


@pytest.mark.parametrize("generation", ["/admin/push", "/v1/admin/push", "/admin/projects/{}/push/campaigns"])
def test_amba_sends_a_campaign_as_our_own_api_does(shop, generation):
    path = generation.format(shop.project)
    made = shop.amba("POST", path, {**CAMPAIGN, "segment_id": None}, status=201)
    assert (made["status"], made["segment_id"], made["scheduled_at"], made["sent_at"]) == ("draft", None, None, None)
    assert {name: made[name] for name in CAMPAIGN} == CAMPAIGN
    assert shop.amba("POST", f"{path}/{made['id']}/send")["status"] in ("sending", "sent")
    theirs = shop.arrived(1)
    assert theirs[0][0]["apns-collapse-id"] == made["id"]
    assert json.loads(theirs[1][1])["message"]["android"]["notification"]["tag"] == made["id"]
    wait(lambda: shop.amba("GET", f"{path}/{made['id']}")["status"] == "sent", "the end of the campaign")
    shown = shop.amba("GET", f"{path}/{made['id']}")
    assert shown["sent_at"] and shown["stats"]["sent"] == 3 and shown["stats"]["failed"] == 0
    shop.own(contract="amba", message=CONTENT, campaign=made["id"])
    assert shop.arrived(2) == theirs
    shop.refused("amba", "POST", f"{path}/{made['id']}/send", code="ALREADY_SENT", status=409)
    shop.refused("amba", "PATCH", f"{path}/{made['id']}", {"title": "x"}, code="ALREADY_SENT", status=409)
    shop.refused("amba", "DELETE", f"{path}/{made['id']}", code="ALREADY_SENT", status=409)


def test_amba_sends_a_scheduled_campaign_at_its_time(shop):
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 4))
    made = shop.amba("POST", "/admin/push", {**CAMPAIGN, "scheduled_at": soon}, status=201)
    assert made["status"] == "scheduled"
    shop.refused("amba", "POST", f"/admin/push/{made['id']}/send", code="ALREADY_SCHEDULED", status=409)
    changed = shop.amba("PATCH", f"/admin/push/{made['id']}", {"title": "Changed"})
    assert (changed["title"], changed["body"], changed["status"]) == ("Changed", CAMPAIGN["body"], "scheduled")
    assert "Changed" in json.dumps(shop.last("apns", shop.ios, 1)["payload"])
    wait(lambda: shop.amba("GET", f"/admin/push/{made['id']}")["status"] == "sent", "the end of the campaign")


def test_amba_sends_at_each_users_own_time(shop):
    """In a zone that is hours ahead it is the time in a moment; the others wait."""
    shop.amba("PATCH", "/client/users/me", {"timezone": "Pacific/Kiritimati"}, user="ann")
    shop.amba("GET", "/client/users/me", user="bob", more=[("X-Amba-Timezone", "Pacific/Honolulu")])
    there = time.gmtime(time.time() + 14 * 3_600 + 5)
    made = shop.amba("POST", "/admin/push", {
        **CAMPAIGN, "delivery_mode": "local_time", "local_date": time.strftime("%Y-%m-%d", there),
        "local_time": time.strftime("%H:%M:%S", there)}, status=201)
    assert (made["status"], made["delivery_mode"]) == ("scheduled", "local_time")
    shop.arrived(1)
    assert shop.amba("GET", f"/admin/push/{made['id']}")["status"] == "sending"
    assert shop.pushes("apns", shop.bobs) == []


def test_amba_tests_and_per_user_pushes_belong_to_no_campaign(shop):
    shop.amba("POST", f"/admin/projects/{shop.project}/push/campaigns/test", {**CONTENT, "device_token": shop.ios, "provider": "apns"})
    first = shop.last("apns", shop.ios, 1)
    shop.amba("POST", "/admin/push/test", {**CONTENT, "app_user_id": "bob"})
    assert shop.last("apns", shop.bobs, 1)["payload"] == first["payload"] and "apns-collapse-id" not in headers(first)
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3))
    waits = shop.amba("POST", f"/admin/projects/{shop.project}/users/bob/push-schedule", {**CONTENT, "scheduled_at": soon}, status=201)
    assert (waits["status"], waits["app_user_id"]) == ("scheduled", "bob")
    assert shop.last("apns", shop.bobs, 2)["payload"] == first["payload"]
    assert shop.amba("GET", "/admin/push") == []


@pytest.mark.parametrize("vendor,path,code", [("imkit", "/me/badge", "TOO_MANY_REQUESTS"), ("amba", "/admin/push", "RATE_LIMITED")])
def test_a_key_over_its_rate_waits(shop, vendor, path, code):
    slow = shop.make_key("compat", rate_per_minute=2)
    headers = [("IM-CLIENT-KEY", slow), ("IM-Authorization", shop.token("ann"))] if vendor == "imkit" else [
        ("Authorization", f"Bearer {slow}")]
    answers = [shop.server.ask("GET", f"/compat/{vendor}{path}", key=None, headers=headers) for _ in range(4)]
    late = answers[-1]
    assert late.status == 429 and late.json["error"]["code"] == code and int(late.headers["Retry-After"]) >= 1


def test_the_vendors_own_paths_at_host_names(shop):
    port = int(shop.server.origin.rsplit(":", 1)[1])
    for host, path, headers in [
        (HOSTS["imkit"], "/me/badge", {"IM-CLIENT-KEY": shop.client, "IM-Authorization": shop.token("ann")}),
        (HOSTS["amba"], "/v1/admin/push", {"Authorization": f"Bearer {shop.key}"}),
        (HOSTS["amba"] + ":80", "/client/users/me", {"X-Api-Key": shop.client, "Authorization": f"Bearer {shop.token('ann')}"}),
    ]:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", path, headers={"Host": host, **headers})
        answer = connection.getresponse()
        assert answer.status == 200, (host, path, answer.read())
        connection.close()


@pytest.mark.parametrize("vendor", ["imkit", "amba"])
def test_schemathesis_finds_nothing_that_the_document_does_not_say(shop, vendor):
    """Requests by the document and beside it, with the key of the app."""
    tool = pathlib.Path(sys.executable).parent / "schemathesis"
    headers = [f"IM-API-KEY: {shop.key}"] if vendor == "imkit" else [
        f"X-Api-Key: {shop.client}", f"Authorization: Bearer {shop.token('ann')}"]
    runs = [headers] if vendor == "imkit" else [headers, [f"Authorization: Bearer {shop.key}"]]
    for headers in runs:
        done = subprocess.run(
            [str(tool), "run", f"{shop.server.origin}/compat/{vendor}/openapi.json",
             *[part for header in headers for part in ("-H", header)], "--checks",
             "not_a_server_error,content_type_conformance,status_code_conformance,response_schema_conformance", "-n", "10",
             "--phases", "examples,coverage,fuzzing", "--seed", "1"], capture_output=True, text=True, timeout=300,
            # It stores what it finds in its working directory.
            cwd=shop.server.folder)
        assert done.returncode == 0, done.stdout[-4_000:]
        assert "Tested: 0" not in done.stdout and "passed" in done.stdout
