"""The PowerAuth push server's interface against a running server and the emulator.

Its Java client is in no registry that this machine reaches, so the requests are those of the push server's documentation, sent
byte by byte; what arrives is compared with what our own API sends.
"""

import base64
import http.client
import itertools
import json
import pathlib
import subprocess
import sys
import urllib.error
import uuid

import pytest

from conftest import command
from serving import Server, credentials, wait

numbers = itertools.count(16)
HOST = "powerauth.test"
BASE = "/compat/powerauth"
# What requests write; times of use and the progress of earlier sends change by themselves.
WRITTEN = ("apps", "compat", "devices", "device_attributes", "users", "user_attributes", "push_plans", "push_contents",
           "idempotency", "inbox", "schedules", "templates")


def written(server):
    """What is stored of requests."""
    rows = server.rows()
    # Of devices without their state, which follows from sends; of pushes which there are.
    devices = [row[:9] for row in rows["devices"]]
    return {**{table: rows[table] for table in WRITTEN}, "devices": devices, "pushes": [row[:2] for row in rows["pushes"]]}


class Bank:
    """An app that answers to PowerAuth's clients, with a device of each platform, both of `ann`."""

    def __init__(self, server, running, number):
        self.server, self.running, self.name = server, running, f"bank{number}"
        self.app_id = f"mobile-bank-{number}"
        self.base = f"/v1/apps/{self.name}"
        server.done("POST", "/v1/apps", {"name": self.name})
        server.done("PUT", f"{self.base}/credentials", credentials(running))
        shown = server.done("PATCH", self.base, {"compat": {"powerauth": {"app_id": self.app_id}}})
        assert shown["compat"]["powerauth"] == {"app_id": self.app_id}
        self.key = self.make_key("compat")
        self.number = number
        self.ios, self.android = f"{number:02x}" * 32, f"android-powerauth-{number}"
        self.on_ios, self.on_android = str(uuid.uuid4()), str(uuid.uuid4())
        self.create(self.ios, "apns", self.on_ios, userId="ann")
        self.create(self.android, "fcm", self.on_android, userId="ann")

    def make_key(self, *scopes):
        return self.server.done("POST", "/v1/keys", {"name": self.name, "scopes": list(scopes), "app": self.name})["key"]

    def ask(self, method, path, members=None, base=BASE, key="own", **more):
        """A request; `members` go into the envelope."""
        body = None if members is None else {"requestObject": members}
        return self.server.ask(method, base + path, body, key=self.key if key == "own" else key, **more)

    def ok(self, method, path, members=None, **more):
        answer = self.ask(method, path, members, **more)
        assert answer.status == 200 and answer.json["status"] == "OK", answer
        assert answer.headers["Cache-Control"] == "no-store"
        return answer.json.get("responseObject")

    def refused(self, method, path, members=None, code="ERROR_GENERIC", status=400, says="", plain=None, **more):
        """A refused request, which has changed nothing at all."""
        before = written(self.server)
        if plain is None:
            answer = self.ask(method, path, members, **more)
        else:
            answer = self.server.ask(method, BASE + path, plain, key=self.key, **more)
        assert (answer.status, answer.json["status"]) == (status, "ERROR"), answer
        error = answer.json["responseObject"]
        assert error["code"] == code and error["message"] and says in json.dumps(error), error
        assert set(answer.json) == {"status", "responseObject"}
        assert written(self.server) == before
        return error

    def create(self, token, platform, activation, **members):
        return self.ok("POST", "/push/device/create", {
            "appId": self.app_id, "token": token, "platform": platform, "activationId": activation, **members})

    def multi(self, token, activations, **members):
        return self.ok("POST", "/push/device/create/multi", {
            "appId": self.app_id, "token": token, "platform": "apns", "activationIds": activations, **members})

    def status(self, activation, state, **members):
        body = {"activationId": activation, "activationStatus": state, **members}
        assert self.server.done("POST", BASE + "/push/device/status/update", body, key=self.key) == {"status": "OK"}

    def send(self, message, **members):
        return self.ok("POST", "/push/message/send", {"appId": self.app_id, "message": message, **members})

    def devices(self):
        return {device["token"]: device for device in self.server.done("GET", f"{self.base}/devices")["devices"]}

    def pushes(self, provider, token):
        try:
            return self.running.pushes(provider, token)
        except urllib.error.HTTPError:
            return []

    def last(self, provider, token, count=1):
        wait(lambda: len(self.pushes(provider, token)) >= count, f"push {count} to {token}")
        return self.pushes(provider, token)[-1]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("powerauth"), "--compat-host", f"{HOST}=powerauth")
    yield server
    server.stop()


@pytest.fixture
def bank(server, running):
    running.scenario()
    return Bank(server, running, next(numbers))


BODY = {"title": "Balance update", "body": "Your balance is now $745.00", "badge": 3, "sound": "default",
        "icon": "custom-icon", "category": "balance-update", "collapseKey": "balance-update",
        "validUntil": "2036-12-11T21:22:29.923Z", "extras": {"accountId": "1234", "depth": 2}}


def message(user="ann", **members):
    return {"userId": user, "body": {"title": "Hello", "body": "World"}, **members}


def counts(sent=0, failed=0, pending=0):
    return {"sent": sent, "failed": failed, "pending": pending, "total": sent + failed + pending}


