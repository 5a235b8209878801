"""A site's page and service worker in headless Chromium: from the click that subscribes to what the ledger says.

Chromium subscribes at Google's push service only. So the page is given a subscription of the emulator's push service, and
what the emulator decrypts is delivered to the worker through DevTools, byte for byte. The rest is real: the example's page
on an origin of its own, the server's two files, its answers to other origins, the notifications that Chromium shows.
"""

import http.server
import itertools
import json
import pathlib
import shutil
import subprocess
import threading
import time
import urllib.request

import pytest

webdriver = pytest.importorskip("selenium.webdriver")
import websocket  # noqa: E402

from conftest import ROOT, command  # noqa: E402
from serving import Server, wait  # noqa: E402

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
EXAMPLE = ROOT / "Packages" / "web" / "example"
APP = "/v1/apps/shop"
# What Chromium subscribes with, so that the page sees the emulator's push service.
SUBSCRIPTIONS = """
  const key = "test-subscription";
  const known = () => {
    const saved = JSON.parse(localStorage.getItem(key));
    if (!saved) return null;
    const bytes = Uint8Array.from(atob(saved.key.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    return { endpoint: saved.endpoint, options: { applicationServerKey: bytes.buffer }, toJSON: () => saved.json,
             unsubscribe: async () => { localStorage.removeItem(key); return true; } };
  };
  PushManager.prototype.getSubscription = async () => known();
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
    if (!userVisibleOnly) throw new DOMException("a site must show what it gets", "NotAllowedError");
    const json = await (await fetch("/subscribe?" + applicationServerKey, { method: "POST" })).json();
    localStorage.setItem(key, JSON.stringify({ endpoint: json.endpoint, key: applicationServerKey, json }));
    return known();
  };
"""
MESSAGES = {
    "amba": {"title": "Grüße 👋", "body": "Your streak is waiting.", "badge": 3, "data": {"deep_link": "https://shop.example/a", "n": 1}},
    "imkit": {"messageType": "text", "sender": "Alice", "content": "Shall we meet at seven?", "roomId": "r1"},
    "powerauth": {"title": "Balance update", "body": "Your balance is now $745.00", "extras": {"a": 1}},
    "adobe": {"adb_version": "1", "adb_title": "Game request", "adb_body": "Shall we play?", "adb_uri": "https://shop.example/game"},
    "onesignal": {"headings": {"en": "Spring sale"}, "contents": {"en": "20% off"}, "web_url": "https://shop.example/sale",
                  "buttons": [{"id": "buy", "text": "Buy"}, {"id": "later", "text": "Later"}]},
    "native": {"title": "Parcel", "body": "Today.", "fcm": {"webpush": {"notification": {"requireInteraction": True, "silent": True, "lang": "en"}, "data": {"k": "v"}}}},
}


