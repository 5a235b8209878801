"""Stored scripts (XSS): a hostile text in every field that can be written, looked at on every page of the dashboard in Chromium.

A text that was taken for markup would run `pwn`, make an element `x-pwn`, break the page's policy, or ask another origin;
each of these is watched for. In a page without the dashboard's defences the same texts do all of it.
"""

import http.server
import itertools
import json
import re
import shutil
import threading
import urllib.parse
import xml.etree.ElementTree

import pytest

webdriver = pytest.importorskip("selenium.webdriver")
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

from serving import Server, credentials, wait  # noqa: E402

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
ELSEWHERE = "//evil.example"
# Each does harm somewhere: as text of an element, in an attribute, in a script, in a template, in a picture.
TEXTS = [
    "<img src=x onerror=pwn(1)><x-pwn>", "<script>pwn(2)</script><x-pwn>", '"><svg onload=pwn(3)><x-pwn>', "'><details open ontoggle=pwn(4)><x-pwn>",
    f"<iframe src={ELSEWHERE}></iframe><x-pwn>", f"</style><style>@import'{ELSEWHERE}/a'</style><x-pwn>", "</title></script><x-pwn onclick=pwn(5)>",
    "</text><script>pwn(6)</script><x-pwn>", "]]><foreignObject><body onload='pwn(7)'><x-pwn>", "javascript:pwn(8)//<x-pwn>",
    f"<base href={ELSEWHERE}/><x-pwn>", "<a href=javascript:pwn(9)>x</a><x-pwn>", f"<img src={ELSEWHERE}/i><x-pwn>",
]
# What does its harm in a bare page by itself, so that the watch is seen to work.
SHOWN_TO_RUN = {0: "ran", 2: "ran", 3: "ran", 4: "asked", 12: "asked"}
WATCH = """
  window.seen = [];
  window.pwn = (number) => { seen.push(`ran ${number}`); };
  for (const name of ['alert', 'confirm', 'prompt', 'print', 'open']) window[name] = () => { seen.push(name); return null; };
  document.addEventListener('securitypolicyviolation', (event) => { seen.push(`violation ${event.violatedDirective} ${event.blockedURI} ${event.sample}`); });
  addEventListener('DOMContentLoaded', () => { new MutationObserver(() => {
    for (const one of document.querySelectorAll('x-pwn, base, iframe, object, embed, meta[http-equiv=refresh], body script, [onerror], [onload], [onclick], [ontoggle], a[href^="javascript:" i], form[action]')) {
      if (one.dataset.seen !== '1') { one.dataset.seen = '1'; seen.push(`element ${one.outerHTML.slice(0, 200)}`); }
    }
  }).observe(document, {subtree: true, childList: true, attributes: true, attributeFilter: ['href', 'onerror', 'onload', 'src']}); });
"""


class Browser:
    def __init__(self):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1440,1400", "--lang=en-US",
                         # Nothing is looked up or asked outside, whatever a page tries.
                         "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=DRIVER))
        self.driver.set_page_load_timeout(60)
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})

    def run(self, script, *values):
        return self.driver.execute_script(script, *values)

    def asked(self):
        """The addresses that were asked for since the last time."""
        messages = [json.loads(row["message"])["message"] for row in self.driver.get_log("performance")]
        return [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]

    def harm(self, origin):
        """What happened that may not happen."""
        strange = [url for url in self.asked() if not url.startswith((origin + "/", "data:image/svg+xml,", "data:image/svg+xml;base64,", "about:", "blob:" + origin))]
        console = [row["message"] for row in self.driver.get_log("browser") if "Failed to load resource" not in row["message"]]
        return self.run("const all = window.seen ?? ['no watch']; window.seen = []; return all") + strange + console

    def settled(self):
        WebDriverWait(self.driver, 60, poll_frequency=0.05).until(lambda _: self.run(
            "const page = document.querySelector('.page'); return page && !page.classList.contains('loading') && page.childElementCount > 0"
            " && document.querySelectorAll('[aria-busy=true], .skeleton').length === 0"))