def basic(user, password):
    return ("Authorization", "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode())


# --- Keys and addresses


def test_each_form_of_the_key_opens_each_address(bank):
    key = bank.key
    for form, headers, prefix in [
        ("Bearer", [("Authorization", f"Bearer {key}")], ""), ("bearer", [("Authorization", f"bearer {key}")], ""),
        ("Basic, as password", [basic("backend", key)], ""), ("Basic, as user", [basic(key, "")], ""),
        ("in the path", [], f"/{key}"), ("in the path, escaped", [], f"/%70rk_{key[4:]}"),
    ]:
        for base, host in [(BASE, None), (BASE, "other.test"), ("", HOST), ("", f"{HOST.upper()}:8787")]:
            for old in ["", "/v1"]:
                path = f"{base}{prefix}{old}/push/service/status"
                line = http.client.HTTPConnection("127.0.0.1", bank.server.port, timeout=20)
                line.putrequest("GET", path, skip_host=True)
                line.putheader("Host", host or f"127.0.0.1:{bank.server.port}")
                for name, value in headers:
                    line.putheader(name, value)
                line.endheaders()
                answer = line.getresponse()
                shown = json.loads(answer.read())
                assert answer.status == 200 and shown["status"] == "OK", (form, path, host, shown)
                assert shown["responseObject"]["applicationName"] == "postrider"


def test_what_is_no_key_opens_nothing(bank):
    other = bank.server.done("POST", "/v1/keys", {"name": "x", "scopes": ["admin"]})["key"]
    unknown = "prk_" + "a" * 43
    path = "/push/service/status"
    for base, headers, status in [
        (BASE, [], 401), (BASE, [("Authorization", f"Key {bank.key}")], 401), (BASE, [("Authorization", f"Digest {bank.key}")], 401),
        (BASE, [("Authorization", f"Basic {bank.key}")], 401), (BASE, [("Authorization", "Basic ####")], 401),
        (BASE, [("Authorization", "Basic " + base64.b64encode(bank.key.encode()).decode())], 401),
        (BASE, [basic(bank.key, bank.key)], 401), (BASE, [basic("a", "b")], 401), (BASE, [basic("a", unknown)], 401),
        # A key in two forms, an unknown one, and one with a typing error.
        (f"{BASE}/{bank.key}", [("Authorization", f"Bearer {bank.key}")], 401), (f"{BASE}/{unknown}", [], 401),
        (f"{BASE}/{bank.key}x", [], 401), (f"{BASE}/prk_", [], 401),
        (BASE, [("Authorization", f"Bearer {bank.key}"), ("Authorization", f"Bearer {bank.key}")], 401),
        # Keys that open more are not for paths, and keys of no app not for this interface.
        (f"{BASE}/{bank.make_key('admin')}", [], 403), (f"{BASE}/{bank.make_key('compat', 'send')}", [], 403),
        (f"{BASE}/{other}", [], 403), (BASE, [("Authorization", f"Bearer {other}")], 403),
        (BASE, [("Authorization", f"Bearer {bank.make_key('send', 'read')}")], 403),
    ]:
        answer = bank.server.ask("GET", base + path, key=None, headers=headers)
        assert (answer.status, answer.json["status"]) == (status, "ERROR"), (base, headers, answer)
        assert answer.json["responseObject"]["code"] == "ERROR_GENERIC"
        if status == 401:
            assert any(value.startswith("Basic ") for value in answer.headers.get_all("WWW-Authenticate"))
    # The key of this interface opens nothing else, in no form.
    for path, headers in [
        (bank.base, [("Authorization", f"Bearer {bank.key}")]), (bank.base, [basic("a", bank.key)]),
        (f"/{bank.key}{bank.base}", []), (f"/compat/onesignal/{bank.key}/notifications", []),
        ("/compat/onesignal/notifications", [basic("a", bank.key)]),
    ]:
        assert bank.server.ask("GET", path, key=None, headers=headers).status in (401, 403, 404), path


def test_another_app_and_a_disabled_one(bank, running):
    other = Bank(bank.server, running, next(numbers))
    request = {"appId": other.app_id, "token": "t", "platform": "fcm", "activationId": "a"}
    for app_id in [other.app_id, bank.name, "nobody", bank.app_id.upper(), 2, f"{bank.app_id} "]:
        bank.refused("POST", "/push/device/create", {**request, "appId": app_id}, "ERROR_APP_NOT_FOUND")
    for app_id in [None, ""]:
        bank.refused("POST", "/push/device/create", {**request, "appId": app_id}, says="appId")
    bank.refused("POST", "/push/device/create", {**request, "appId": ["a"]}, "ERROR_REQUEST", says="requestObject.appId")
    # The same id at two apps: each key reaches its own.
    bank.server.done("PATCH", other.base, {"compat": {"powerauth": {"app_id": bank.app_id}}})
    other.app_id = bank.app_id
    assert other.send(message())["apns"] == counts(1) and len(bank.pushes("apns", bank.ios)) == 0
    # Off and on again: the id stays.
    bank.server.done("PATCH", bank.base, {"compat": {"powerauth": None}})
    error = bank.refused("POST", "/push/message/send", {"appId": bank.app_id, "message": message()}, status=404)
    assert f"PATCH /v1/apps/{bank.name}" in error["message"]
    shown = bank.server.done("PATCH", bank.base, {"compat": {"powerauth": {}}})
    assert shown["compat"] == {"powerauth": {"app_id": bank.app_id}}
    assert bank.send(message())["apns"] == counts(1)


def test_a_number_names_the_app_and_the_name_is_the_usual_id(server, running):
    running.scenario()
    bank = Bank(server, running, next(numbers))
    server.done("PATCH", bank.base, {"compat": {"powerauth": {"app_id": "2"}}})
    sent = bank.ok("POST", "/push/message/send", {"appId": 2, "message": message()})
    assert sent["ios"] == sent["android"] == counts(1) and sent["huawei"] == counts()
    server.done("POST", "/v1/apps", {"name": f"{bank.name}-b"})
    shown = server.done("PATCH", f"/v1/apps/{bank.name}-b", {"compat": {"powerauth": {}}})
    assert shown["compat"]["powerauth"]["app_id"] == f"{bank.name}-b"


def test_the_command_line_enables_and_names(bank):
    def update(*options):
        done = subprocess.run(
            [command(), "apps", "update", bank.name, *options, "--url", bank.server.origin, "--json"], capture_output=True,
            text=True, env={"POSTRIDER_KEY": bank.server.key, "HOME": str(bank.server.folder)})
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout).get("compat")

    assert update("--no-powerauth") is None
    assert update("--powerauth") == {"powerauth": {"app_id": bank.app_id}}
    assert update("--powerauth-app-id", "named") == {"powerauth": {"app_id": "named"}}
    bank.app_id = "named"
    assert bank.send(message())["apns"] == counts(1)


