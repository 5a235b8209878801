"""Leaving a vendor in shadow, with OneSignal's own client as it is: Postrider between it and a vendor on loopback, which
notes what it gets; then a share of the users, and everyone, is live at the emulator. And a server that is killed meanwhile."""

import http.server
import itertools
import json
import signal
import threading
import urllib.error

import onesignal
import pytest
from onesignal.api import default_api
from onesignal.helpers import is_message_not_sent, is_message_sent
from onesignal.model.notification import Notification
from onesignal.model.properties_object import PropertiesObject
from onesignal.model.update_user_request import UpdateUserRequest

from serving import Server, credentials, wait

numbers = itertools.count(1)
VENDOR_APP = "5fa2d1d8-6e43-4d5c-9a43-8f4c4a3f77a1"
VENDOR_KEY = "os_v2_app_the_vendors_own_key"
THEIRS = "11111111-2222-4333-8444-555555555555"


class Vendor:
    """A stand-in for the vendor's server: answers what the test says, and keeps what it gets."""

    def __init__(self):
        self.got, self.status, self.answer = [], 200, {"id": THEIRS}
        vendor = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                vendor.got.append((self.command, self.path, dict(self.headers), json.loads(body) if body else None))
                text = json.dumps(vendor.answer).encode()
                self.send_response(vendor.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def vendor():
    vendor = Vendor()
    yield vendor
    vendor.stop()


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path, "--allow-private-webhooks")
    yield server
    server.stop()


@pytest.fixture
def shop(server, running, vendor):
    """An app under its OneSignal app id, with a device of `ann` and one of `bob`, and the official client of a backend
    whose address alone was changed."""
    running.scenario()
    base = "/v1/apps/shop"
    server.done("POST", "/v1/apps", {"name": "shop"})
    server.done("PUT", f"{base}/credentials", credentials(running))
    server.done("PATCH", base, {"compat": {"onesignal": {"app_id": VENDOR_APP}}})
    key = server.done("POST", "/v1/keys", {"name": "backend", "scopes": ["compat"], "app": "shop"})["key"]
    number = next(numbers)
    server.tokens = {"ann": f"{0x70 + number:02x}" * 32, "bob": f"{0x90 + number:02x}" * 32}
    for user, token in server.tokens.items():
        server.done("POST", f"{base}/devices", {"type": "ios", "token": token, "user": user})
    configuration = onesignal.Configuration(host=f"{server.origin}/compat/onesignal/{key}", rest_api_key=VENDOR_KEY)
    server.api = default_api.DefaultApi(onesignal.ApiClient(configuration))
    return server


def shadow(server, **setting):
    return server.done("PUT", "/v1/apps/shop/compat/onesignal/shadow", setting)


def report(server, requests):
    """The vendor's numbers, once as many requests are recorded."""
    def counted():
        row = server.done("GET", "/v1/apps/shop/shadow")["vendors"][0]
        return row if sum(one["count"] for one in row["outcomes"]) >= requests else None
    wait(lambda: counted() is not None, f"{requests} recorded requests")
    return {kind: {one["name"]: one["count"] for one in rows} for kind, rows in counted().items() if isinstance(rows, list)}


def note(**members):
    return Notification(app_id=VENDOR_APP, contents={"en": "Half price"}, **members)


def pushes(server):
    return server.done("GET", "/v1/apps/shop/pushes")["pushes"]


def received(running, token):
    """What a virtual phone has got; the emulator knows none that nothing was sent to."""
    try:
        return running.pushes("apns", token)
    except urllib.error.HTTPError:
        return []


def test_the_official_client_is_forwarded_and_nothing_is_delivered(shop, vendor):
    shadow(shop, mode="forward", url=vendor.origin)
    made = shop.api.create_notification(note(include_external_user_ids=["ann", "bob", "nobody"]))
    assert is_message_sent(made) and made.id == THEIRS
    method, path, headers, body = vendor.got[0]
    assert (method, path, headers["Authorization"]) == ("POST", "/notifications", f"Key {VENDOR_KEY}")
    assert body["include_external_user_ids"] == ["ann", "bob", "nobody"] and body["app_id"] == VENDOR_APP
    assert "prk_" not in json.dumps(vendor.got)
    shop.api.create_notification(note(included_segments=["Subscribed Users"]))
    # What the vendor refuses the client raises, as always.
    vendor.status, vendor.answer = 400, {"errors": ["included_segments: no such segment"]}
    with pytest.raises(onesignal.ApiException) as caught:
        shop.api.create_notification(note(included_segments=["Subscribed Users"]))
    assert caught.value.status == 400 and "no such segment" in caught.value.body
    vendor.status, vendor.answer = 202, {"properties": {"tags": {"level": "7"}}}
    shop.api.update_user(VENDOR_APP, "external_id", "ann", UpdateUserRequest(properties=PropertiesObject(tags={"level": "7"})))
    assert shop.done("GET", "/v1/apps/shop/users/ann")["properties"] == {"level": 7}
    numbers = report(shop, 4)
    assert numbers["outcomes"] == {"accepted": 4} and numbers["platforms"] == {"ios": 6}
    assert numbers["agreement"] == {"same": 3, "only_here": 1}
    assert pushes(shop) == [] and VENDOR_KEY.encode() not in shop.log
    stored = json.dumps({table: rows for table, rows in shop.rows().items() if table.startswith("shadow")}, default=repr)
    for secret in [VENDOR_KEY, "Half price", "nobody", "ann", *shop.tokens.values()]:
        assert f'"{secret}"' not in stored and f"'{secret}'" not in stored, secret


