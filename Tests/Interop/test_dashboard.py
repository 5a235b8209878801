"""The dashboard in a real browser: headless Chromium drives `postrider serve --demo` as a newcomer would.

Every page is checked with axe-core (WCAG 2.1 A and AA, light and dark), the console must stay empty, and no request may
leave the origin. Screenshots go to DASHBOARD_SCREENSHOTS, or to a temporary folder.
"""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import time
import urllib.request

import pytest

webdriver = pytest.importorskip("selenium.webdriver")
axe_package = pytest.importorskip("axe_core_python")
from selenium.common.exceptions import StaleElementReferenceException  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

from conftest import command  # noqa: E402

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
AXE = (pathlib.Path(axe_package.__file__).parent / "axe.min.js").read_text()
AUDIENCE = int(os.environ.get("DASHBOARD_AUDIENCE", 100_000))
CONTRACTS = {
    "amba": {"title": "Welcome back!", "body": "Your streak is waiting for you."},
    "imkit": {"messageType": "text", "sender": "Alice", "content": "Shall we meet at seven?"},
    "powerauth": {"title": "Balance update", "body": "Your balance is now $745.00"},
    "adobe": {"adb_version": "1", "adb_title": "Game request", "adb_body": "Shall we play a game?"},
    "onesignal": {},
    "native": {"title": "Parcel on its way", "body": "It arrives today between 14:00 and 16:00."},
}
# The browser notes each refused message; the composer shows the reasons.
REFUSED = ["/v1/render - Failed to load resource", "/v1/preview - Failed to load resource"]
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\u202eevil\u202c" + "e" + "\u0301" * 10_000


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A running `postrider serve --demo` with the key of its first start."""

    def __init__(self, folder):
        self.port = free_port()
        self.log = open(folder / "server.log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [command(), "serve", "--demo", "--port", str(self.port), "--emulator-port", "0", "--data", str(folder / "data")],
            stdout=self.log, stderr=subprocess.STDOUT)
        self.origin = f"http://127.0.0.1:{self.port}"
        self.key = self.first_key()

    def first_key(self):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            text = pathlib.Path(self.log.name).read_text(encoding="utf-8")
            found = re.search(r"prk_[A-Za-z0-9_-]{43}", text)
            if found and "Ctrl-C stops" in text:
                return found[0]
            time.sleep(0.05)
        raise AssertionError(f"no key within a minute: {text}")

    def call(self, method, path, body=None, key=None):
        request = urllib.request.Request(
            self.origin + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {key or self.key}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
        return json.loads(text) if text else None


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("dashboard"))
    yield started
    started.process.terminate()
    started.process.wait(timeout=30)


@pytest.fixture(scope="module")
def shots(tmp_path_factory):
    folder = pathlib.Path(os.environ.get("DASHBOARD_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Page:
    """The browser with the server's dashboard, and what must hold of every view."""

    def __init__(self, driver, server, shots):
        self.driver, self.server, self.shots = driver, server, shots

    def wait(self, condition, what, seconds=20):
        return WebDriverWait(
            self.driver, seconds, poll_frequency=0.05, ignored_exceptions=[StaleElementReferenceException]
        ).until(lambda _: condition(), what)

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def one(self, css):
        return self.wait(lambda: next((found for found in self.all(css) if found.is_displayed()), None), css)

    def text(self, css="main"):
        return self.one(css).text

    def button(self, text, inside="body"):
        return self.wait(lambda: next((found for found in self.all(f"{inside} button") if found.is_displayed() and found.text.strip() == text), None), f"button {text}")

    def labelled(self, text):
        return self.wait(
            lambda: self.driver.execute_script(
                "return [...document.querySelectorAll('label')].find(l => l.textContent.trim().replace(/ \\*$/, '') === arguments[0] && l.control)?.control", text),
            f"field {text}")

    def write(self, label, text):
        control = self.labelled(label)
        # As if typed; the driver's own keys know no astral characters.
        self.driver.execute_script(
            "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))", control, text)

    def go(self, rest, heading):
        self.driver.execute_script(
            "document.querySelector('.page')?.replaceChildren();"
            "if (location.hash === arguments[0]) dispatchEvent(new Event('hashchange')); else location.hash = arguments[0]",
            f"#/demo/{rest}")
        self.wait(lambda: self.all("h1") and self.all("h1")[0].text == heading, f"the page {heading}")
        self.wait(lambda: self.driver.execute_script("return document.querySelector('.page')?.childElementCount > 0"), heading)
        assert "cannot be" not in self.text("main")

    def look(self, name, full=False):
        """A screenshot, and the rules of accessibility, in light and in dark."""
        for theme in ["light", "dark"]:
            self.driver.execute_script("document.documentElement.dataset.theme = arguments[0]; dispatchEvent(new Event('theme'))", theme)
            time.sleep(0.5)
            assert "cannot be" not in self.text("main"), name
            self.check_accessibility(f"{name}, {theme}")
            width, height = 1440, 900
            if full:
                height = min(2600, max(900, self.driver.execute_script("return document.documentElement.scrollHeight")))
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
            self.driver.save_screenshot(str(self.shots / f"{name}-{theme}.png"))
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def check_accessibility(self, where):
        # Through the protocol, since the page's policy lets no foreign script in.
        evaluate = lambda expression, waits=False: self.driver.execute_cdp_cmd(  # noqa: E731
            "Runtime.evaluate", {"expression": expression, "awaitPromise": waits, "returnByValue": True})
        evaluate(f"window.axe || (() => {{ {AXE} }})(); true")
        answer = evaluate(
            "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']})"
            ".then(found => JSON.stringify(found.violations.map(v => [v.id, v.help, v.nodes.slice(0, 4).map(n => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? ''))])))",
            True)
        assert "value" in answer["result"], answer
        violations = json.loads(answer["result"]["value"])
        assert violations == [], f"{where}: {json.dumps(violations, indent=1)}"

    def check_console(self, allowed=()):
        entries = [row["message"] for row in self.driver.get_log("browser")]
        left = [text for text in entries if not any(part in text for part in allowed)]
        assert left == []

    def check_origin(self):
        for row in self.driver.get_log("performance"):
            message = json.loads(row["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                address = message["params"]["request"]["url"]
                assert address.startswith((self.server.origin + "/", "data:")), address


@pytest.fixture(scope="module")
def page(server, shots):
    if not CHROMIUM or not DRIVER:
        pytest.skip("chromium and chromium-driver are not installed; script/bootstrap --interop installs them")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1440,900", "--hide-scrollbars", "--lang=en-US"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=DRIVER))
    driver.set_page_load_timeout(60)
    driver.get(server.origin + "/")
    yield Page(driver, server, shots)
    driver.quit()


def test_signs_in_with_the_first_key(page):
    page.labelled("API key").send_keys("prk_wrong", Keys.ENTER)
    page.wait(lambda: "not an API key" in page.text(".problem"), "the refusal")
    page.look("01-sign-in")
    page.labelled("API key").clear()
    page.labelled("API key").send_keys(page.server.key, Keys.ENTER)
    page.wait(lambda: page.all("h1") and page.all("h1")[0].text == "Overview", "the overview")
    cookie = page.driver.get_cookie("postrider_session")
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict"
    assert page.driver.execute_script("return document.cookie") == ""
    # The refused attempt is an error of the network to the browser, and no other.
    page.check_console(allowed=["/session - Failed to load resource"])
    page.check_origin()


@pytest.mark.parametrize("name", CONTRACTS)
def test_composes_each_contract_and_shows_it(page, name):
    page.go("compose", "Composer")
    page.driver.execute_script("arguments[0].click()", page.wait(lambda: page.all(f"input[name=contract][value={name}]"), name)[0])
    page.wait(lambda: page.driver.execute_script("return document.querySelectorAll('.composer .field').length") > 3, "the fields")
    time.sleep(0.3)
    for field, value in CONTRACTS[name].items():
        page.write(field, value)
    if name == "onesignal":
        for box, text in zip(page.all("[aria-label='headings: text'], [aria-label='contents: text']"), ["Spring sale", "20% off all items, today only."]):
            box.clear()
            box.send_keys(text)
        for box in page.all("[aria-label='headings: language'], [aria-label='contents: language']"):
            if not box.get_attribute("value"):
                box.send_keys("en")
    page.wait(lambda: page.text(".badge[role=status]") == "legal", f"{name} is legal")
    page.wait(lambda: len(page.all(".phone img")) == 2, "two phones")
    page.wait(lambda: all(image.get_property("naturalWidth") > 100 for image in page.all(".phone img")), "drawn phones")
    assert '"aps"' in page.text(".code")
    assert "of 4,096 bytes" in page.text(".gauge")
    page.look(f"02-composer-{name}", full=True)
    page.check_console(allowed=REFUSED)
    page.check_origin()


def test_answers_a_key_stroke_within_50_ms(page):
    page.go("compose", "Composer")
    page.driver.execute_script("document.querySelector('input[name=contract][value=amba]').click()")
    page.write("title", "Speed")
    page.write("body", "As fast as it is typed.")
    page.wait(lambda: '"Speed"' in page.text(".code"), "the bytes")
    times = page.driver.execute_async_script("""
      const done = arguments[0], times = [];
      const input = [...document.querySelectorAll('label')].find(l => l.control && l.textContent.startsWith('title')).control;
      (async () => {
        for (let round = 0; round < 15; round++) {
          const text = `Speed ${round}.`, start = performance.now();
          input.value = text;
          input.dispatchEvent(new Event('input', {bubbles: true}));
          while (!document.querySelector('.code')?.textContent.includes(text)) await new Promise(next => setTimeout(next, 1));
          times.push(performance.now() - start);
          await new Promise(next => setTimeout(next, 60));
        }
        done(times);
      })();""")
    times.sort()
    print(f"key stroke to bytes on screen: median {times[7]:.0f} ms, most {times[-1]:.0f} ms")
    # A bound that a busy machine meets too; the median of a quiet one is printed.
    assert times[7] < 250


def test_shows_hostile_text_inert(page):
    page.go("compose", "Composer")
    page.driver.execute_script("document.querySelector('input[name=contract][value=amba]').click()")
    page.write("title", HOSTILE[:80])
    page.write("body", HOSTILE)
    page.wait(lambda: "error" in page.text(".badge[role=status]"), "too large")
    page.write("body", HOSTILE[:120])
    page.wait(lambda: "<script>" in page.text(".code"), "the bytes")
    page.wait(lambda: len(page.all(".phone img")) == 2, "two phones")
    assert page.all("main script, main iframe, main img[src=x]") == []
    page.check_console(allowed=REFUSED)
    page.check_origin()


def test_sends_to_both_virtual_devices(page):
    page.go("compose", "Composer")
    page.driver.execute_script("document.querySelector('input[name=contract][value=amba]').click()")
    page.write("title", "Welcome back!")
    page.write("body", "Your streak is waiting for you.")
    page.wait(lambda: "Your streak is waiting" in page.text(".code"), "the bytes")
    page.write("Campaign", "winback-1")
    page.wait(lambda: page.text(".reach").startswith("2"), "the audience")
    page.button("Send").click()
    page.button("Send to 2", "dialog").click()
    page.wait(lambda: page.all("h1")[0].text == "winback-1", "the push")
    page.wait(lambda: "100 %" in page.text(".figure"), "all sent")
    page.look("03-push")
    page.go("lab", "Device lab")
    page.wait(lambda: len([row for row in page.all(".items li") if "Welcome back!" in row.text]) == 2, "both trays")
    page.look("04-lab", full=True)
    # A tap on the virtual iPhone is reported as an app's library would, and stands in the funnel.
    page.button("Tap", ".items").click()
    page.wait(lambda: len(page.all(".items li")) == 1, "one tray is empty")
    page.go("pushes/1", "winback-1")
    page.wait(lambda: "Opened\n1" in page.text(".funnel"), "the opened step")
    page.check_console(allowed=[*REFUSED, "/phone - Failed to load resource"])
    page.check_origin()


def test_runs_a_campaign_and_reads_the_failures(page, server):
    bodies = []
    for number in range(AUDIENCE - 2):
        dead = number % 50 == 0
        token = f"{'dead' if dead else 'beef'}{number:060x}"
        bodies.append(token)
    register(server, bodies)
    page.go("compose", "Composer")
    page.wait(lambda: page.text(".reach").startswith(f"{AUDIENCE:,}"), "the audience", 60)
    page.driver.execute_script("document.querySelector('input[name=contract][value=amba]').click()")
    page.write("title", "Spring is here")
    page.write("body", "Everything green is 20 % off until Sunday.")
    page.wait(lambda: "Spring is here" in page.text(".code"), "the bytes")
    page.write("Campaign", "spring")
    # A minute for all of it, so that there is something to pause.
    page.write("At most, per minute", str(AUDIENCE))
    page.button("Send").click()
    page.button(f"Send to {AUDIENCE:,}", "dialog").click()
    page.wait(lambda: page.all("h1")[0].text == "spring", "the push")
    page.wait(lambda: "%" in page.text(".figure") and not page.text(".figure").startswith(("0 %", "–")), "progress", 60)
    page.button("Pause").click()
    page.wait(lambda: page.button("Resume"), "paused")
    page.look("05-campaign-paused")
    page.button("Throttle").click()
    page.write("At most, per minute", "")
    page.button("Apply", "dialog").click()
    page.wait(lambda: not page.all("dialog[open]"), "applied")
    page.button("Resume").click()
    page.wait(lambda: page.text(".figure").startswith("100 %") and f"{AUDIENCE:,}" in page.text(".figure"), "the end", 600)
    page.look("06-campaign", full=True)
    page.driver.execute_script(
        "const s = document.querySelector('select[aria-label=State]'); s.value = 'rejected'; s.dispatchEvent(new Event('change'))")
    why = page.wait(lambda: page.all("details.why"), "the failures")
    page.driver.execute_script("arguments[0].open = true", why[0])
    assert "Unregistered" in why[0].text
    assert "Means" in why[0].text
    page.look("07-failures", full=True)
    page.check_console(allowed=REFUSED)
    page.check_origin()


def register(server, tokens):
    """Registers devices over a few connections; every fiftieth is dead to the emulator."""
    from concurrent.futures import ThreadPoolExecutor
    import http.client

    emulator = re.search(r"http://[^ ]+/control", pathlib.Path(server.log.name).read_text())[0]
    rule = {"name": "dead tokens", "provider": "apns", "token_prefix": "dead", "effect": {"refuse": "Unregistered", "timestamp_ms": 1}}
    urllib.request.urlopen(urllib.request.Request(emulator + "/rules", json.dumps(rule).encode(), method="POST"), timeout=10)

    def some(share):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        for token in share:
            connection.request(
                "POST", "/v1/apps/demo/devices", json.dumps({"type": "ios", "token": token}),
                {"Authorization": f"Bearer {server.key}"})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 201, answer.status

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(some, [tokens[part::16] for part in range(16)]))


VIEWS = [("overview", "Overview"), ("pushes", "Pushes"), ("deliveries", "Deliveries"), ("devices", "Devices"), ("users", "Users"),
         ("apps", "Apps"), ("credentials", "Credentials"), ("keys", "API keys")]


@pytest.mark.parametrize("rest,heading", VIEWS)
def test_shows_every_page(page, rest, heading):
    page.go(rest, heading)
    time.sleep(1.5 if rest != "overview" else 5)
    page.look(f"08-{rest}", full=True)
    page.check_console()
    page.check_origin()


def test_works_by_keyboard(page):
    page.go("overview", "Overview")
    body = page.driver.find_element(By.TAG_NAME, "body")
    page.driver.execute_script("document.activeElement.blur()")
    body.send_keys("gk")
    page.wait(lambda: page.all("h1")[0].text == "API keys", "the keys")
    assert page.driver.execute_script("return document.activeElement.tagName") == "H1"
    body.send_keys("?")
    page.wait(lambda: page.all("dialog[open]"), "the help")
    page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    page.wait(lambda: not page.all("dialog[open]"), "no help")
    for _ in range(40):
        page.driver.switch_to.active_element.send_keys(Keys.TAB)
        assert page.driver.execute_script("return document.activeElement !== null")


def test_fits_a_small_screen(page):
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})
    try:
        for rest, heading in [("overview", "Overview"), ("compose", "Composer")]:
            page.go(rest, heading)
            time.sleep(1)
            assert page.driver.execute_script("return document.documentElement.scrollWidth <= 390"), rest
            page.driver.save_screenshot(str(page.shots / f"09-small-{rest}.png"))
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_signs_out_and_loses_a_revoked_key(page, server):
    page.go("overview", "Overview")
    made = server.call("POST", "/v1/keys", {"name": "guest", "scopes": ["read"]})
    page.button("Sign out").click()
    page.labelled("API key").send_keys(made["key"], Keys.ENTER)
    page.wait(lambda: page.all("h1") and page.all("h1")[0].text == "Overview", "the overview")
    assert "API keys" not in page.text("nav")
    server.call("DELETE", f"/v1/keys/{made['id']}")
    page.wait(lambda: page.all(".sign-in") and "session is over" in page.text(".problem"), "signed out")
    page.check_origin()
