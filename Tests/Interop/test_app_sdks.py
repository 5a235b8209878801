"""The client SDKs on virtual phones: a real server, the emulator, and the clients as programs of their own.

`AppPhone` (Swift) and `postrider.app.PhoneMain` (Java) are an app on a phone: they read a call on each line of standard
input and answer when it has returned. This file is the phone's system: it hands them what the emulator's device received.
"""

import base64
import hmac
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import time

import pytest
from conftest import ROOT, command
from serving import Server, credentials, wait

APPLE = pathlib.Path(__file__).parent / "apple"


def swift_phone():
    path = pathlib.Path(os.environ.get("APP_PHONE", pathlib.Path(command()).parent / "AppPhone"))
    if not path.exists():
        path = ROOT / ".build" / "debug" / "AppPhone"
    assert path.exists(), "AppPhone is not built; run: swift build --product AppPhone"
    return [str(path)]


@pytest.fixture(scope="session")
def java_phone():
    built = subprocess.run(
        [ROOT / "script" / "android", "--classes"], stdout=subprocess.PIPE, text=True, check=True, timeout=300)
    return ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", built.stdout.strip(), "postrider.app.PhoneMain"]


class Phone:
    """A phone's app: a process that can be killed and started again on the same folder."""

    def __init__(self, program, folder, platform, token, server, key):
        self.program, self.folder, self.platform, self.token = program, folder, platform, token
        self.server, self.key = server, key
        self.process = None
        self.reported = 0

    def open(self, *options):
        self.process = subprocess.Popen(
            [*self.program, str(self.folder), *options], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self

    def launch(self, user=None):
        """Starts the app, which does what its launch does."""
        self.open()
        self.call("start", server=self.server.origin, app="demo", key=self.key)
        self.call("token", token=self.token)
        if user:
            self.call("user", user=user)
        return self

    def call(self, name, **members):
        self.process.stdin.write(json.dumps({"call": name, **members}).encode() + b"\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], 60)
        line = self.process.stdout.readline() if ready else b""
        assert line, f"the phone {self.platform} did not answer {name}"
        return json.loads(line)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=10)
        self.process.stdin.close()
        self.process.stdout.close()

    def delivered(self, emulator):
        """What the system hands the app: the notification's identifier and the payload, of every push that arrived."""
        pushes = emulator.pushes("apns" if self.platform == "ios" else "fcm", self.token)
        return [handed_over(self.platform, push) for push in pushes]

    def drained(self):
        return wait(lambda: (now := self.call("status"))["queued"] == 0 and now, f"the events of {self.platform}", 90)


def handed_over(platform, push):
    if platform == "android":
        return push["id"].rsplit("/", 1)[-1], push["payload"]["message"].get("data", {})
    headers = push["headers"]
    # iOS names a notification by its collapse id, and by the apns-id when it has none.
    return headers.get("apns-collapse-id", push["id"]), push["payload"]


@pytest.fixture(scope="module")
def lab(running, java_phone, tmp_path_factory):
    """A server with the app `demo`, and three phones of each platform that are registered by their own clients."""
    folder = tmp_path_factory.mktemp("sdk")
    running.scenario(apns={"environment": "production"})
    server = Server(folder)
    server.done("POST", "/v1/apps", {"name": "demo", "contract": "amba"})
    server.done("PUT", "/v1/apps/demo/credentials", credentials(running))
    key = server.done("POST", "/v1/keys", {"name": "phones", "scopes": ["client"], "app": "demo"})["key"]
    phones = []
    for number in range(3):
        for platform, program in (("ios", swift_phone()), ("android", java_phone)):
            token = f"{number:064x}" if platform == "ios" else f"android-{number}:APA91b{'Phone' * 8}"
            phone = Phone(program, folder / f"{platform}-{number}", platform, token, server, key)
            phones.append(phone.launch(user=f"{platform}-{number}"))
    users = lambda: [each.get("user") for each in server.done("GET", "/v1/apps/demo/devices")["devices"]]  # noqa: E731
    wait(lambda: len(found := users()) == 6 and all(found), "six devices with their users")
    yield Lab(running, server, phones)
    for phone in phones:
        phone.kill()
    if server.process.poll() is None:
        server.stop()


class Lab:
    def __init__(self, emulator, server, phones):
        self.emulator, self.server, self.phones = emulator, server, phones

    def send(self, **members):
        """Sends a push to everyone and waits until it is finished."""
        body = {"to": {"all": True}, "message": {
            "title": "Your parcel", "body": "It is here.", "data": {"deep_link": "shop://parcel/7"}}, **members}
        self.emulator.call("DELETE", "/pushes")
        push = self.server.done("POST", "/v1/apps/demo/pushes", body)["id"]
        wait(lambda: self.server.done("GET", f"/v1/apps/demo/pushes/{push}")["state"] == "sent", "the push")
        return push

    def funnel(self, push):
        funnel = self.server.done("GET", f"/v1/apps/demo/pushes/{push}/funnel")
        return [funnel[name] for name in ("targeted", "accepted", "received", "opened", "action")], funnel["actions"]

    def restart(self):
        """Starts the server again on its port."""
        port = self.server.port
        self.server.arguments[self.server.arguments.index("--port") + 1] = str(port)
        log = open(self.server.log_path, "ab")
        self.server.process = subprocess.Popen(self.server.arguments, stdout=subprocess.PIPE, stderr=log)
        log.close()
        wait(self.answers, "the server")

    def answers(self):
        # A connection that was refused is of no further use.
        self.server.kept.line = None
        try:
            return self.server.ask("GET", "/readyz", key=None).status == 200
        except OSError:
            return False


def test_devices_are_what_the_phones_said(lab):
    devices = lab.server.done("GET", "/v1/apps/demo/devices")["devices"]
    for phone in lab.phones:
        device = next(each for each in devices if each["token"] == phone.token)
        assert device["type"] == phone.platform and device["user"] == phone.folder.name
        assert phone.call("status")["device"] == device["id"] and len(device["name"]) == 36


@pytest.mark.parametrize("members", [{}, {"campaign": "winback-1"}], ids=["transactional", "campaign"])
def test_a_funnel_end_to_end(lab, members):
    push = lab.send(**members)
    for number, phone in enumerate(lab.phones):
        [(identifier, payload)] = phone.delivered(lab.emulator)
        phone.call("received", id=identifier)
        if number < 4:
            answer = phone.call("opened", id=identifier, payload=payload)
            assert answer["link"] == "shop://parcel/7"
        if number in (1, 2, 4):
            phone.call("action", id=identifier, payload=payload, action="reply" if number < 3 else "later")
        # Reported twice, counted once.
        phone.call("received", id=identifier)
    for phone in lab.phones:
        assert phone.drained()["dropped"] == 0
    assert lab.funnel(push) == ([6, 6, 6, 5, 3], [{"action": "reply", "count": 2}, {"action": "later", "count": 1}])


def test_offline_and_killed(lab):
    """The server is stopped while the phones report, and each app is killed in the middle: every event arrives once."""
    push = lab.send()
    handed = [phone.delivered(lab.emulator)[0] for phone in lab.phones]
    lab.server.stop()
    for phone, (identifier, payload) in zip(lab.phones, handed):
        phone.call("received", id=identifier)
        phone.kill()
        # Killed again right after the line is answered: the event is on disk by then.
        phone.launch()
        assert phone.call("opened", id=identifier, payload=payload)["queued"] == 2
        phone.kill()
        phone.launch()
        phone.call("action", id=identifier, payload=payload, action="reply")
    time.sleep(0.5)
    for phone in lab.phones:
        assert phone.call("status")["queued"] == 3
    lab.restart()
    for phone in lab.phones:
        phone.call("wake")
    for phone in lab.phones:
        assert phone.drained()["dropped"] == 0
    assert lab.funnel(push) == ([6, 6, 6, 6, 6], [{"action": "reply", "count": 6}])


def test_killed_while_sending(lab):
    """Apps are killed while their requests are on their way, again and again: nothing is lost or counted twice."""
    pushes = {lab.send(): [phone.delivered(lab.emulator)[0] for phone in lab.phones] for _ in range(5)}
    for index, phone in enumerate(lab.phones):
        for round, handed in enumerate(pushes.values()):
            identifier, payload = handed[index]
            phone.call("received", id=identifier)
            phone.call("opened", id=identifier, payload=payload)
            time.sleep(0.003 * ((index + round) % 5))
            phone.kill()
            phone.launch()
    for phone in lab.phones:
        assert phone.drained()["dropped"] == 0
    for push in pushes:
        assert lab.funnel(push)[0] == [6, 6, 6, 6, 0]


def test_the_extension_reports_for_the_app(lab):
    """The service extension is another process on the folder of the App Group, beside the running app."""
    push = lab.send(campaign="from-the-extension")
    phone = lab.phones[0]
    [(identifier, _)] = phone.delivered(lab.emulator)
    assert identifier == "from-the-extension"
    extension = Phone(phone.program, phone.folder, "ios", phone.token, phone.server, phone.key).open("extension")
    extension.call("start", server=lab.server.origin, app="demo", key=phone.key)
    extension.call("received", id=identifier)
    assert extension.drained()["device"] == phone.call("status")["device"]
    extension.kill()
    assert lab.funnel(push)[0] == [6, 6, 1, 0, 0]
    # The extension queues without a network and is ended; the app delivers.
    extension.open("extension")
    extension.call("start", server="http://127.0.0.1:1", app="demo", key=phone.key)
    extension.call("opened", id=identifier, payload={})
    time.sleep(0.3)
    extension.kill()
    assert phone.call("wake")["queued"] <= 1
    phone.drained()
    assert lab.funnel(push)[0] == [6, 6, 1, 1, 0]


def test_another_token_and_signing_in_keep_the_device(lab):
    for phone in lab.phones[:2]:
        before = phone.call("status")["device"]
        phone.token = phone.token.replace("0", "f", 1) if phone.platform == "ios" else "rotated:APA91b" + "Token" * 8
        phone.call("token", token=phone.token)
        phone.call("user", user="zoe")
        found = wait(lambda: [
            each for each in lab.server.done("GET", "/v1/apps/demo/devices?user=zoe")["devices"]
            if each["token"] == phone.token], "the device of zoe")
        assert [each["id"] for each in found] == [before]
    assert len(lab.server.done("GET", "/v1/apps/demo/devices")["devices"]) == 6


def test_a_revoked_key_stops_the_phone(lab):
    key = lab.server.done("POST", "/v1/keys", {"name": "short", "scopes": ["client"], "app": "demo"})
    phone = lab.phones[1]
    lab.server.done("DELETE", f"/v1/keys/{key['id']}")
    phone.call("start", server=lab.server.origin, app="demo", key=key["key"])
    phone.call("received", id="0:1%2")
    time.sleep(0.5)
    assert phone.call("status")["queued"] == 1
    phone.call("start", server=lab.server.origin, app="demo", key=phone.key)
    # A notification that this server never sent is unknown: it is asked for again, and waits meanwhile.
    assert phone.call("status")["queued"] == 1


def identity(user, kid, secret, seconds=600):
    """A token of docs/identity.md, by the shared secret."""
    part = lambda content: base64.urlsafe_b64encode(content).rstrip(b"=")  # noqa: E731
    now = int(time.time())
    claims = {"sub": user, "aud": "demo", "iat": now - 1000, "exp": now + seconds}
    head = part(json.dumps({"alg": "HS256", "kid": kid}).encode()) + b"." + part(json.dumps(claims).encode())
    return (head + b"." + part(hmac.digest(secret.encode(), head, "sha256"))).decode()


def test_signed_identity(running, java_phone, tmp_path):
    """Where tokens are required: registering, refreshing, signing out, another user, and reports without a token."""
    running.scenario(apns={"environment": "production"})
    server = Server(tmp_path / "server")
    server.done("POST", "/v1/apps", {"name": "demo", "contract": "amba"})
    server.done("PUT", "/v1/apps/demo/credentials", credentials(running))
    key = server.done("POST", "/v1/keys", {"name": "phones", "scopes": ["client"], "app": "demo"})["key"]
    made = server.done("POST", "/v1/apps/demo/identity/keys", {"algorithm": "HS256"})
    server.done("PUT", "/v1/apps/demo/identity", {"mode": "required"})
    # Ann's first token is expired, so that the client has to ask for another; of zoe there is none.
    good = {user: [identity(user, made["id"], made["secret"])] * 2 for user in ("ann", "bob")}
    good["ann"][0] = identity("ann", made["id"], made["secret"], seconds=-500)
    device = lambda: server.done("GET", "/v1/apps/demo/devices?type=" + phone.platform)["devices"]  # noqa: E731
    for platform, program in (("ios", swift_phone()), ("android", java_phone)):
        token = "ab" * 32 if platform == "ios" else "identity:APA91b" + "Phone" * 8
        phone = Phone(program, tmp_path / platform, platform, token, server, key).open()
        phone.call("start", server=server.origin, app="demo", key=key, identities=good)
        phone.call("user", user="ann")
        phone.call("token", token=token)
        [registered] = wait(device, f"the device of {platform}")
        assert registered["user"] == "ann"
        # A report needs no token of the user, also where the notification is named by its campaign.
        campaign = f"identity-{platform}"
        body = {"to": {"users": ["ann"]}, "message": {"title": "Hi", "body": "You"}, "campaign": campaign}
        running.call("DELETE", "/pushes")
        push = server.done("POST", "/v1/apps/demo/pushes", body)["id"]
        wait(lambda: server.done("GET", f"/v1/apps/demo/pushes/{push}")["state"] == "sent", "the push")
        [(identifier, payload)] = phone.delivered(running)
        phone.call("opened", id=identifier, payload=payload)
        assert phone.drained()["dropped"] == 0
        assert server.done("GET", f"/v1/apps/demo/pushes/{push}/funnel")["opened"] == 1

        phone.call("user_out")
        wait(lambda: "user" not in device()[0], "nobody's device")
        phone.call("user", user="bob")
        wait(lambda: device()[0].get("user") == "bob", "the device of bob")
        phone.call("user", user="ann")
        wait(lambda: device()[0].get("user") == "ann", "the device of ann")
        # Without a token of zoe the device stays ann's, and other users' registrations still work.
        phone.call("user", user="zoe")
        time.sleep(0.5)
        assert device()[0].get("user") == "ann"
        phone.call("user", user="bob")
        wait(lambda: device()[0].get("user") == "bob", "the device of bob again")
        assert [each["id"] for each in device()] == [registered["id"]]
        phone.kill()
        if platform == "ios":
            server.done("DELETE", f"/v1/apps/demo/devices/{registered['id']}")
    server.stop()


def test_a_phone_changes_hands(running, java_phone, tmp_path):
    """Where tokens are required: a sign-out without a token is made up for, and the next user gets the phone."""
    running.scenario(apns={"environment": "production"})
    server = Server(tmp_path / "server")
    server.done("POST", "/v1/apps", {"name": "demo", "contract": "amba"})
    key = server.done("POST", "/v1/keys", {"name": "phones", "scopes": ["client"], "app": "demo"})["key"]
    made = server.done("POST", "/v1/apps/demo/identity/keys", {"algorithm": "HS256"})
    server.done("PUT", "/v1/apps/demo/identity", {"mode": "required"})
    tokens = {user: [identity(user, made["id"], made["secret"])] * 2 for user in ("ann", "bob", "cy")}

    def users():
        devices = server.done("GET", "/v1/apps/demo/devices?type=" + phone.platform)["devices"]
        return {(each.get("user"), each["token"]) for each in devices}

    for platform, program in (("ios", swift_phone()), ("android", java_phone)):
        first, second = [(c * 64 if platform == "ios" else f"hands-{c}:APA91b" + "Phone" * 8) for c in "ab"]
        phone = Phone(program, tmp_path / platform, platform, first, server, key).open()
        start = lambda *users: phone.call(  # noqa: E731
            "start", server=server.origin, app="demo", key=key, identities={user: tokens[user] for user in users})
        start("ann")
        phone.call("user", user="ann")
        phone.call("token", token=first)
        wait(lambda: users() == {("ann", first)}, "the device of ann")
        # The provider has no token: the sign-out is not taken, and is not given up.
        start()
        assert "signed_out" not in phone.call("user_out")
        time.sleep(1)
        assert users() == {("ann", first)} and "signed_out" not in phone.call("status")
        start("ann")
        wait(lambda: phone.call("status").get("signed_out"), "the sign-out")
        assert users() == {(None, first)}
        # The token changes and the user as well, before the server knows that ann has left.
        phone.call("user", user="ann")
        wait(lambda: users() == {("ann", first)}, "the device of ann again")
        start("bob")
        phone.call("user_out")
        time.sleep(0.5)
        phone.call("token", token=second)
        phone.call("user", user="bob")
        # Told on any thread: on that of the request before, bob's call may have returned already.
        wait(lambda: phone.call("status").get("signed_out") is False, "the sign-out, given up")
        wait(lambda: ("bob", second) in users(), "the device of bob")
        phone.kill()
        phone.open()
        start("bob", "cy")
        phone.call("token", token=second)
        phone.call("user", user="cy")
        wait(lambda: ("cy", second) in users(), "the device of cy")
        # What remains is ann's device with a token that no phone has any more: its provider will say so.
        assert users() == {("ann", first), ("cy", second)}
        phone.kill()
    server.stop()


FEATURES = [word for name in ("ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility")
            for word in ("-enable-upcoming-feature", name)]


def swiftc(*arguments):
    subprocess.run(["swiftc", *arguments], check=True, timeout=600)


@pytest.fixture(scope="session")
def apple_module(tmp_path_factory):
    """Declarations of Apple's UserNotifications and UIKit, compiled."""
    folder = tmp_path_factory.mktemp("apple")
    for name in ("UserNotifications", "UIKit"):
        swiftc("-swift-version", "5", "-emit-module", "-emit-library", "-module-name", name, APPLE / f"{name}.swift",
               "-o", folder / f"lib{name}.so")
    return folder


def client_sources():
    return sorted(str(path) for path in (ROOT / "Sources" / "PostriderApp").rglob("*.swift"))


def snippets(document, language):
    """The blocks of a document by the word behind their language."""
    return dict(re.findall(rf"^```{language} (\w+)\n(.*?)^```$", document.read_text(), re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="session")
def client_module(apple_module, tmp_path_factory):
    """The module that apps import, for Apple's side."""
    folder = tmp_path_factory.mktemp("client")
    swiftc("-swift-version", "6", *FEATURES, "-package-name", "postrider", "-I", apple_module, "-emit-module",
           "-module-name", "PostriderApp", *client_sources(), "-o", folder / "PostriderApp.swiftmodule")
    return folder


def first_lines(package, language):
    """The lines that the README of a package begins with."""
    text = (ROOT / "Packages" / package / "README.md").read_text()
    return re.search(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]


def check_swift(apple_module, client_module, path, *options):
    swiftc("-swift-version", "5", "-parse-as-library", "-warnings-as-errors", *options, "-I", apple_module, "-I",
           client_module, "-typecheck", path)


def test_the_first_lines_for_swift_compile(apple_module, client_module, tmp_path):
    lines = first_lines("swift", "swift")
    assert len(lines.splitlines()) == 5
    path = tmp_path / "readme.swift"
    # What an app has where it writes each line.
    path.write_text("""import Foundation
import PostriderApp
import UIKit
import UserNotifications

@MainActor func lines(
  token: Data, response: UNNotificationResponse, request: UNNotificationRequest, content: UNNotificationContent,
  show: @escaping (UNNotificationContent) -> Void
) {
""" + lines + "_ = link\n}\n")
    check_swift(apple_module, client_module, path)


def test_the_snippets_for_swift_compile(apple_module, client_module, tmp_path):
    found = snippets(ROOT / "docs" / "apps.md", "swift")
    assert sorted(found) == ["app", "extension"]
    for name, text in found.items():
        path = tmp_path / f"{name}.swift"
        path.write_text(text)
        for debug in ([], ["-D", "DEBUG"]):
            check_swift(apple_module, client_module, path, *debug)


def test_the_snippets_for_android_compile(java_phone, tmp_path):
    found = snippets(ROOT / "docs" / "apps.md", "java")
    assert sorted(found) == ["activity", "app", "service"]
    paths = []
    for text in found.values():
        path = tmp_path / (re.search(r"class (\w+)", text)[1] + ".java")
        path.write_text(text)
        paths.append(path)
    check_java(java_phone, tmp_path, *paths)


def check_java(java_phone, folder, *paths):
    subprocess.run(
        ["javac", "-Xlint:all", "-Werror", "-cp", java_phone[4], "-d", folder,
         *(ROOT / "Tests" / "Interop" / "android").rglob("*.java"), *paths], cwd=ROOT, check=True, timeout=300)


def test_the_first_lines_for_android_compile(java_phone, tmp_path):
    lines = first_lines("android", "java")
    assert len(lines.splitlines()) == 5
    path = tmp_path / "Readme.java"
    # What an app has where it writes each line.
    path.write_text("""import android.app.Activity;
import com.google.firebase.messaging.RemoteMessage;
import postrider.app.Configuration;
import postrider.app.Postrider;

class Readme extends Activity {
  void lines(Activity activity, String token, RemoteMessage message) {
""" + lines + "  }\n}\n")
    check_java(java_phone, tmp_path, path)


def test_apples_side_of_the_client(apple_module, lab, tmp_path):
    """The files that only Apple's systems compile, on Linux's Foundation: compiled whole, and at work as an app."""
    program = tmp_path / "app"
    swiftc("-swift-version", "6", "-warnings-as-errors", *FEATURES, "-package-name", "postrider", "-I", apple_module, "-L",
           apple_module, "-lUserNotifications", "-Xlinker", f"-rpath={apple_module}", *client_sources(),
           APPLE / "main.swift", "-o", program)
    push = lab.send(campaign="apple")
    before = lab.funnel(push)[0]
    assert before == [6, 6, 0, 0, 0]
    phone = lab.phones[0]
    environment = {**os.environ, "APP_GROUPS": str(tmp_path), "SERVER": lab.server.origin, "KEY": phone.key}
    run = subprocess.run(
        [program, phone.token], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == [
        "granted true", "extension shows it, badge 1", "link shop://parcel/7", "local nil", "dismissed nil", "badge 0",
        "queued 0 dropped 0"], run.stderr
    assert lab.funnel(push) == ([6, 6, 1, 1, 1], [{"action": "reply", "count": 1}])
    assert phone.token not in run.stderr and phone.key not in run.stderr