def test_no_key_is_in_the_log(bank):
    for path in ["/push/service/status", "/push/nothing", "/push/campaign/x/detail", "/push/message/send", "", "/%zz", "/v1"]:
        for method in ["GET", "POST", "BREW"]:
            bank.server.ask(method, f"{BASE}/{bank.key}{path}", key=None)
            bank.server.ask(method, f"{BASE}/{bank.key}{path}", b"{", key=None)
    bank.server.ask("GET", f"{BASE}/{bank.key}x/push/service/status", key=None)
    encoded = basic("backend", bank.key)[1]
    bank.server.ask("GET", f"{BASE}/push/service/status", key=None, headers=[("Authorization", encoded)])
    bank.send(message())
    log = bank.server.log
    assert b"/compat/powerauth/push/service/status" in log
    for secret in [bank.key, bank.key[4:], encoded.split()[1]]:
        assert secret.encode() not in log
    assert bank.key.encode() not in bank.server.ask("GET", "/metrics").content
    assert bank.key.encode() not in bank.server.ask("GET", f"{bank.base}/audit").content
    for path in bank.server.data.iterdir():
        assert bank.key.encode() not in path.read_bytes(), path


# --- Devices


def test_devices_of_both_generations_are_registered_deleted_and_replaced(bank):
    tokens = {"apns": "a1" * 32, "fcm": "fcm-token", "ios": "a2" * 32, "android": "android-token"}
    for platform, token in tokens.items():
        bank.create(token, platform, f"act-{platform}")
        device = bank.devices()[token]
        assert device["type"] == ("ios" if platform in ("apns", "ios") else "android")
        assert (device["name"], device["environment"], device.get("user")) == (f"act-{platform}", "production", None)
    bank.create(tokens["ios"], "ios", "act-ios", environment="development", userId="bob")
    assert (bank.devices()[tokens["ios"]]["environment"], bank.devices()[tokens["ios"]]["user"]) == ("development", "bob")
    # The same activation with the same token again, and with another one: what was known stays.
    bank.create(tokens["ios"], "ios", "act-ios")
    assert (bank.devices()[tokens["ios"]]["environment"], bank.devices()[tokens["ios"]]["user"]) == ("development", "bob")
    before = bank.devices()[tokens["ios"]]["id"]
    bank.create("a3" * 32, "ios", "act-ios", environment=None)
    moved = bank.devices()["a3" * 32]
    assert (moved["id"], moved["user"], moved["environment"]) == (before, "bob", "production")
    assert tokens["ios"] not in bank.devices()
    # The same token under another activation is another person's until somebody says otherwise.
    bank.server.done("PATCH", f"{bank.base}/devices/{before}", {"properties": {"plan": "gold"}})
    bank.create("a3" * 32, "ios", "act-new")
    moved = bank.devices()["a3" * 32]
    assert moved["name"] == "act-new" and "user" not in moved and "properties" not in moved
    # So is what is known of it, though nobody's name was; a device of our own API without an activation keeps what it has.
    bank.server.done("PATCH", f"{bank.base}/devices/{before}", {"properties": {"plan": "gold"}, "tags": ["vip"]})
    bank.create("a3" * 32, "ios", "act-newer")
    moved = bank.devices()["a3" * 32]
    assert moved["name"] == "act-newer" and "properties" not in moved and "tags" not in moved
    bank.server.done("POST", f"{bank.base}/devices", {
        "type": "android", "token": "own-device", "user": "kim", "properties": {"plan": "gold"}})
    bank.create("own-device", "fcm", "act-own", userId="kim")
    own = bank.devices()["own-device"]
    assert (own["name"], own["user"], own["properties"]) == ("act-own", "kim", {"plan": "gold"})
    bank.ok("POST", "/push/device/delete", {"appId": bank.app_id, "token": "own-device"})
    for number, (method, path) in enumerate(itertools.product(["POST", "DELETE"], ["delete", "remove"])):
        token = [tokens["apns"], tokens["fcm"], tokens["android"], "a3" * 32][number]
        assert token in bank.devices()
        for _ in range(2):
            bank.ok(method, f"/push/device/{path}", {"appId": bank.app_id, "token": token})
            assert token not in bank.devices()
    assert set(bank.devices()) == {bank.ios, bank.android}


def test_every_spelling_of_a_token_is_the_device(bank):
    """APNs tokens are hexadecimal, and old clients send what iOS printed."""
    plain = f"{bank.number:02x}ef" * 16
    spellings = [plain, plain.upper(), "<" + " ".join(plain[place:place + 8] for place in range(0, 64, 8)) + ">"]
    for number, spelling in enumerate(spellings):
        bank.multi(spelling, ["x", "y"], userId="kim")
        assert bank.devices()[plain]["properties"] == {"powerauth_activations": " x y "}
        request = {"appId": bank.app_id, "token": spelling, "platform": "apns", "activationId": "z"}
        bank.refused("POST", "/push/device/create", request, says="create/multi")
        bank.ok("POST", "/push/device/delete", {"appId": bank.app_id, "token": spellings[number - 1]})
        assert plain not in bank.devices()


def test_a_property_of_our_own_survives_a_registration(bank):
    device = bank.devices()[bank.ios]
    bank.server.done("PATCH", f"{bank.base}/devices/{device['id']}", {"properties": {"plan": "gold", "n": 5}, "tags": ["x"]})
    bank.create(bank.ios, "apns", bank.on_ios, activationStatus="BLOCKED")
    shown = bank.devices()[bank.ios]
    assert shown["properties"] == {"plan": "gold", "n": 5, "powerauth_inactive": f" {bank.on_ios} "}
    assert (shown["tags"], shown["user"], shown["id"]) == (["x"], "ann", device["id"])