def test_observed_requests_are_answered_here_and_deliver_nothing(shop):
    shadow(shop, mode="observe")
    made = shop.api.create_notification(note(include_external_user_ids=["ann"]))
    assert is_message_sent(made)
    assert is_message_not_sent(shop.api.create_notification(note(include_external_user_ids=["nobody"])))
    with pytest.raises(onesignal.ApiException) as caught:
        shop.api.get_notification(VENDOR_APP, made.id)
    assert caught.value.status == 404
    assert report(shop, 2)["outcomes"] == {"accepted": 1, "nobody": 1}
    assert pushes(shop) == []


def test_one_switch_makes_it_live_for_some_and_then_for_all(shop, vendor, running):
    everyone = [f"user-{number}" for number in range(200)]
    for user in everyone:
        shop.done("POST", "/v1/apps/shop/devices", {"type": "android", "token": f"shadow-{user}-{'x' * 20}", "user": user})
    before = set()
    for percent in (10, 60):
        shadow(shop, mode="forward", url=vendor.origin, live_percent=percent)
        for _ in range(2):
            vendor.got.clear()
            shop.api.create_notification(note(include_external_user_ids=everyone))
            theirs = set(vendor.got[0][3]["include_external_user_ids"])
            newest = pushes(shop)[0]["id"]
            wait(lambda: "finished_at" in shop.done("GET", f"/v1/apps/shop/pushes/{newest}"), "the push")
            rows = shop.done("GET", f"/v1/apps/shop/pushes/{newest}/deliveries?limit=1000")["deliveries"]
            tokens = {shop.done("GET", f"/v1/apps/shop/devices/{row['device']}")["user"] for row in rows}
            # Everyone is on exactly one side, the same at each message, and stays when the share grows.
            assert tokens.isdisjoint(theirs) and tokens | theirs == set(everyone)
            assert len(rows) == len(tokens) and before <= tokens
            before = tokens
    shadow(shop, live_percent=100)
    vendor.got.clear()
    made = shop.api.create_notification(note(included_segments=["Subscribed Users"]))
    wait(lambda: len(received(running, shop.tokens["ann"])) == 1, "ann's message")
    assert received(running, shop.tokens["ann"])[0]["payload"]["aps"]["alert"]["body"] == "Half price"
    assert shop.api.get_notification(VENDOR_APP, made.id).contents["en"] == "Half price"
    assert vendor.got == []


def test_a_vendor_that_is_away_is_a_bad_gateway(shop, vendor):
    shadow(shop, mode="forward", url="http://127.0.0.1:9")
    with pytest.raises(onesignal.ApiException) as caught:
        shop.api.create_notification(note(include_external_user_ids=["ann"]))
    assert caught.value.status == 502 and "was not reached" in json.loads(caught.value.body)["errors"][0]
    assert report(shop, 1)["agreement"] == {"vendor_down": 1}


def test_a_killed_server_has_delivered_nothing_and_has_whole_records(shop, vendor, tmp_path):
    shadow(shop, mode="forward", url=vendor.origin)
    answered = []

    def send():
        try:
            while True:
                shop.api.create_notification(note(include_external_user_ids=["ann", "bob"]))
                answered.append(1)
        except Exception:  # The server is gone, in whichever way the client says so.
            pass

    threads = [threading.Thread(target=send) for _ in range(3)]
    for thread in threads:
        thread.start()
    wait(lambda: len(answered) >= 100, "a hundred answers")
    shop.process.send_signal(signal.SIGKILL)
    shop.process.wait(timeout=60)
    for thread in threads:
        thread.join(timeout=120)
    again = Server(tmp_path, "--allow-private-webhooks")
    try:
        again.key = shop.key
        assert pushes(again) == []
        row = again.done("GET", "/v1/apps/shop/shadow")["vendors"][0]
        recorded = sum(one["count"] for one in row["outcomes"])
        # A record and what it adds to the numbers are one change, and no request was recorded that the vendor did not get.
        listed, cursor = [], ""
        while True:
            page = again.done("GET", f"/v1/apps/shop/shadow/requests?limit=1000{cursor}")
            listed += page["requests"]
            if "next" not in page:
                break
            cursor = f"&cursor={page['next']}"
        assert len(listed) == recorded <= len(vendor.got)
        assert all(one["targeted"] == 2 and one["vendor_status"] == 200 for one in listed)
        assert row["platforms"] == ([] if not listed else [{**row["platforms"][0], "name": "ios", "count": 2 * recorded}])
        # It is still in shadow.
        assert row["mode"] == "forward"
    finally:
        again.stop()