class Site:
    """The example on an origin of its own, for a server, an app and a key; it makes subscriptions at the emulator."""

    def __init__(self, server, key, emulator):
        numbers = itertools.count(1)
        site = self
        self.made = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self, content, kind):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def do_GET(self):  # noqa: N802
                name = self.path.split("?")[0].lstrip("/") or "index.html"
                if name == "empty.html":
                    return self.answer(b"<!doctype html><title>Empty</title>", "text/html")
                # The worker is also in a folder, whose pages alone are its scope then.
                file = EXAMPLE / name.removeprefix("below/")
                if not file.is_file():
                    return self.send_error(404)
                text = file.read_text().replace("https://push.example.com", server.origin).replace("prk_…", key)
                kinds = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
                return self.answer(text.encode(), kinds[file.suffix])

            def do_POST(self):  # noqa: N802
                token = f"browser-{next(numbers)}"
                made = emulator.call("POST", "/devices", {
                    "provider": "web", "token": token, "application_server_key": self.path.split("?")[1]})
                site.made.append(token)
                self.answer(json.dumps(made["subscription"]).encode(), "application/json")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://localhost:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class DevTools:
    """Chromium's debugging protocol: sessions of a page and of its worker."""

    def __init__(self, address):
        with urllib.request.urlopen(f"http://{address}/json/version", timeout=30) as answer:
            url = json.load(answer)["webSocketDebuggerUrl"]
        self.socket = websocket.create_connection(url, timeout=30, suppress_origin=True)
        self.numbers = itertools.count(1)
        self.events = []

    def call(self, method, session=None, **parameters):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == number:
                assert "error" not in message, (method, message)
                return message["result"]
            self.events.append(message)

    def attach(self, kind, url=""):
        def found():
            targets = self.call("Target.getTargets")["targetInfos"]
            return next((one for one in targets if one["type"] == kind and url in one["url"]), None)

        target = wait(found, f"a target {kind}")
        return self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]

    def run(self, session, script):
        answer = self.call("Runtime.evaluate", session, expression=f"(async () => {{ {script} }})()", awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")


class World:
    """Server, site and browser."""

    def __init__(self, folder, emulator):
        self.emulator = emulator
        self.server = Server(folder / "server")
        port = int(emulator.call("POST", "/devices", {"provider": "web", "token": "port"})["subscription"]["endpoint"].split(":")[2].split("/")[0])
        self.web = {"subject": "mailto:ops@example.com", "gateway": {
            "host": "127.0.0.1", "port": port, "ca": (emulator.folder / "ca.pem").read_text()}}
        self.done("POST", "/v1/apps", {"name": "shop", "title": "Shop", "contract": "onesignal"})
        self.done("PUT", f"{APP}/credentials", {"web": self.web})
        self.key = self.done("POST", "/v1/keys", {"name": "site", "scopes": ["client"], "app": "shop"})["key"]
        self.site = Site(self.server, self.key, emulator)
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en-US"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=DRIVER))
        self.driver.set_page_load_timeout(60)
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SUBSCRIPTIONS})
        self.tools = DevTools(self.driver.capabilities["goog:chromeOptions"]["debuggerAddress"])
        self.tools.call("Browser.grantPermissions", origin=self.site.origin, permissions=["notifications"])

    def done(self, method, path, body=None):
        return self.server.done(method, path, body)

    def allow(self):
        self.done("PUT", f"{APP}/credentials", {"web": {**self.web, "origins": [self.site.origin]}})

    def state(self):
        return self.driver.execute_script("return document.getElementById('state').textContent")

    def click(self, name):
        self.driver.execute_script("document.getElementById(arguments[0]).click()", name)

    def devices(self):
        return self.done("GET", f"{APP}/devices")["devices"]

    def worker(self):
        """A session of the worker, which is started for it."""
        page = self.tools.attach("page", self.site.origin)
        self.tools.call("ServiceWorker.enable", page)
        self.tools.call("ServiceWorker.startWorker", page, scopeURL=self.site.origin + "/")
        return self.tools.attach("service_worker", "/postrider-worker.js")

    def registration(self):
        page = self.tools.attach("page", self.site.origin)
        self.tools.call("ServiceWorker.enable", page)
        def found():
            self.tools.call("ServiceWorker.enable", page)
            for event in self.tools.events:
                if event["method"] == "ServiceWorker.workerRegistrationUpdated":
                    for one in event["params"]["registrations"]:
                        if one["scopeURL"] == self.site.origin + "/":
                            return one["registrationId"]
            return None
        return page, wait(found, "the registration")

    def push(self, message, contract="onesignal", **members):
        """Sends to all devices; returns the push's id and what the browser is given, decrypted."""
        self.done("PATCH", APP, {"contract": contract})
        push = self.done("POST", f"{APP}/pushes", {"to": {"all": True}, "message": message, **members})["id"]
        wait(lambda: "finished_at" in self.done("GET", f"{APP}/pushes/{push}"), "the push")
        shown = self.done("GET", f"{APP}/pushes/{push}")
        assert shown["counts"]["accepted"] == 1, shown
        return push, self.emulator.pushes("web", self.site.made[-1])[-1]["payload"]

    def deliver(self, text):
        page, registration = self.registration()
        self.tools.call("ServiceWorker.deliverPushMessage", page, origin=self.site.origin, registrationId=registration, data=text)

    def shown(self):
        """The notifications on the screen, as Chromium has them."""
        return self.driver.execute_async_script("""
          const done = arguments[0];
          navigator.serviceWorker.ready.then((one) => one.getNotifications()).then((all) => done(all.map((one) => ({
            title: one.title, body: one.body, tag: one.tag, icon: one.icon, image: one.image, badge: one.badge, lang: one.lang, data: one.data,
            silent: one.silent, requireInteraction: one.requireInteraction, actions: one.actions.map(({ action, title }) => ({ action, title })) }))))""")

    def notified(self, text, title=None):
        """Delivers, and returns what is shown: anything, or a notification of this title.

        Chromium says nothing of a push to a worker that it is about to stop, and loses it: then it is delivered once more.
        """
        def found():
            return [one for one in self.shown() if title in (None, one["title"])]

        self.deliver(text)
        end = time.monotonic() + 20
        while not (shown := found()) and time.monotonic() < end:
            time.sleep(0.05)
        if not shown:
            self.deliver(text)
        return wait(found, "a notification")

    def clear(self):
        self.driver.execute_async_script("""
          const done = arguments[0];
          navigator.serviceWorker.ready.then((one) => one.getNotifications()).then((all) => { for (const one of all) one.close(); done(); })""")

    def funnel(self, push):
        return self.done("GET", f"{APP}/pushes/{push}/funnel")

    def stop(self):
        self.driver.quit()
        self.server.stop()
        self.site.server.shutdown()