def test_several_activations_share_a_device(bank):
    first, second, third = (str(uuid.uuid4()) for _ in range(3))
    token = f"{bank.number:02x}bb" * 16
    bank.multi(token, [first, second, first], userId="eve")
    device = bank.devices()[token]
    assert device["properties"] == {"powerauth_activations": f" {first} {second} "} and device["name"] == first
    for activation in [first, second]:
        assert bank.send(message("eve", activationId=activation))["apns"] == counts(1)
    # One is blocked: personal messages go to the other, and to the user as long as one is active.
    bank.status(second, "BLOCKED")
    personal = {"attributes": {"personal": True}}
    assert bank.send(message("eve", activationId=second, **personal))["apns"] == counts()
    assert bank.send(message("eve", activationId=second))["apns"] == counts(1)
    assert bank.send(message("eve", activationId=first, **personal))["apns"] == counts(1)
    assert bank.send(message("eve", **personal))["apns"] == counts(1)
    bank.status(first, "REMOVED")
    assert bank.send(message("eve", **personal))["apns"] == counts()
    # A new token of one of them is that of all, whichever operation says so.
    bank.create("cc" * 32, "apns", second, activationStatus="ACTIVE")
    moved = bank.devices()["cc" * 32]
    assert moved["id"] == device["id"] and token not in bank.devices()
    assert moved["properties"] == {"powerauth_activations": f" {first} {second} ", "powerauth_inactive": f" {first} "}
    # Activations of two devices that come together are one device from then on.
    bank.create("dd" * 32, "apns", third, userId="eve")
    bank.multi("dd" * 32, [third, second])
    assert "cc" * 32 not in bank.devices()
    joined = bank.devices()["dd" * 32]
    assert joined["name"] == third and joined["user"] == "eve"
    assert joined["properties"]["powerauth_activations"] == f" {third} {second} {first} "
    # An unknown activation at a token of several says not enough.
    request = {"appId": bank.app_id, "token": "dd" * 32, "platform": "apns", "activationId": "unknown"}
    bank.refused("POST", "/push/device/create", request, says="create/multi")
    request = {"appId": bank.app_id, "token": "ee" * 32, "platform": "apns", "activationIds": [third, bank.on_ios]}
    bank.refused("POST", "/push/device/create/multi", request, says="several")
    bank.refused("POST", "/push/device/status/update", plain={
        "activationId": second, "activationStatus": "ACTIVE", "userId": "other"}, says="several")


def test_the_state_of_an_activation_decides_about_personal_messages(bank):
    personal = message(attributes={"personal": True})
    bank.status(bank.on_ios, "BLOCKED")
    sent = bank.send(personal)
    assert (sent["apns"], sent["fcm"]) == (counts(), counts(1))
    assert bank.send(message())["apns"] == counts(1)
    # A callback with all that the PowerAuth server may add, by PUT.
    assert bank.server.done("PUT", BASE + "/push/device/status/update", {
        "activationId": bank.on_ios, "activationStatus": "active", "userId": "ann", "applicationId": "x", "blockedReason": None,
        "deviceInfo": "iPhone", "platform": "ios", "activationName": "n", "activationFlags": []}, key=bank.key) == {"status": "OK"}
    assert bank.send(personal)["apns"] == counts(1)
    for state in ["CREATED", "PENDING_COMMIT", "BLOCKED", "REMOVED"]:
        bank.status(bank.on_ios, state)
        assert bank.send(personal)["apns"] == counts(), state
    # Registering says nothing of the state unless it names one.
    bank.create(bank.ios, "apns", bank.on_ios)
    assert bank.send(personal)["apns"] == counts()
    bank.create(bank.ios, "apns", bank.on_ios, activationStatus="ACTIVE")
    assert bank.send(personal)["apns"] == counts(1)
    # A user comes with the callback; a device of nobody known is found by its activation alone.
    bank.create("cf" * 32, "apns", "lonely")
    assert bank.send(message("zoe"))["apns"] == counts()
    assert bank.send(message("zoe", activationId="lonely"))["apns"] == counts(1)
    bank.status("lonely", "ACTIVE", userId="zoe")
    assert bank.send(message("zoe"))["apns"] == counts(1)
    assert bank.send(message("ann", activationId="lonely"))["apns"] == counts()
    bank.status("nobody-knows-it", "BLOCKED")


def test_requests_about_devices_that_are_refused(bank):
    good = {"appId": bank.app_id, "token": "77" * 32, "platform": "apns", "activationId": "fresh"}
    path = "/push/device/create"
    for change, says in [
        ({"token": None}, "token"), ({"token": ""}, "token"), ({"activationId": None}, "activationId"),
        ({"activationId": ""}, "activationId"), ({"platform": None}, "platform"), ({"activationStatus": "REMOVED"}, "REMOVED"),
        ({"platform": "fcm", "environment": "production"}, "environment"),
    ]:
        bank.refused("POST", path, {**good, **change}, says=says)
    for change, field in [
        ({"platform": "hms", "token": "a:b"}, "token"), ({"platform": "huawei", "token": "a b"}, "token"),
        ({"token": "xyz"}, "token"), ({"token": 5}, "token"), ({"platform": "web"}, "platform"), ({"platform": 1}, "platform"),
        ({"environment": "sandbox"}, "environment"), ({"activationId": "a b"}, "activationId"),
        ({"activationId": "a" * 38}, "activationId"), ({"activationId": 7}, "activationId"),
        ({"activationStatus": "SLEEPING"}, "activationStatus"), ({"userId": "u" * 251}, "userId"), ({"userId": 5}, "userId"),
        ({"locale": "de"}, "locale"), ({"activationIds": ["a"]}, "activationIds"),
    ]:
        error = bank.refused("POST", path, {**good, **change}, "ERROR_REQUEST")
        assert [(v["fieldName"], v["invalidValue"]) for v in error["violations"]] == [(f"requestObject.{field}", None)]
        assert "77" * 32 not in json.dumps(error)
    several = {"appId": bank.app_id, "token": "77" * 32, "platform": "apns"}
    for ids in [None, []]:
        bank.refused("POST", path + "/multi", {**several, "activationIds": ids}, says="activationIds")
    for ids, field in [(["a", ""], "[1]"), (["a", None], "[1]"), ("a", ""), ([str(n) for n in range(21)], "")]:
        error = bank.refused("POST", path + "/multi", {**several, "activationIds": ids}, "ERROR_REQUEST")
        assert error["violations"][0]["fieldName"] == f"requestObject.activationIds{field}"
    for members in [{"token": "t"}, {"appId": bank.app_id}, {"appId": bank.app_id, "token": ""}]:
        bank.refused("POST", "/push/device/delete", members)
    status = "/push/device/status/update"
    bank.refused("POST", status, plain={"activationId": bank.on_ios}, code="ERROR_PA_SERVER_COMM", says="activationStatus")
    bank.refused("POST", status, plain={"activationStatus": "ACTIVE"}, says="activationId")
    bank.refused("POST", status, plain={"activationId": bank.on_ios, "activationStatus": "x"}, code="ERROR_REQUEST")
    bank.refused("PUT", status, {"activationId": bank.on_ios, "activationStatus": "ACTIVE"}, "ERROR_REQUEST", says="requestObject")


# --- Messages