@pytest.fixture(scope="module")
def browser():
    if not CHROMIUM or not DRIVER:
        pytest.skip("chromium and chromium-driver are not installed; script/bootstrap --interop installs them")
    started = Browser()
    yield started
    started.driver.quit()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("browser"), "--demo", "--emulator-port", "0")
    yield started
    started.stop()


# --- A hostile text in every field

def strings(schema, document, path=()):
    """The paths of the string members of a body's schema; `*` is a map's member, 0 an array's first."""
    schema = resolve(schema, document)
    kind = schema.get("type")
    if kind == "string" and "enum" not in schema:
        yield path, schema
    elif kind == "array":
        yield from strings(schema.get("items", {}), document, (*path, 0))
    elif kind == "object" and "properties" in schema:
        for name, member in schema["properties"].items():
            yield from strings(member, document, (*path, name))
    elif kind == "object":
        yield (*path, "*"), {"type": "string"}


def resolve(schema, document):
    while True:
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        elif "anyOf" in schema:
            schema = next(one for one in schema["anyOf"] if one.get("type") != "null")
        else:
            return schema


def put(value, path, text):
    """The value with a text at a path; parts that are missing are made."""
    if not path:
        return text
    first, rest = path[0], path[1:]
    if first == 0:
        items = list(value) if isinstance(value, list) else []
        return [put(items[0] if items else None, rest, text), *items[1:]]
    members = dict(value) if isinstance(value, dict) else {}
    name = text if first == "*" else first
    members[name] = put(members.get(name), rest, text)
    return members


class Writer:
    """Writes hostile texts into every field of every operation that saves something, one field at a time."""

    def __init__(self, server, base, texts):
        self.server, self.base, self.texts = server, base, texts
        self.taken, self.refused = set(), set()
        self.document = server.ask("GET", "/openapi.json", key=None).json

    def schema(self, method, path):
        return self.document["paths"][path][method]["requestBody"]["content"]["application/json"]["schema"]

    def write(self, method, path, filled, valid, only=None):
        """One request for each field; ends with the answers of those that were taken."""
        answers = []
        for where, schema in strings(self.schema(method.lower(), path), self.document):
            if only and not only(where):
                continue
            text = next(self.texts)[:schema.get("maxLength", 500)]
            content = put(valid(), where, text)
            answer = self.server.ask(method, filled(), content)
            assert answer.status < 500, (path, where, answer)
            name = f"{method} {path} {'.'.join(map(str, where))}"
            if answer.status < 300:
                self.taken.add(name)
                answers.append(answer.json)
            else:
                self.refused.add(name)
        return answers