@pytest.fixture(scope="module")
def world(running, tmp_path_factory):
    if not CHROMIUM or not DRIVER:
        pytest.skip("chromium and chromium-driver are not installed; script/bootstrap --interop installs them")
    running.scenario()
    made = World(tmp_path_factory.mktemp("site"), running)
    yield made
    made.stop()


def test_the_files_are_small_and_cached(world):
    for path, most in [("/web/worker.js", 5_000), ("/web/postrider.js", 10_000)]:
        answer = world.server.ask("GET", path, key=None)
        assert answer.status == 200 and 1_000 < len(answer.content) < most
        assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["cache-control"] == "no-cache"
        assert answer.headers["service-worker-allowed"] == ("/" if "worker" in path else None)
        assert world.server.ask("GET", path, key=None, headers=[("If-None-Match", answer.headers["etag"])]).status == 304
    assert "service-worker-allowed" not in world.server.ask("GET", "/dashboard/app.js", key=None).headers


def test_a_site_that_the_app_does_not_name_is_not_let_in(world):
    """The browser asks first, and gets no leave; the operations of backends have none for any site."""
    def preflight(path, method="POST", origin=world.site.origin):
        answer = world.server.ask("OPTIONS", path, key=None, headers=[("Origin", origin), ("Access-Control-Request-Method", method)])
        return answer.status, answer.headers.get("access-control-allow-origin")

    assert preflight(f"{APP}/devices") == (405, None)
    world.driver.get(world.site.origin + "/")
    wait(lambda: not world.driver.execute_script("return document.getElementById('subscribe').disabled"), "the page")
    world.click("subscribe")
    wait(world.state, "an error")
    assert world.devices() == []
    world.allow()
    assert preflight(f"{APP}/devices") == preflight(f"{APP}/events") == preflight(f"{APP}/web-push", "GET") == (204, world.site.origin)
    assert preflight(f"{APP}/devices", origin="http://localhost:1") == (405, None)
    assert preflight(f"{APP}/devices", "GET") == preflight(f"{APP}/pushes") == (405, None)
    assert preflight("/v1/apps/nobody/devices") == (405, None)
    answer = world.server.ask("GET", f"{APP}/devices", headers=[("Origin", world.site.origin)])
    assert answer.status == 200 and "access-control-allow-origin" not in answer.headers
    answer = world.server.ask("GET", f"{APP}/web-push", key="prk_wrong", headers=[("Origin", world.site.origin)])
    assert answer.status == 401 and answer.headers["access-control-allow-origin"] == world.site.origin


def test_a_click_subscribes_and_the_next_visit_registers_nothing_again(world):
    world.driver.get(world.site.origin + "/")
    wait(lambda: not world.driver.execute_script("return document.getElementById('subscribe').disabled"), "the page")
    world.click("subscribe")
    wait(lambda: world.state() == "You will be notified.", "the subscription")
    device, = world.devices()
    subscription = world.emulator.call("GET", f"/devices/web/{world.site.made[-1]}")["subscription"]
    key = world.done("GET", f"{APP}/web-push")["public_key"]
    assert device["token"] == " ".join([subscription["endpoint"], subscription["keys"]["p256dh"], subscription["keys"]["auth"], key])
    assert device["locale"] == "en-US" and device["timezone"] and len(device["name"]) == 36
    world.driver.get(world.site.origin + "/")
    wait(lambda: world.state() == "You will be notified.", "the second visit")
    assert world.devices() == [device]
    pictures = pathlib.Path(str(world.server.folder)) / "example.png"
    world.driver.save_screenshot(str(pictures))