def payloads(bank, count):
    """What both devices have got, whole: headers and payload, without each push's own id and number."""
    found = []
    for provider, token in [("apns", bank.ios), ("fcm", bank.android)]:
        push = {name: value for name, value in bank.last(provider, token, count).items() if name not in ("sequence", "time_ms", "id")}
        push["headers"] = {name: value for name, value in push["headers"].items() if name != "apns-id"}
        found.append(push)
    return found


@pytest.mark.parametrize("change, more", [
    ({}, {}), ({"priority": "HIGH"}, {"priority": "HIGH"}), ({"priority": "NORMAL"}, {"priority": "NORMAL"}),
    ({"attributes": {"silent": True, "personal": False}}, {"silent": True}),
    ({"attributes": {"personal": True, "encrypted": False}}, {}), ({"attributes": None, "priority": None}, {}),
    ({"body": {"titleLocKey": "t", "titleLocArgs": ["1"], "bodyLocKey": "b", "bodyLocArgs": ["2"], "sound": None}}, None),
])
def test_a_message_arrives_as_our_own_api_sends_it(bank, change, more):
    sent = bank.send({"userId": "ann", "body": BODY, **change})
    assert sent == {"mode": "SYNCHRONOUS", "apns": counts(1), "fcm": counts(1), "hms": counts(),
                    "result": {"apns": counts(1), "fcm": counts(1), "hms": counts()}}
    theirs = payloads(bank, 1)
    body = {name: value for name, value in change["body"].items() if value is not None} if "body" in change else BODY
    bank.server.done("POST", f"{bank.base}/pushes", {
        "contract": "powerauth", "message": {**body, **(more or {})}, "to": {"users": ["ann"]}})
    assert payloads(bank, 2) == theirs
    assert json.dumps([push["payload"] for push in payloads(bank, 2)]) == json.dumps([push["payload"] for push in theirs])
    if change == {}:
        assert theirs[0]["payload"]["aps"]["alert"] == {"title": BODY["title"], "body": BODY["body"]}


def test_modes_and_names_of_platforms(bank):
    assert bank.send(message(), mode="ASYNCHRONOUS") == {"mode": "ASYNCHRONOUS"}
    bank.last("apns", bank.ios)
    for base in [f"{BASE}/v1", f"{BASE}/{bank.key}/v1"]:
        key = None if bank.key in base else "own"
        sent = bank.ok("POST", "/push/message/send", {"appId": bank.app_id, "message": message()}, base=base, key=key)
        assert sent == {"mode": "SYNCHRONOUS", "ios": counts(1), "android": counts(1), "huawei": counts(),
                        "result": {"ios": counts(1), "android": counts(1), "huawei": counts()}}


def test_who_is_not_reached_is_not_counted(bank):
    nobody = {"apns": counts(), "fcm": counts(), "hms": counts()}
    for who in [message("nobody"), message("ann", activationId="unknown"), message("bob", activationId=bank.on_ios)]:
        sent = bank.send(who)
        assert sent["result"] == nobody, who
    assert bank.pushes("apns", bank.ios) == []
    one = bank.send(message("ann", activationId=bank.on_android))
    assert (one["apns"], one["fcm"]) == (counts(), counts(1))


def test_failures_are_counted_and_a_dead_device_is_gone(bank, running):
    running.scenario(rules=[{"name": "gone", "token": bank.ios, "effect": {"refuse": "Unregistered", "timestamp_ms": 4_000_000_000_000}}])
    sent = bank.send(message())
    assert (sent["apns"], sent["fcm"]) == (counts(failed=1), counts(1))
    wait(lambda: bank.devices()[bank.ios]["state"] == "retired", "the end of the token")
    assert bank.send(message())["apns"] == counts()
    bank.create(bank.ios, "apns", bank.on_ios)
    running.scenario()
    assert bank.send(message())["apns"] == counts(1)


def test_who_has_opted_out_counts_as_failed_and_gets_nothing(bank):
    device = bank.devices()[bank.ios]["id"]
    bank.server.done("PATCH", f"{bank.base}/devices/{device}", {"opt_out": True})
    sent = bank.send(message())
    assert (sent["apns"], sent["fcm"]) == (counts(failed=1), counts(1))
    assert bank.pushes("apns", bank.ios) == []


def test_what_takes_too_long_is_pending(bank):
    slow = credentials(bank.running)
    for setting in slow.values():
        setting["gateway"]["port"] = 9
    slow["fcm"]["service_account"] = {**slow["fcm"]["service_account"], "token_uri": "https://127.0.0.1:9/token"}
    bank.server.done("PUT", f"{bank.base}/credentials", slow)
    sent = bank.send(message())
    assert (sent["apns"], sent["fcm"]) == (counts(pending=1), counts(pending=1))
    assert bank.send(message(), mode="ASYNCHRONOUS") == {"mode": "ASYNCHRONOUS"}


def test_a_batch_is_sent_whole_or_not_at_all(bank):
    bank.create("bb" * 32, "apns", "bobs", userId="bob")
    batch = [message(), message("bob", body=BODY), message("nobody"), message("ann", activationId=bank.on_ios)]
    send = lambda batch, **more: {"appId": bank.app_id, "batch": batch, **more}  # noqa: E731
    sent = bank.ok("POST", "/push/message/batch/send", send(batch))
    assert (sent["apns"], sent["fcm"]) == (counts(3), counts(1))
    assert bank.ok("POST", "/push/message/batch/send", send(batch, mode="ASYNCHRONOUS")) == {"mode": "ASYNCHRONOUS"}
    wait(lambda: len(bank.pushes("apns", "bb" * 32)) == 2, "the second batch")
    path = "/push/message/batch/send"
    assert bank.ok("POST", path, send([message("nobody")] * 20))["result"]["fcm"] == counts()
    bank.refused("POST", path, send([message()] * 21), says="20")
    bank.refused("POST", path, send([]), says="empty")
    bank.refused("POST", path, {"appId": bank.app_id}, says="batch")
    bank.refused("POST", path, send([message(), {"userId": "ann"}]), says="batch[1]")
    bank.refused("POST", path, send([message(), message(body={"title": 5})]), "ERROR_REQUEST", says="batch[1].body.title")
    bank.refused("POST", path, send([message(), message("nobody", body={"badge": "x"})]), "ERROR_REQUEST", says="batch[1].body.badge")