@pytest.fixture(scope="module")
def hostile(server, running):
    """Two apps full of hostile texts; the pages of the dashboard that show them, and how many fields were written."""
    running.scenario(rules=[])
    texts = itertools.cycle(TEXTS)
    number = itertools.count(1)
    evil = "/v1/apps/evil"
    server.done("POST", "/v1/apps", {"name": "evil", "title": TEXTS[0], "contract": "native"})
    server.done("PUT", f"{evil}/credentials", credentials(running))
    writer = Writer(server, evil, texts)
    pages = ["overview", "compose", "pushes", "schedules", "templates", "deliveries", "devices", "users", "segments", "lab", "apps",
             "credentials", "rules", "identity", "webhooks", "keys", "audit"]
    user = TEXTS[0]
    quoted = urllib.parse.quote(user, safe="")
    message = {"title": TEXTS[0], "body": TEXTS[1]}
    token = lambda: f"{next(number):064x}"  # noqa: E731
    everyone = {"to": {"users": [user]}, "message": message}
    w = writer.write
    w("PATCH", "/v1/apps/{app}", lambda: evil, dict)
    devices = w("POST", "/v1/apps/{app}/devices", lambda: f"{evil}/devices", lambda: {"type": "ios", "token": token(), "user": user, "name": TEXTS[2], "tags": [TEXTS[3][:60]], "properties": {"a": TEXTS[4]}})
    w("PATCH", "/v1/apps/{app}/devices/{device}", lambda: f"{evil}/devices/{devices[0]['id']}", dict)
    w("PATCH", "/v1/apps/{app}/users/{user}", lambda: f"{evil}/users/{quoted}", dict)
    tagged = {"field": "tags", "op": "contains", "value": "x"}
    segments = w("POST", "/v1/apps/{app}/segments", lambda: f"{evil}/segments", lambda: {"name": f"segment-{next(number)}", "title": TEXTS[5], "filter": {**tagged, "value": TEXTS[6]}})
    w("PUT", "/v1/apps/{app}/templates/{name}", lambda: f"{evil}/templates/template-{next(number)}", lambda: {"message": message, "locales": {"de": message}})
    pushes = w("POST", "/v1/apps/{app}/pushes", lambda: f"{evil}/pushes", lambda: dict(everyone))
    drafts = w("POST", "/v1/apps/{app}/pushes", lambda: f"{evil}/pushes", lambda: {**everyone, "draft": True})
    w("POST", "/v1/apps/{app}/test-pushes", lambda: f"{evil}/test-pushes", lambda: {"to": {"user": user}, "message": message})
    w("PUT", "/v1/apps/{app}/users/{user}/scheduled/{name}", lambda: f"{evil}/users/{quoted}/scheduled/{quoted}", lambda: {"message": message, "send_at": "2030-01-31T09:00:00Z"})
    repeat = {"every": "week", "start": "2030-02-04T09:00:00", "timezone": "Europe/Vienna"}
    schedules = w("POST", "/v1/apps/{app}/schedules", lambda: f"{evil}/schedules", lambda: {**everyone, "repeat": repeat})
    w("POST", "/v1/keys", lambda: "/v1/keys", lambda: {"name": TEXTS[7], "scopes": ["read"]})
    for text in TEXTS[:9]:
        url = f"https://hooks.example.com/{urllib.parse.quote(text, safe='<>=()/:')}".replace(" ", "+")
        server.ask("POST", f"{evil}/webhooks", {"url": url, "types": ["push.finished"]})
    # What every contract shows on a phone: each of its string fields, to the demo's phones.
    for contract in [one["name"] for one in server.done("GET", "/v1/contracts")["contracts"]]:
        table = [row for row in server.done("GET", f"/v1/contracts/{contract}")["fields"] if "field" in row]
        required = {row["field"]: TEXTS[0] for row in table if row["type"] == "string" and row["required"] == "yes"}
        if contract == "onesignal":
            required = {"headings": {"en": TEXTS[0]}, "contents": {"en": TEXTS[1]}}
        for row in table:
            if row["type"] not in ("string", "texts by language", "array of strings", "object", "any"):
                continue
            text = next(texts)
            value = {"string": text, "texts by language": {"en": text}, "array of strings": [text], "object": {text: text}, "any": text}[row["type"]]
            content = {"contract": contract, "message": {**required, row["field"]: value}}
            answers = [server.ask("POST", f"{app}/pushes", {**content, "to": to}) for app, to in (("/v1/apps/demo", {"all": True}), (evil, {"users": [user]}))]
            assert all(answer.status < 500 for answer in answers), (row, answers)
            taken = [answer.json["id"] for answer in answers if answer.status < 300]
            (writer.taken if taken else writer.refused).add(f"{contract} {row['field']}")
    # Reasons that a provider gives, and buttons that a phone reports.
    running.scenario(rules=[{"name": "hostile", "provider": "apns", "effect": {"refuse": TEXTS[0], "status": 400}}])
    refused = server.done("POST", f"{evil}/pushes", everyone)["id"]
    wait(lambda: "finished_at" in server.done("GET", f"{evil}/pushes/{refused}"), "the refused push")
    running.scenario()
    # The texts decide which user a push is for, and not every one has a device.
    delivered = next(push for push in pushes if push["targeted"])
    wait(lambda: "finished_at" in server.done("GET", f"{evil}/pushes/{delivered['id']}"), "a push")
    for text in TEXTS:
        delivery = server.done("GET", f"{evil}/pushes/{delivered['id']}/deliveries")["deliveries"][0]["id"]
        server.ask("POST", f"{evil}/events", {"events": [{"type": "action", "action": text, "delivery": delivery}]})
    pages += [f"pushes/{push['id']}" for push in (pushes + drafts)] + [f"pushes/{refused}", f"compose/edit/{drafts[0]['id']}"]
    pages += [f"schedules/{one['id']}" for one in schedules] + [f"segments/{one['name']}" for one in segments]
    pages += [f"devices/{one['id']}" for one in devices] + [f"users/{quoted}"]
    pages += [f"templates/{one['name']}" for one in server.done("GET", f"{evil}/templates")["templates"]]
    print(f"\nhostile texts: {len(writer.taken)} fields written, {len(writer.refused)} refused them, {len(pages)} pages")
    assert len(writer.taken) > 80
    return pages