@pytest.mark.parametrize("contract", MESSAGES)
def test_the_worker_shows_what_each_contract_says_and_reports_it(world, contract):
    world.clear()
    push, content = world.push(MESSAGES[contract], contract)
    assert content["push"] == push
    shown, = world.notified(json.dumps(content))
    form = {name: value for name, value in content.items() if name not in ["push", "navigate", "app_badge", "data", "title_loc", "body_loc"]}
    links = {one["action"]: one.get("navigate") for one in form.get("actions", [])}
    data = shown["data"].pop("postrider")
    assert data["push"] == push and data.get("navigate") == content.get("navigate")
    assert {name: link for name, link in data["links"].items() if link} == {name: link for name, link in links.items() if link}
    assert shown["data"] == content.get("data", {})
    for name, value in form.items():
        assert shown[name] == value, name
    wait(lambda: world.funnel(push)["received"] == 1, "the report")


CASES = json.loads((ROOT / "Vectors" / "browser" / "cases.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_preview_says_what_chromium_shows(world, case):
    """The same content through `postrider preview` and through the worker."""
    world.clear()
    printed = subprocess.run(
        [command(), "preview", "--platform", "web", "--app", "localhost"], input=json.dumps(case["content"]).encode(), capture_output=True, timeout=60)
    preview, = json.loads(printed.stdout)["previews"]
    shown, = world.notified(json.dumps(case["content"], separators=(",", ":"), ensure_ascii=False))
    site = world.site.origin.split("//")[1]
    said = {"title": preview["title"]["text"].replace("localhost", site), "body": preview.get("body", {}).get("text", ""), "tag": preview.get("replaces", ""),
            "icon": preview.get("large_icon", ""), "image": preview.get("image", ""), "badge": preview.get("small_icon", ""),
            "silent": preview.get("without_sound", False), "requireInteraction": preview.get("sticky", False)}
    assert {name: shown[name] if shown[name] is not None else False for name in said} == said
    most = world.driver.execute_script("return Notification.maxActions")
    chrome = preview["surfaces"][0]
    assert [one["action"] for one in shown["actions"]][:most] == chrome.get("buttons", [])
    assert shown["data"]["postrider"].get("navigate") == preview["tap"].get("link")


def test_a_text_that_the_page_has_wins(world):
    world.clear()
    worker = world.worker()
    world.tools.run(worker, "self.postriderText = (key, args) => key === 'HELLO' ? `Hello ${args.join()}` : undefined;")
    content = json.dumps({"title": "Shop", "body": "Plain", "title_loc": {"key": "HELLO", "args": ["Ann"]}, "body_loc": {"key": "OTHER"}})
    assert [(one["title"], one["body"]) for one in world.notified(content)] == [("Hello Ann", "Plain")]
    world.tools.run(worker, "delete self.postriderText;")


def test_a_tag_replaces_what_stands(world):
    world.clear()
    for text in ["first", "second"]:
        _, content = world.push({"contents": {"en": text}, "collapse_id": "news"})
        world.deliver(json.dumps(content))
        wait(lambda: [one["body"] for one in world.shown()] == [text], text)


def click(world, action=""):
    """A click, as the browser gives it to the worker; what it opens is looked at and not opened."""
    worker = world.worker()
    return world.tools.run(worker, f"""
      const opened = [];
      clients.openWindow = async (url) => {{ opened.push(url); return null; }};
      const [notification] = await registration.getNotifications();
      const event = new NotificationEvent("notificationclick", {{ notification, action: {json.dumps(action)} }});
      let work;
      event.waitUntil = (one) => {{ work = one; }};
      self.dispatchEvent(event);
      await work;
      return {{ opened, left: (await registration.getNotifications()).length }};
    """)


@pytest.mark.parametrize("action, opened", [("", "https://shop.example/sale"), ("buy", "https://shop.example/sale")])
def test_clicks_open_and_are_in_the_ledger(world, action, opened):
    world.clear()
    push, content = world.push(MESSAGES["onesignal"])
    world.notified(json.dumps(content))
    assert click(world, action) == {"opened": [opened], "left": 0}
    wait(lambda: world.funnel(push)["opened"] == 1, "the report")
    counts = world.funnel(push)
    assert counts["received"] == 1 and counts["actions"] == ([{"action": action, "count": 1}] if action else [])
    row, = world.done("GET", f"{APP}/pushes/{push}/deliveries")["deliveries"]
    assert row["opened_at"] and row.get("actions", []) == ([action] if action else [])


def test_reports_wait_while_the_server_is_away(world):
    """What cannot be sent stays with the browser, and is sent when the page is visited again."""
    world.clear()
    push, content = world.push(MESSAGES["onesignal"])
    worker = world.worker()
    world.tools.run(worker, "self.fetchAsIs = fetch; self.fetch = async () => { throw new TypeError('away'); };")
    world.notified(json.dumps(content))
    waiting = """
      const base = await new Promise((done) => { const asked = indexedDB.open("postrider", 1); asked.onsuccess = () => done(asked.result); });
      const count = await new Promise((done) => { const asked = base.transaction("events").objectStore("events").count(); asked.onsuccess = () => done(asked.result); });
      base.close();
      return count;
    """
    wait(lambda: world.tools.run(worker, waiting) == 1, "the report to wait")
    world.tools.run(worker, "self.fetch = self.fetchAsIs;")
    world.driver.get(world.site.origin + "/")
    wait(lambda: world.tools.run(world.worker(), waiting) == 0, "the report to leave")
    assert world.funnel(push)["received"] == 1


@pytest.mark.parametrize("text", ["no JSON", "[]", "{}", "null", "1", '{"title":"a","actions":{}}', '{"title":"a","actions":[null]}', '{"title":"a","actions":[{"action":1}]}', '{"title":"a","vibrate":[1],"silent":true}',
                                  '{"web_push":8030,"notification":{"title":"D","navigate":"https://shop.example/d"},"push":"1"}'])
def test_the_worker_shows_something_whatever_comes(world, text):
    world.clear()
    shown, = world.notified(text)
    assert shown["title"]
    if "8030" in text:
        assert shown["title"] == "D" and shown["data"]["postrider"]["navigate"] == "https://shop.example/d"


def test_the_worker_subscribes_again_when_the_browser_changed_the_subscription(world):
    before, = world.devices()
    worker = world.worker()
    made = world.tools.run(worker, """
      const key = (await (await fetch("/subscribe?" + %s, { method: "POST" })).json());
      const event = new ExtendableEvent("pushsubscriptionchange");
      event.newSubscription = null;
      registration.pushManager.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
        if (!userVisibleOnly || applicationServerKey !== %s) throw new Error("not as it should");
        const bytes = Uint8Array.from(atob(applicationServerKey.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
        return { toJSON: () => key, options: { applicationServerKey: bytes.buffer } };
      };
      let work;
      event.waitUntil = (one) => { work = one; };
      self.dispatchEvent(event);
      await work;
      return key;
    """ % ((json.dumps(world.done("GET", f"{APP}/web-push")["public_key"]),) * 2))
    after, = world.devices()
    assert after["id"] == before["id"] and after["token"].split()[0] == made["endpoint"]
    push, content = world.push(MESSAGES["onesignal"])
    world.clear()
    world.deliver(json.dumps(content))
    wait(lambda: world.funnel(push)["received"] == 1, "the report of the new subscription")


def test_who_unsubscribes_gets_nothing_more(world):
    world.driver.get(world.site.origin + "/")
    wait(lambda: world.state() == "You will be notified.", "the page")
    world.click("unsubscribe")
    wait(lambda: world.state() == "", "the end")
    assert world.devices()[0]["opt_out"] is True
    push = world.done("POST", f"{APP}/pushes", {"to": {"all": True}, "message": MESSAGES["onesignal"]})["id"]
    wait(lambda: "finished_at" in world.done("GET", f"{APP}/pushes/{push}"), "the push")
    assert world.done("GET", f"{APP}/pushes/{push}")["counts"].get("accepted", 0) == 0
    world.driver.get(world.site.origin + "/")
    time.sleep(0.5)
    assert world.devices()[0]["opt_out"] is True, "the next visit registers nothing"
    errors = [row["message"] for row in world.driver.get_log("browser") if "favicon" not in row["message"] and "example.com" not in row["message"]]
    assert [one for one in errors if "CORS" not in one and "Failed to load resource" not in one] == []