def test_a_repeated_key_sends_once(bank):
    for path, members in [("send", {"message": message()}), ("batch/send", {"batch": [message(), message()]})]:
        header = [("Idempotency-Key", str(uuid.uuid4()))]
        before = len(bank.pushes("apns", bank.ios))
        for _ in range(2):
            sent = bank.ok("POST", f"/push/message/{path}", {"appId": bank.app_id, **members}, headers=header)
            assert sent["apns"]["failed"] == 0 and sent["apns"]["sent"] >= 1
        assert len(bank.pushes("apns", bank.ios)) == before + (1 if path == "send" else 2)


def test_messages_that_are_refused(bank):
    path = "/push/message/send"
    for members, says in [
        ({}, "message"), ({"message": None}, "message"), ({"message": {"userId": "ann"}}, "body"),
        ({"message": {"body": BODY}}, "userId"), ({"message": message("")}, "userId"),
    ]:
        bank.refused("POST", path, {"appId": bank.app_id, **members}, says=says)
    bank.refused("POST", path, {"message": message()}, says="appId")
    for change, field in [
        ({"userId": 5}, "userId"), ({"userId": "u" * 251}, "userId"), ({"activationId": ["a"]}, "activationId"),
        ({"priority": "LOW"}, "priority"), ({"attributes": {"personal": "true"}}, "attributes.personal"),
        ({"attributes": {"silent": 1}}, "attributes.silent"), ({"attributes": []}, "attributes"),
        ({"attributes": {"loud": True}}, "attributes.loud"), ({"attributes": {"encrypted": True}}, "attributes.encrypted"),
        ({"body": "text"}, "body"), ({"body": {}}, "body"), ({"body": {"title": 5}}, "body.title"),
        ({"body": {"body": "x", "silent": True}}, "body.silent"), ({"body": {"body": "x", "color": "red"}}, "body.color"),
        ({"body": {"body": "x", "extras": {"aps": 1}}}, "body.extras"), ({"to": {"all": True}}, "to"),
        ({"body": {"body": "x" * 5_000}}, ""),
    ]:
        error = bank.refused("POST", path, {"appId": bank.app_id, "message": message(**change)}, "ERROR_REQUEST")
        if field:
            fields = [violation["fieldName"] for violation in error["violations"]]
            assert any(name.startswith(f"requestObject.message.{field}") for name in fields), (change, error)
    bank.refused("POST", path, {"appId": bank.app_id, "message": message(), "mode": "LATER"}, "ERROR_REQUEST", says="mode")
    bank.refused("POST", path, {"appId": bank.app_id, "message": message(), "to": "x"}, "ERROR_REQUEST", says="requestObject.to")
    for content in [b"", b"{", b"[]", b"5", b"\xff", json.dumps({"appId": 1}).encode(), json.dumps({"requestObject": None}).encode()]:
        before = written(bank.server)
        answer = bank.server.ask("POST", BASE + path, content, key=bank.key)
        assert answer.status == 400 and answer.json["responseObject"]["code"] in ("ERROR_GENERIC", "ERROR_REQUEST"), (content, answer)
        assert written(bank.server) == before
    bank.server.done("POST", "/v1/apps", {"name": f"{bank.name}-bare"})
    bank.server.done("PATCH", f"/v1/apps/{bank.name}-bare", {"compat": {"powerauth": {}}})
    key = bank.server.done("POST", "/v1/keys", {"name": "b", "scopes": ["compat"], "app": f"{bank.name}-bare"})["key"]
    answer = bank.ask("POST", path, {"appId": f"{bank.name}-bare", "message": message()}, key=key)
    assert answer.status == 400 and "credentials" in answer.json["responseObject"]["message"], answer


# --- Campaigns


def test_a_campaign_from_its_creation_to_its_end(bank):
    bank.create("ab" * 32, "apns", "bobs", userId="bob")
    made = bank.ok("POST", "/push/campaign/create", {"appId": bank.app_id, "message": {**BODY, "titleLocKey": None}})
    number = made["id"]
    assert isinstance(number, int)
    path = f"/push/campaign/{number}"
    shown = bank.ok("GET", f"{path}/detail")
    assert shown == {"id": number, "appId": bank.app_id, "sent": False, "message": BODY}
    other = bank.ok("POST", "/push/campaign/create", {"appId": bank.app_id, "message": {"body": "Other"}})["id"]
    assert [campaign["id"] for campaign in bank.ok("GET", "/push/campaign/list")] == [other, number]
    # Users come and go.
    bank.ok("POST", f"{path}/user/add", ["ann", "bob", "nobody", "ann"])
    bank.ok("PUT", f"{path}/user/add", ["bob", "zed"])
    bank.ok("POST", f"{path}/user/delete", ["zed", "unknown"])
    answer = bank.ask("GET", f"{path}/user/list").json
    assert answer == {"status": "OK", "page": 0, "size": 20, "responseObject": {"campaignId": number, "users": ["ann", "bob", "nobody"]}}
    answer = bank.ask("GET", f"{path}/user/list?page=1&size=2").json
    assert (answer["page"], answer["size"], answer["responseObject"]["users"]) == (1, 2, ["nobody"])
    assert bank.ask("GET", f"{path}/user/list?page=1000000&size=2000").json["responseObject"]["users"] == []
    bank.ok("DELETE", f"{path}/user/delete", ["ann", "bob", "nobody"])
    assert bank.ask("GET", f"{path}/user/list").json["responseObject"]["users"] == []
    bank.ok("POST", f"{path}/user/add", ["ann", "bob", "nobody"])
    # The test goes to one user, and sends nothing else.
    assert bank.ok("POST", f"/push/campaign/send/test/{number}", {"userId": "bob"}) is None
    tried = bank.last("apns", "ab" * 32)
    assert bank.ok("POST", f"/push/campaign/send/test/{number}", {"userId": "nobody"}) is None
    assert bank.pushes("apns", bank.ios) == [] and bank.ok("GET", f"{path}/detail")["sent"] is False
    assert bank.ok("POST", f"/push/campaign/send/live/{number}") is None
    live = bank.last("apns", "ab" * 32, 2)
    assert live["payload"] == tried["payload"]
    theirs = payloads(bank, 1)
    bank.server.done("POST", f"{bank.base}/pushes", {"contract": "powerauth", "message": BODY, "to": {"users": ["ann"]}})
    assert payloads(bank, 2) == theirs
    # It was sent: it is shown, and neither changed nor sent again.
    assert bank.ok("GET", f"{path}/detail") == {"id": number, "appId": bank.app_id, "sent": True, "message": BODY}
    assert [campaign["id"] for campaign in bank.ok("GET", "/push/campaign/list?all=false")] == [other]
    assert [campaign["id"] for campaign in bank.ok("GET", "/push/campaign/list/?all=true")] == [other, number]
    assert bank.ask("GET", f"{path}/user/list").json["responseObject"]["users"] == ["ann", "bob", "nobody"]
    wait(lambda: bank.server.done("GET", f"{bank.base}/pushes/{number}")["status"] == "sent", "the end of the campaign")
    bank.refused("POST", f"/push/campaign/send/live/{number}", says="was sent")
    bank.refused("POST", f"{path}/user/add", ["new"], says="was sent")
    bank.refused("POST", f"{path}/delete", says="was sent")
    assert bank.ok("DELETE", f"/push/campaign/{other}/delete") == {"deleted": True}
    assert bank.server.done("POST", f"{BASE}/push/campaign/{other}/delete", {}, key=bank.key)["responseObject"] == {"deleted": False}
    assert [campaign["id"] for campaign in bank.ok("GET", "/push/campaign/list?all=true")] == [number]