def test_the_watch_sees_what_the_texts_do(browser):
    """In a page that takes them for markup they run, ask another origin, and make elements: the watch is no empty one."""

    class Bare(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802
            text = TEXTS[int(self.path[1:])] if self.path[1:].isdigit() else ""
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(f"<!doctype html><title>bare</title><body><p>{text}</p>".encode())

        def log_message(self, *_):
            pass

    bare = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bare)
    threading.Thread(target=bare.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{bare.server_port}"
    try:
        for number in range(len(TEXTS)):
            browser.driver.get(f"{origin}/{number}")
            browser.run("document.querySelector('p').append(document.createElement('i'))")
            browser.driver.execute_async_script("setTimeout(arguments[0], 50)")
            harm = browser.harm(origin)
            assert harm, TEXTS[number]
            if SHOWN_TO_RUN.get(number) == "ran":
                assert any(one.startswith("ran ") for one in harm), (TEXTS[number], harm)
            if SHOWN_TO_RUN.get(number) == "asked":
                assert any("evil.example" in one for one in harm), (TEXTS[number], harm)
    finally:
        bare.shutdown()


def sign_in(browser, server):
    browser.driver.get("about:blank")
    browser.driver.get(server.origin + "/")
    browser.asked()
    browser.driver.get_log("browser")
    browser.driver.execute_async_script(
        "const done = arguments[1]; fetch('/session', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({key: arguments[0]})}).then((one) => done(one.status))",
        server.key)
    browser.driver.get(server.origin + "/#/evil/overview")
    browser.driver.refresh()
    browser.settled()


def test_hostile_texts_are_inert_on_every_page(browser, server, hostile):
    sign_in(browser, server)
    shown = 0
    for app in ("evil", "demo"):
        for rest in hostile if app == "evil" else hostile[:16]:
            browser.run("document.querySelector('.page')?.remove(); location.hash = arguments[0]; dispatchEvent(new Event('hashchange'))", f"#/{app}/{rest}")
            browser.settled()
            # Everything that can be opened is opened.
            browser.run("for (const one of document.querySelectorAll('main details')) one.open = true")
            text = browser.run("return document.querySelector('main').textContent")
            assert "cannot be shown" not in text, (app, rest, text[-300:])
            harm = browser.harm(server.origin)
            assert harm == [], (app, rest, harm)
            shown += "pwn(" in text
    # The texts are there, as texts.
    assert shown > 30, shown
    print(f"\nhostile texts seen as text on {shown} pages")


def test_hostile_texts_are_inert_in_dialogs_and_the_finder(browser, server, hostile):
    sign_in(browser, server)
    browser.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'k', ctrlKey: true, bubbles: true}))")
    for text in TEXTS:
        browser.run("""
          const input = document.querySelector('dialog[open] input');
          if (input) { input.value = arguments[0]; input.dispatchEvent(new Event('input', {bubbles: true})); }""", text)
        assert browser.harm(server.origin) == [], text
    assert browser.run("return document.querySelectorAll('dialog[open]').length") == 1