def test_campaigns_of_others_and_pushes_that_are_none(bank, running):
    other = Bank(bank.server, running, next(numbers))
    theirs = other.ok("POST", "/push/campaign/create", {"appId": other.app_id, "message": BODY})["id"]
    own = bank.server.done("POST", f"{bank.base}/pushes", {
        "contract": "powerauth", "message": BODY, "to": {"users": ["ann"]}, "draft": True, "campaign": "spring"})["id"]
    for number in [theirs, own, 0, -1, 2**63 - 1, 2**63, 2**70, "x", "1.0", "%31%20", "١"]:
        path = f"/push/campaign/{number}".replace("١", "%D9%A1")
        live, test = (f"/push/campaign/send/{way}/" + path.rsplit("/", 1)[1] for way in ("live", "test"))
        bank.refused("GET", f"{path}/detail", says="no campaign")
        bank.refused("GET", f"{path}/user/list", says="no campaign")
        bank.refused("POST", f"{path}/user/add", ["ann"], says="no campaign")
        bank.refused("POST", f"{path}/user/delete", ["ann"], says="no campaign")
        bank.refused("POST", live, says="no campaign")
        bank.refused("POST", test, {"userId": "ann"}, says="no campaign")
        before = written(bank.server)
        assert bank.ok("POST", f"{path}/delete") == {"deleted": False}
        assert written(bank.server) == before
    assert bank.ok("GET", "/push/campaign/list?all=true") == []
    assert other.ok("GET", f"/push/campaign/{theirs}/detail")["sent"] is False


def test_requests_about_campaigns_that_are_refused(bank):
    create = "/push/campaign/create"
    bank.refused("POST", create, {"message": BODY}, says="appId")
    bank.refused("POST", create, {"appId": bank.app_id}, says="message")
    bank.refused("POST", create, {"appId": "other", "message": BODY}, "ERROR_APP_NOT_FOUND")
    for body, says in [({"title": 5}, "requestObject.message.title"), ({"silent": True}, "silent"), ("x", "message"), ({}, "")]:
        bank.refused("POST", create, {"appId": bank.app_id, "message": body}, "ERROR_REQUEST", says=says)
    number = bank.ok("POST", create, {"appId": bank.app_id, "message": BODY})["id"]
    path = f"/push/campaign/{number}"
    for users, code in [(None, "ERROR_GENERIC"), ("ann", "ERROR_REQUEST"), ([5], "ERROR_REQUEST"), (["ann", ""], "ERROR_REQUEST"),
                        (["u" * 251], "ERROR_REQUEST"), ([str(n) for n in range(10_001)], "ERROR_REQUEST")]:
        for way in ["add", "delete"]:
            bank.refused("POST", f"{path}/user/{way}", code=code, plain={"requestObject": users})
    bank.ok("POST", f"{path}/user/add", [str(n) for n in range(9_999)])
    bank.refused("POST", f"{path}/user/add", ["a", "b"], "ERROR_REQUEST", says="10000")
    bank.ok("POST", f"{path}/user/add", ["a", "1"])
    bank.refused("POST", f"/push/campaign/send/test/{number}", {}, says="userId")
    bank.refused("POST", f"/push/campaign/send/test/{number}", {"userId": 5}, "ERROR_REQUEST", says="userId")
    bank.refused("POST", f"/push/campaign/send/live/{number}", {"userId": "ann"}, "ERROR_REQUEST")
    bank.refused("GET", f"{path}/user/list?size=0", code="ERROR_REQUEST")
    bank.refused("GET", f"{path}/user/list?page=-1", code="ERROR_REQUEST")
    bank.refused("GET", f"{path}/user/list?sort=id", code="ERROR_REQUEST")
    bank.refused("GET", "/push/campaign/list?all=maybe", code="ERROR_REQUEST")


# --- The rest


def test_status_apps_and_the_document(bank):
    shown = bank.ok("GET", "/push/service/status")
    assert list(shown) == ["applicationName", "applicationDisplayName", "applicationEnvironment", "version", "buildTime", "timestamp"]
    assert bank.ok("GET", "/admin/app/list") == {
        "applicationList": [{"appId": bank.app_id, "apns": True, "fcm": True, "hms": False}]}
    detail = {"appId": bank.app_id, "includeApns": True, "includeFcm": True, "includeHms": True}
    assert bank.ok("POST", "/admin/app/detail", detail) == {
        "application": {"appId": bank.app_id, "apns": True, "fcm": True, "hms": False}, "apnsBundle": "com.example.app",
        "apnsKeyId": "EMULATEKEY", "apnsTeamId": "EMULATETEA", "apnsEnvironment": "production",
        "fcmProjectId": bank.ok("POST", "/admin/app/detail", detail)["fcmProjectId"], "hmsClientId": None, "hmsProjectId": None}
    old = bank.ok("POST", "/admin/app/detail", {"appId": bank.app_id, "includeIos": True}, base=f"{BASE}/v1")
    assert old["application"] == {"appId": bank.app_id, "ios": True, "android": True, "huawei": False}
    assert old["iosKeyId"] == "EMULATEKEY" and "fcmProjectId" not in old
    assert "PRIVATE" not in json.dumps(old)
    bank.refused("POST", "/admin/app/detail", {"appId": "other"}, "ERROR_APP_NOT_FOUND")
    bank.refused("POST", "/admin/app/detail", {"appId": bank.app_id, "includeApns": "yes"}, "ERROR_REQUEST")
    document = bank.server.ask("GET", f"{BASE}/openapi.json", key=None)
    assert document.status == 200
    paths = document.json["paths"]
    assert all(path.startswith("/compat/powerauth/") for path in paths) and "/compat/powerauth/push/message/send" in paths
    assert bank.key.encode() not in bank.server.ask("GET", f"{BASE}/{bank.key}/openapi.json", key=None).content


def test_schemathesis_finds_nothing_that_the_document_does_not_say(bank):
    """Requests by the document and beside it, with the key of the app."""
    tool = pathlib.Path(sys.executable).parent / "schemathesis"
    done = subprocess.run(
        [str(tool), "run", f"{bank.server.origin}{BASE}/openapi.json", "-H", f"Authorization: Bearer {bank.key}", "--checks",
         "not_a_server_error,content_type_conformance,status_code_conformance,response_schema_conformance", "-n", "10",
         "--phases", "examples,coverage,fuzzing", "--seed", "1"], capture_output=True, text=True, timeout=300,
        # It stores what it finds in its working directory.
        cwd=bank.server.folder)
    assert done.returncode == 0, done.stdout[-4_000:]
    assert "Tested: 0" not in done.stdout and "passed" in done.stdout


def test_messages_that_users_read_in_the_app(bank):
    left = {"userId": "ann", "type": "html", "subject": "Your statement", "summary": "It is ready.", "body": "<b>October</b>",
            "applications": [bank.app_id]}
    first = bank.ok("POST", "/inbox/messages", left)
    assert uuid.UUID(first["id"]) and first["timestampCreated"].endswith("Z")
    assert {name: first[name] for name in ("type", "subject", "summary", "body", "read")} == {
        **{name: left[name] for name in ("type", "subject", "summary", "body")}, "read": False}
    second = bank.ok("POST", "/inbox/messages", {**left, "type": "text", "silent": True})
    whose = f"userId=ann&applications={bank.app_id}"
    assert bank.ok("GET", f"/inbox/messages/count?userId=ann&appId={bank.app_id}") == {"countUnread": 2}
    page = bank.ask("GET", f"/inbox/messages/list?{whose}&page=1&size=1").json
    assert (page["page"], page["size"], [row["id"] for row in page["responseObject"]]) == (1, 1, [first["id"]])
    assert "body" not in page["responseObject"][0]
    # As the server has it, and as its documentation says.
    assert bank.ok("POST", "/inbox/messages/read", {"inboxId": first["id"]})["read"] is True
    assert [row["id"] for row in bank.ok("GET", f"/inbox/messages/list?{whose}&onlyUnread=true")] == [second["id"]]
    assert bank.ok("PUT", f"/inbox/messages/read?messageId={second['id']}")["read"] is True
    third = bank.ok("POST", "/inbox/messages", left)
    assert bank.ok("POST", "/inbox/messages/read-all", {"userId": "ann", "appId": bank.app_id}) is None
    assert bank.ok("PUT", f"/inbox/messages/read-all?userId=ann&appId={bank.app_id}") is None
    for name in ("id", "messageId"):
        assert bank.ok("GET", f"/inbox/messages/detail?{name}={third['id']}")["read"] is True
    ours = bank.server.done("GET", f"{bank.base}/users/ann/inbox")
    assert (ours["total"], ours["unread"], ours["messages"][0]["id"]) == (3, 0, third["id"])
    bank.refused("GET", "/inbox/messages/detail?id=nothing", code="ERROR_MESSAGE_NOT_FOUND")
    bank.refused("POST", "/inbox/messages/read", {"inboxId": "nothing"}, code="ERROR_MESSAGE_NOT_FOUND")
    for change, field in [({"subject": ""}, "subject"), ({"body": None}, "body"), ({"type": "rtf"}, "type"),
                          ({"userId": None}, "userId"), ({"applications": []}, "applications"), ({"silent": False}, "silent"),
                          ({"extra": 1}, "extra")]:
        bank.refused("POST", "/inbox/messages", {**left, **change}, code="ERROR_REQUEST", says=f"requestObject.{field}")
    bank.refused("POST", "/inbox/messages", {**left, "applications": ["other"]}, code="ERROR_APP_NOT_FOUND")
    bank.refused("GET", "/inbox/messages/list?userId=ann&applications=other", code="ERROR_APP_NOT_FOUND")
    bank.refused("GET", f"/inbox/messages/count?appId={bank.app_id}", code="ERROR_REQUEST", says="userId")


def test_what_is_not_here_says_so(bank):
    for method, path, says in [
        ("GET", "/admin/app/unconfigured/list", "POST /v1/apps"), ("POST", "/admin/app/create", "POST /v1/apps"),
        ("POST", "/admin/app/apns", "credentials"), ("DELETE", "/admin/app/fcm?appId=x", "credentials"),
        ("PUT", "/admin/app/ios/update", "credentials"), ("POST", "/admin/app/hms", "credentials"),
    ]:
        bank.refused(method, path, {"id": 1} if method != "GET" else None, says=says)
    bank.refused("GET", "/push/nothing", status=404)
    bank.refused("GET", "/push/message/send", status=405)
    bank.refused("PATCH", "/push/campaign/list", status=405)


def test_a_key_over_its_rate_waits(bank):
    key = bank.server.done("POST", "/v1/keys", {
        "name": "slow", "scopes": ["compat"], "app": bank.name, "rate_per_minute": 2})["key"]
    answers = [bank.ask("GET", "/push/service/status", key=key) for _ in range(4)]
    assert [answer.status for answer in answers].count(429) >= 1
    late = answers[-1]
    assert late.status == 429 and late.json["responseObject"]["code"] == "ERROR_GENERIC" and int(late.headers["Retry-After"]) >= 1