def test_addresses_that_carry_markup_are_inert(browser, server, hostile):
    """The fragment, the path and the query come from whoever made a link."""
    sign_in(browser, server)
    pages = ["pushes", "users", "deliveries", "compose/edit", "segments", "templates", "devices", "schedules"]
    for number, text in enumerate(TEXTS):
        quoted = urllib.parse.quote(text, safe="")
        for rest in (f"#/{quoted}/{quoted}/{quoted}", f"#/evil/{pages[number % len(pages)]}/{quoted}"):
            browser.run("location.hash = arguments[0]; dispatchEvent(new Event('hashchange'))", rest)
            browser.driver.execute_async_script("setTimeout(arguments[0], 20)")
            harm = browser.harm(server.origin)
            assert harm == [], (rest, harm)
    for path in (f"/{quoted}", f"/v1/{quoted}?{quoted}={quoted}", f"/dashboard/{quoted}", f"/?{quoted}", f"/v1/apps/{quoted}"):
        browser.driver.get(server.origin + path)
        harm = browser.harm(server.origin)
        assert harm == [], (path, harm)


def test_answers_opened_as_pages_run_nothing(browser, server, hostile):
    """Answers of the API, exports and the lab's pictures, opened by themselves in the signed-in browser."""
    sign_in(browser, server)
    evil = "/v1/apps/evil"
    push = next(rest for rest in hostile if re.fullmatch(r"pushes/\d+", rest)).split("/")[1]
    phones = server.done("GET", "/lab/devices/phones")
    phones = phones if isinstance(phones, list) else next(iter(phones.values()))
    pictures = [f"/lab/devices/{one['provider']}/{urllib.parse.quote(one['token'], safe='')}/phone/picture{rest}" for one in phones for rest in ("", "/dark")]
    assert pictures
    for path in [evil, f"{evil}/devices", f"{evil}/pushes/{push}", f"{evil}/templates", f"{evil}/segments", "/v1/audit", "/v1/keys", "/metrics", "/openapi.json", *pictures]:
        browser.driver.get(server.origin + path)
        harm = browser.harm(server.origin)
        answer = server.ask("GET", path)
        if path in pictures:
            # The browser refuses the script of the watch too; what the picture holds is read instead.
            harm = [one for one in harm if "Blocked script execution" not in one and one != "no watch"]
            drawn = xml.etree.ElementTree.fromstring(answer.content)
            names = {part.tag.rsplit("}", 1)[-1] for part in drawn.iter()}
            assert not names & {"script", "foreignObject", "x-pwn", "img", "a", "iframe", "animate", "set"}, names
            assert not [one for part in drawn.iter() for one in part.attrib if one.lower().startswith("on") or one.endswith("href")]
        assert harm == [], (path, harm)
        kind = answer.headers["Content-Type"].split(";")[0]
        assert kind in ("application/json", "text/plain", "image/svg+xml"), (path, kind)
        if kind == "image/svg+xml":
            assert "sandbox" in answer.headers["Content-Security-Policy"] and answer.headers["X-Content-Type-Options"] == "nosniff"
    for path in (f"{evil}/devices/export?format=csv", f"{evil}/devices/export", f"{evil}/pushes/{push}/deliveries/export?format=csv"):
        answer = server.ask("GET", path)
        assert answer.headers["Content-Disposition"].startswith("attachment; filename="), path


def test_no_page_may_be_framed_and_every_page_has_the_policy(server):
    for path in ["/", *sorted(set(re.findall(r'"(/dashboard/[a-z./]+)"', server.ask("GET", "/", key=None).content.decode())))]:
        headers = server.ask("GET", path, key=None).headers
        policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
        assert policy["default-src"] == "'none'" and policy["script-src"] == "'self'" and policy["frame-ancestors"] == "'none'"
        assert policy["base-uri"] == policy["form-action"] == "'none'" and policy["require-trusted-types-for"] == "'script'"
        assert not any("unsafe" in value or "*" in value or "http:" in value for value in policy.values()), policy
        assert headers["X-Frame-Options"] == "DENY" and headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer" and headers["Cross-Origin-Opener-Policy"] == "same-origin"
    # No answer lets another origin's scripts read it.
    for path in ("/", "/v1/apps", "/session", "/openapi.json", "/metrics"):
        answer = server.ask("GET", path, headers=[("Origin", "https://evil.example")])
        assert not [name for name in answer.headers if name.lower().startswith("access-control-")], path
        answer = server.ask("OPTIONS", path, key=None, headers=[("Origin", "https://evil.example"), ("Access-Control-Request-Method", "PUT")])
        assert not [name for name in answer.headers if name.lower().startswith("access-control-")], path
