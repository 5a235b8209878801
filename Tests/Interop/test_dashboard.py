"""The dashboard in a real browser: headless Chromium drives `postrider serve --demo` as a newcomer would.

Every page is checked with axe-core (WCAG 2.1 A and AA, light and dark), the console must stay empty, and no request may
leave the origin. Screenshots go to DASHBOARD_SCREENSHOTS, or to a temporary folder.
"""

import hmac
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest

webdriver = pytest.importorskip("selenium.webdriver")
axe_package = pytest.importorskip("axe_core_python")
from selenium.common.exceptions import (  # noqa: E402
    ElementClickInterceptedException, ElementNotInteractableException, StaleElementReferenceException, TimeoutException)
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

from conftest import ROOT, command  # noqa: E402
from core_vectors import built  # noqa: E402

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
AXE = (pathlib.Path(axe_package.__file__).parent / "axe.min.js").read_text()
AUDIENCE = int(os.environ.get("DASHBOARD_AUDIENCE", 100_000))
PATIENCE = int(os.environ.get("DASHBOARD_PATIENCE", 180))
TRAY = int(os.environ.get("DASHBOARD_TRAY", 10_000))
# The pictures of the documentation: of which view, how high, and what they begin with. RECORD_SNAPSHOTS=1 takes them anew.
IN_DOCS = {"02-composer-native": ("composer", 900, "body"), "04-lab": ("lab", 820, "body"), "06-campaign": ("campaign", 640, "body"),
           "07-failures": ("failures", 1060, "body"), "10-activity-phone": ("live-activity", 820, ".tray-phone:last-child")}
CONTRACTS = {
    "amba": {"title": "Welcome back!", "body": "Your streak is waiting for you."},
    "imkit": {"messageType": "text", "sender": "Alice", "content": "Shall we meet at seven?"},
    "powerauth": {"title": "Balance update", "body": "Your balance is now $745.00"},
    "adobe": {"adb_version": "1", "adb_title": "Game request", "adb_body": "Shall we play a game?"},
    "onesignal": {},
    "native": {"title": "Parcel on its way", "body": "It arrives today between 14:00 and 16:00."},
}
# The browser notes each refused message; the composer shows the reasons.
REFUSED = [f"/{path} - Failed to load resource" for path in ["v1/render", "v1/preview", "pushes/check", "segments/count"]]
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\u202eevil\u202c" + "e" + "\u0301" * 10_000


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A running `postrider serve --demo` with the key of its first start; the composer has the core's module."""

    def __init__(self, folder, module=True, options=(), port=None):
        self.port = port or free_port()
        self.log = open(folder / "server.log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [command(), "serve", "--demo", "--allow-private-webhooks", "--port", str(self.port), "--emulator-port", "0", "--data", str(folder / "data"),
             *(["--core-module", str(built("postrider.wasm"))] if module else []), *options],
            stdout=self.log, stderr=subprocess.STDOUT)
        self.origin = f"http://127.0.0.1:{self.port}"
        self.key = self.first_key()

    def first_key(self):
        end = time.monotonic() + 180
        while time.monotonic() < end:
            text = pathlib.Path(self.log.name).read_text(encoding="utf-8")
            found = re.search(r"prk_[A-Za-z0-9_-]{43}", text)
            if found and "Ctrl-C stops" in text:
                return found[0]
            time.sleep(0.05)
        raise AssertionError(f"no key within three minutes: {text}")

    def call(self, method, path, body=None, key=None):
        request = urllib.request.Request(
            self.origin + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {key or self.key}"})
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            error.add_note(error.read().decode())
            raise
        return json.loads(text) if text else None


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("dashboard"))
    # Campaigns of these tests start at once; test_dashboard_care.py has those that wait.
    started.call("PATCH", "/v1/apps/demo", {"undo_seconds": 0})
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

    def wait(self, condition, what, seconds=PATIENCE):
        """Waits until it holds: long enough for a slow machine; a page that changes meanwhile is asked again."""
        ignored = [StaleElementReferenceException, ElementClickInterceptedException, ElementNotInteractableException]
        try:
            return WebDriverWait(self.driver, seconds, poll_frequency=0.05, ignored_exceptions=ignored).until(
                lambda _: condition(), f"{what} within {seconds} s")
        except TimeoutException as error:
            error.add_note(f"The page {self.driver.current_url} says:\n" + self.driver.execute_script("return document.body.innerText"))
            raise

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def quiet(self):
        """Waits until no answer is awaited, nothing moves, and what came was drawn."""
        self.wait(lambda: self.run("return busy === 0 && performance.now() - busySince > 120"), "no request under way")
        self.wait(lambda: self.run("return document.getAnimations().every(one => one.playState !== 'running')"), "no animation")

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def one(self, css):
        return self.wait(lambda: next((found for found in self.all(css) if found.is_displayed()), None), css)

    def text(self, css="main"):
        return self.wait(lambda: [found.text for found in self.all(css) if found.is_displayed()], css)[0]

    def says(self, css, text):
        """Whether it is shown and holds a text; for waiting."""
        return any(text in found.text for found in self.all(css) if found.is_displayed())

    def button(self, text, inside="body"):
        return self.wait(lambda: self.buttons(text, inside), f"button {text}")[0]

    def buttons(self, text, inside="body"):
        return [found for found in self.all(f"{inside} button, {inside} a.button") if found.is_displayed() and found.text.strip() == text]

    def press(self, text, inside="body"):
        """Presses a button, as often as it takes when the page is drawn anew just then or a note lies over it."""

        def attempt():
            found = self.buttons(text, inside)
            return bool(found) and found[0].is_enabled() and self.hit(found[0])

        self.wait(attempt, f"button {text}")

    def click(self, css):
        """Clicks what is there now; for waiting, since a page may be drawn anew just then."""
        found = [one for one in self.all(css) if one.is_displayed()]
        return bool(found) and self.hit(found[0])

    def hit(self, found):
        """Clicks it, and says whether it was what the click met: what comes in above it can move it away just then."""
        self.run("window.missed = true; arguments[0].addEventListener('click', () => { missed = false }, {capture: true, once: true})", found)
        found.click()
        return not self.run("return window.missed")

    def press_summary(self, text):
        self.wait(lambda: self.run("const s = [...document.querySelectorAll('summary')].find(s => s.textContent === arguments[0]); if (s) s.parentNode.open = true; return Boolean(s)", text), text)

    def find_link(self, text):
        return next((one for one in self.all("main a") if one.is_displayed() and one.text.strip() == text), None)

    def follow(self, text):
        self.wait(lambda: (found := self.find_link(text)) and self.hit(found), f"link {text}")

    # The control that a label names; of several the one that is seen, since others may wait in a closed part.
    CONTROL = """
      const named = [...document.querySelectorAll('label')].filter(label =>
        ((label.matches('.inline') ? label.firstChild : label).textContent.trim().replace(/ \\*$/, '') === arguments[0] || label.dataset.field === arguments[0]) && label.control);
      const control = (named.find(label => label.control.checkVisibility()) ?? named[0])?.control;
    """

    def labelled(self, text):
        return self.wait(lambda: self.run(self.CONTROL + "return control", text), f"field {text}")

    def write(self, label, text):
        self.labelled(label)
        # As if typed; the driver's own keys know no astral characters.
        self.run(
            self.CONTROL + "control.value = arguments[1];"
            "for (const name of ['input', 'change']) control.dispatchEvent(new Event(name, {bubbles: true}))", label, text)

    def go(self, rest, heading):
        self.quiet()
        self.run(
            "document.querySelector('.page')?.remove();"
            "if (location.hash === arguments[0]) dispatchEvent(new Event('hashchange')); else location.hash = arguments[0]",
            f"#/demo/{rest}")
        self.arrive(heading)

    def arrive(self, heading):
        self.wait(lambda: self.says("h1", heading), f"the page {heading}")
        self.wait(lambda: self.run("const page = document.querySelector('.page'); return page && !page.classList.contains('loading') && page.childElementCount > 0"), heading)
        self.quiet()
        assert "cannot be shown" not in self.text("main")

    def contract(self, name):
        self.wait(lambda: self.all(f"input[name=contract][value={name}]"), name)
        self.run("document.querySelector(`input[name=contract][value=${arguments[0]}]`).click()", name)
        self.wait(lambda: self.all(f"[data-contract={name}]"), f"the fields of {name}")
        self.quiet()

    def composer(self, rest="compose", heading="Composer"):
        """The composer without a draft of an earlier visit."""
        self.quiet()
        self.run("for (const name of Object.keys(localStorage)) if (name.startsWith('draft:')) localStorage.removeItem(name)")
        self.go(rest, heading)

    def step(self, name):
        """Goes to a step of the composer, as a person who presses its name."""
        self.wait(lambda: self.click(f".steps a[data-step={name}]"), f"the step {name}")
        self.wait(lambda: self.all(f".steps a[data-step={name}][aria-current=step]"), f"the step {name}")
        self.quiet()

    def start_over(self):
        self.press("Start over", "header")
        self.press("Start over", "dialog")
        self.arrive("Composer")

    def choose_language(self, tag):
        """Chooses in the dialog: a language by its name, or any other tag in the field at the end of the list."""
        self.run(
            "const choice = document.querySelector('dialog select'), listed = [...choice.options].some(one => one.value === arguments[0]);"
            "choice.value = listed ? arguments[0] : 'other'; choice.dispatchEvent(new Event('change', {bubbles: true}));"
            "if (!listed) choice.nextSibling.value = arguments[0]", tag)

    def compose(self, title, body, shown=None, contract="amba"):
        """Writes a message; waits until the bytes on the page say so."""
        self.composer()
        self.contract(contract)
        self.write("title", title)
        self.write("body", body)
        self.wait(lambda: self.says(".code", shown or body), "the bytes")

    def look(self, name, full=False):
        """A screenshot, and the rules of accessibility, in light and in dark."""
        for theme in ["light", "dark"]:
            self.run("document.documentElement.dataset.theme = arguments[0]; dispatchEvent(new Event('theme'))", theme)
            self.quiet()
            assert "cannot be shown" not in self.text("main"), name
            self.check_accessibility(f"{name}, {theme}")
            width, height = 1440, 900
            if full:
                height = min(2600, max(900, self.run("return document.documentElement.scrollHeight")))
            self.size(width, height)
            self.driver.save_screenshot(str(self.shots / f"{name}-{theme}.png"))
            if name in IN_DOCS and theme == "light" and os.environ.get("RECORD_SNAPSHOTS"):
                self.picture(*IN_DOCS[name])
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def picture(self, name, height, first):
        """A picture for the documentation, without what passes."""
        self.size(1280, height)
        self.run("document.querySelector('#toasts').hidden = true; document.querySelector(arguments[0]).scrollIntoView()", first)
        self.driver.save_screenshot(str(ROOT / "docs" / "images" / f"{name}.png"))
        self.run("document.querySelector('#toasts').hidden = false; scrollTo(0, 0)")

    def size(self, width, height, mobile=False):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile})

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

    def check_clean(self, allowed=()):
        """Nothing in the console, and no request to another origin."""
        self.check_console(allowed)
        self.check_origin()

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
    driver.set_page_load_timeout(180)
    driver.set_script_timeout(180)
    # Counts the answers that are awaited, so that nobody has to guess how long a page takes.
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
      window.busy = 0; window.busySince = 0;
      const ask = window.fetch;
      window.fetch = async (...all) => {
        busy++;
        try { return await ask(...all); } finally { busy--; busySince = Math.max(busySince, performance.now()); }
      };
      addEventListener("hashchange", () => { busySince = performance.now(); });
      document.addEventListener("input", () => { busySince = performance.now() + 500; }, true);
      document.addEventListener("change", () => { busySince = performance.now() + 500; }, true);
    """})
    driver.get(server.origin + "/")
    yield Page(driver, server, shots)
    driver.quit()


def test_signs_in_with_the_first_key(page):
    page.labelled("API key").send_keys("prk_wrong", Keys.ENTER)
    page.wait(lambda: page.says(".problem", "not an API key"), "the refusal")
    page.look("01-sign-in")
    page.labelled("API key").clear()
    page.labelled("API key").send_keys(page.server.key, Keys.ENTER)
    page.arrive("Overview")
    cookie = page.driver.get_cookie("postrider_session")
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict"
    assert page.run("return document.cookie") == ""
    # The refused attempt is an error of the network to the browser, and no other.
    page.check_clean(allowed=["/session - Failed to load resource"])


def test_first_view_is_below_a_hundred_kilobytes(page):
    """The files of the first view as the browser counts them, before any compression."""
    sizes = page.run(
        "return [performance.getEntriesByType('navigation')[0], ...performance.getEntriesByType('resource')]"
        ".filter(one => !/\\/v1\\/|openapi|session|lab\\/devices/.test(one.name)).map(one => [one.name, one.decodedBodySize])")
    total = sum(size for _, size in sizes)
    print(f"first view: {total} bytes in {len(sizes)} files")
    assert 0 < total < 100_000, sizes


@pytest.mark.parametrize("name", CONTRACTS)
def test_composes_each_contract_and_shows_it(page, name):
    page.composer()
    page.contract(name)
    for field, value in CONTRACTS[name].items():
        page.write(field, value)
    if name == "onesignal":
        for box, text in zip(page.all("[aria-label='headings: text'], [aria-label='contents: text']"), ["Spring sale", "20% off all items, today only."]):
            box.clear()
            box.send_keys(text)
        for box in page.all("[aria-label='headings: language'], [aria-label='contents: language']"):
            if not box.get_attribute("value"):
                box.send_keys("en")
    page.wait(lambda: page.says(".badge[role=status]", "valid"), f"{name} is valid")
    page.wait(lambda: len(page.all(".phone img")) == 2, "two phones")
    page.wait(lambda: all(image.get_property("naturalWidth") > 100 for image in page.all(".phone img")), "drawn phones")
    page.wait(lambda: page.says(".code", '"aps"'), "the bytes")
    page.wait(lambda: page.says(".gauge", "of 4,096 bytes"), "the size")
    page.look(f"02-composer-{name}", full=True)
    page.check_clean(allowed=REFUSED)


def test_shows_what_browsers_make_of_a_message(page):
    page.compose("In a browser", "As Chrome shows it.")
    page.run(page.CONTROL + "control.value = 'web'; control.dispatchEvent(new Event('change', {bubbles: true}))", "Show")
    page.wait(lambda: page.says(".phone figcaption", "Browser"), "the browser")
    picture, = page.wait(lambda: page.all(".phone img"), "its picture")
    page.wait(lambda: picture.get_property("naturalWidth") > 100 and "As Chrome shows it." in picture.get_attribute("alt"), "drawn")
    page.look("02-composer-browser", full=True)
    page.run(page.CONTROL + "control.value = '0'; control.dispatchEvent(new Event('change', {bubbles: true}))", "Show")
    page.wait(lambda: len(page.all(".phone img")) == 2, "two phones")
    page.check_clean(allowed=REFUSED)


def test_answers_a_key_stroke_within_50_ms(page):
    page.compose("Speed", "As fast as it is typed.")
    page.quiet()
    times = page.driver.execute_async_script("""
      const done = arguments[0], times = [];
      const input = [...document.querySelectorAll('label')].find(l => l.control && l.dataset.field === 'title').control;
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
    # The figure of a quiet machine is in docs/dashboard.md; a busy one is only asked to answer.
    print(f"key stroke to bytes on screen: median {times[7]:.0f} ms, most {times[-1]:.0f} ms")
    assert len(times) == 15


def test_shows_the_texts_of_the_app(page):
    """IMKit's text exists only on the device: with the app's own tables it is the app's own."""
    page.composer()
    page.contract("imkit")
    for field, value in CONTRACTS["imkit"].items():
        page.write(field, value)
    page.press("App’s texts")
    page.press_summary("Paste one")
    for path, text in [("en.lproj/Localizable.strings", "%@ wrote: %@"), ("de.lproj/Localizable.strings", "%@ schreibt: %@")]:
        page.write("Path in the project", path)
        page.write("Table", f'"im_loc_text" = "{text}";')
        page.press("Load it", "dialog")
        page.wait(lambda: page.says("dialog code", path), "the table in the list")
    page.look("02-tables")
    page.press("Done", "dialog")
    picture = lambda text: page.wait(lambda: any(text in (one.get_attribute("alt") or "") for one in page.all(".phone img")), text)  # noqa: E731
    picture("Alice wrote: Shall we meet at seven?")
    page.write("Language", "de")
    picture("Alice schreibt: Shall we meet at seven?")
    page.write("Language", "*")
    page.wait(lambda: page.says("table", "Alice schreibt: Shall we meet at seven?"), "all languages")
    page.look("02-languages")
    page.write("Language", "en")
    page.run("localStorage.clear()")
    page.check_clean(allowed=REFUSED)


def test_shows_hostile_text_inert(page):
    page.composer()
    page.contract("amba")
    page.write("title", HOSTILE[:80])
    page.write("body", HOSTILE)
    page.wait(lambda: page.says(".badge[role=status]", "error"), "too large")
    page.write("body", HOSTILE[:120])
    page.wait(lambda: page.says(".code", "<script>"), "the bytes")
    page.wait(lambda: len(page.all(".phone img")) == 2, "two phones")
    assert page.all("main script, main iframe, main img[src=x]") == []
    page.check_clean(allowed=REFUSED)


@pytest.mark.parametrize("name", CONTRACTS)
def test_stands_hostile_text_in_every_field(page, name):
    """Markup, bidi controls, broken formats and deep JSON in all fields at once: refused or shown, and never run."""
    page.composer()
    page.contract(name)
    for text in [HOSTILE[:200] + " %9$@ %s %*d %", "[" * 200, '{"aps": {"alert": "\u202e</script>"}, "loc-args": ["%n", null, 1e999]}']:
        page.run(
            "for (const control of document.querySelectorAll('[data-contract] input, [data-contract] textarea')) {"
            " control.value = arguments[0]; control.dispatchEvent(new Event('input', {bubbles: true})); }", text)
        page.quiet()
        assert page.all("main script, main iframe, main img[src=x]") == []
        assert page.run("return document.querySelectorAll('[data-contract] textarea, [data-contract] input').length") > 1
    page.start_over()
    page.wait(lambda: page.says(".badge[role=status]", "empty"), "a clear sheet")
    assert page.server.call("GET", "/healthz") is not None
    page.check_clean(allowed=REFUSED)


def test_knows_the_worst_case_of_an_audience(page, server):
    server.call("PATCH", "/v1/apps/demo/users/alice", {"properties": {"first_name": "A" * 900}})
    page.composer()
    page.contract("amba")
    page.write("title", "Welcome back!")
    page.write("body", "{{first_name|friend}}" * 5)
    page.step("review")
    page.wait(lambda: page.says(".composer", "1 of them is over the limit"), "who is over the limit")
    page.wait(lambda: page.says(".composer", "iPhone, at worst: alice"), "whose it is")
    page.look("02-worst-case", full=True)
    server.call("PATCH", "/v1/apps/demo/users/alice", {"properties": {"first_name": "Alice"}})
    page.check_console(allowed=REFUSED)


def test_sends_to_both_virtual_devices(page):
    page.compose("Welcome back!", "Your streak is waiting for you.")
    page.write("Campaign", "winback-1")
    page.step("audience")
    page.wait(lambda: page.says(".reach", "2 devices"), "the audience")
    page.step("review")
    page.press("Send")
    page.press("Send to 2", "dialog")
    page.arrive("winback-1")
    page.wait(lambda: page.says(".figure", "100 %"), "all sent")
    page.look("03-push", full=True)
    page.go("lab", "Device lab")
    page.wait(lambda: len([row for row in page.all(".items li") if "Welcome back!" in row.text]) == 2, "both trays")
    page.look("04-lab", full=True)
    # A tap on the virtual iPhone is reported to the server as an app's library would, and stands in the push's funnel.
    page.press("Tap", ".items")
    page.wait(lambda: len(page.all(".items li:not(.gap)")) == 1, "one tray is empty")
    page.go("pushes", "Pushes")
    page.follow("winback-1")
    page.arrive("winback-1")
    page.wait(lambda: page.says(".funnel", "Opened\n1"), "the opened step")
    page.check_clean(allowed=REFUSED)


def test_keeps_a_draft_with_languages_and_variants(page):
    page.compose("Spring is here", "Everything green, {{first_name|friend}}.", shown="Everything green, friend.")
    page.press("Add a language")
    page.choose_language("de")
    page.press("Add it", "dialog")
    page.wait(lambda: page.says(".composer", "For devices in German"), "the German version")
    page.write("title", "Der Frühling ist da")
    page.wait(lambda: page.says(".code", "Der Frühling ist da"), "its bytes")
    page.press("Add a variant")
    page.press("Add it", "dialog")
    page.wait(lambda: page.says(".composer", "Assigned by user"), "the variant")
    page.write("title", "20 % off")
    page.press("Add a language to B")
    page.choose_language("de")
    page.press("Add it", "dialog")
    page.wait(lambda: page.says(".composer", "For devices in German that get B"), "the variant in German")
    page.write("title", "20 % weniger")
    page.wait(lambda: page.says(".code", "20 % weniger"), "its bytes")
    page.press("Save as a template")
    page.write("Name", "spring-template")
    page.press("Save it", "dialog")
    page.wait(lambda: not page.all("dialog[open]"), "kept")
    page.wait(lambda: page.says(".composer", "Sent as this template"), "the template is in use")
    kept = page.server.call("GET", "/v1/apps/demo/templates/spring-template")
    assert [(kept["message"]["title"], kept["locales"]["de"]["title"])] == [("Spring is here", "Der Frühling ist da")]
    assert [(one["name"], one["share"], one["message"]["title"], one["locales"]["de"]["title"]) for one in kept["variants"]] == [("B", 50, "20 % off", "20 % weniger")]
    page.look("05-versions", full=True)
    page.write("When to send", "draft")
    page.write("Campaign", "spring-draft")
    page.step("review")
    page.press("Save the draft")
    page.arrive("spring-draft")
    assert "Nothing has been sent" in page.text()
    page.look("05-draft", full=True)
    page.press("Schedule", ".page")
    page.run("document.querySelector('dialog input[type=datetime-local]').value = '2029-12-24T18:00'")
    page.press("Schedule", "dialog")
    page.wait(lambda: page.says("main", "starts Mon, Dec 24, 2029"), "the time")
    page.go("templates", "Templates")
    page.wait(lambda: page.says("table", "spring-template"), "the template")
    page.look("05-templates")
    page.go("templates/spring-template", "spring-template")
    assert "Der Frühling ist da" in page.text() and "20 % weniger" in page.text()
    page.check_clean(allowed=REFUSED)


def test_compares_variants(page, server):
    page.compose("Spring is here", "Come and see.")
    page.press("Add a variant")
    page.write("Share, in percent", "100")
    page.press("Add it", "dialog")
    page.wait(lambda: page.says(".composer", "Assigned by user"), "the variant")
    page.write("title", "20 % off")
    page.write("Campaign", "variants")
    page.step("review")
    page.press("Send")
    page.press("Send to 2", "dialog")
    page.arrive("variants")
    row = lambda: page.run("return [...document.querySelectorAll('main tr')].map(row => [...row.cells].map(cell => cell.innerText)).find(row => row[0] === 'B')")  # noqa: E731
    page.wait(lambda: (row() or [])[:4] == ["B", "100 %", "2", "0"], "both got B")
    push = server.call("GET", "/v1/apps/demo/pushes?limit=1")["pushes"][0]["id"]
    delivery = server.call("GET", f"/v1/apps/demo/pushes/{push}/deliveries")["deliveries"][0]["id"]
    server.call("POST", "/v1/apps/demo/events", {"events": [{"type": "action", "action": "buy", "delivery": delivery}]})
    # Without a reload: reports come in long after a push is over.
    page.wait(lambda: row()[5:] == ["1", "1", "50 %"], "who opened it")
    page.wait(lambda: page.says(".funnel + .hint", "buy: 1"), "what was chosen")
    page.run(
        "const s = document.querySelector('select[aria-label=Version]'); s.value = '1'; s.dispatchEvent(new Event('change'))")
    page.wait(lambda: any("20 % off" in (one.get_attribute("alt") or "") for one in page.all(".phone img")), "what B says")
    page.look("05-variants", full=True)
    page.check_clean(allowed=REFUSED)


def test_sends_again_and_again(page):
    page.composer()
    page.contract("native")
    page.write("title", "Good morning")
    page.write("Campaign", "morning")
    page.step("time")
    page.write("When to send", "repeat")
    page.write("Unit", "week")
    for day in ["monday", "friday"]:
        page.wait(lambda: page.click(f"fieldset input[value={day}]"), day)
    page.write("Starts", "2029-01-01T09:00")
    page.write("Time zone", "Europe/Vienna")
    page.step("review")
    page.press("Start the schedule")
    page.press("Start", "dialog")
    page.arrive("morning")
    text = page.text()
    assert "every week on Monday, Friday at 09:00 Europe/Vienna" in text and "Fri, Jan 5, 2029" in text
    page.look("05-schedule")
    page.press("Pause")
    page.wait(lambda: page.says(".badge", "paused"), "it is paused")
    page.press("Resume")
    page.wait(lambda: page.says(".badge", "on"), "it goes on")
    page.go("schedules", "Schedules")
    page.wait(lambda: page.says("table", "morning"), "the schedule")
    page.look("05-schedules")
    page.check_console(allowed=REFUSED)


def test_builds_a_segment_and_sends_to_it(page):
    page.go("segments/new", "New segment")
    page.wait(lambda: page.says(".figure", "2 active devices"), "everybody")
    page.run("const s = document.querySelector('[aria-label=Field]'); s.value = 'platform'; s.dispatchEvent(new Event('change', {bubbles: true}))")
    page.wait(lambda: page.says(".figure", "1 active device"), "the iPhone")
    page.wait(lambda: page.says("table", "alice"), "whose it is")
    page.press("Add a condition")
    page.look("05-segment-builder")
    page.run("[...document.querySelectorAll('[aria-label=\"Remove this condition\"]')].at(-1).click()")
    # The same as text: what is typed becomes conditions, and what cannot be read is neither counted nor saved.
    def types(text):
        page.run("const t = document.querySelector('[aria-label=\"The segment as text\"]'); t.closest('details').open = true;"
                 f"t.value = {json.dumps(text)}; t.dispatchEvent(new Event('input', {{bubbles: true}}))")
    types("platform = 'android' and tags not contains 'x'")
    page.wait(lambda: page.run("return document.querySelectorAll('.condition').length") == 2, "the conditions")
    types("platform = ")
    page.wait(lambda: page.says("details", "column 12: expected a value"), "what is wrong")
    page.look("05-segment-text")
    types("platform = 'ios'")
    page.wait(lambda: page.says("table", "alice"), "whose it is")
    page.press("Save")
    page.write("ID (used in URLs)", "iphones")
    page.write("Title", "iPhones")
    page.press("Save", "dialog")
    page.arrive("iPhones")
    page.press("Compose for it")
    page.arrive("Composer")
    page.step("audience")
    page.wait(lambda: page.says(".reach", "1 device"), "its audience")
    # Everyone is left out of it, and then nobody.
    for chosen, reached in [("true", "0 devices"), ("false", "1 device")]:
        page.run("const s = document.querySelector('select[multiple]');"
                 f"s.querySelector('[value=all]').selected = {chosen}; s.dispatchEvent(new Event('change', {{bubbles: true}}))")
        page.wait(lambda: page.says(".reach", reached), "the audience without a segment")
    page.go("segments", "Segments")
    page.wait(lambda: page.says("table", "iPhones"), "the segment")
    page.look("05-segments")
    page.check_clean(allowed=REFUSED)


def test_respects_what_people_do_not_want(page):
    page.go("users/bob", "bob")
    page.press("Change", ".page section:nth-of-type(1)")
    page.write("Opted-out categories", "news")
    page.press("Save", "dialog")
    page.wait(lambda: page.says("main", "Receives all except"), "the opt-out")
    page.look("05-user", full=True)
    page.go("rules", "Rules")
    page.press("Change", ".page")
    for name, value in [("Quiet from", "22:00"), ("Quiet to", "08:00"), ("Pushes at most", "50")]:
        page.write(name, value)
    page.look("05-rules-dialog")
    page.press("Back", "dialog")
    page.check_console(allowed=REFUSED)


def test_runs_a_campaign_and_reads_the_failures(page, server):
    register(server, AUDIENCE - 2)
    page.composer()
    page.contract("amba")
    page.step("audience")
    page.wait(lambda: page.says(".reach", f"{AUDIENCE:,}"), "the audience")
    page.step("message")
    page.write("title", "Spring is here")
    page.write("body", "Everything green is 20 % off until Sunday.")
    page.wait(lambda: page.says(".code", "20 % off until Sunday"), "the bytes")
    page.write("Campaign", "spring")
    # Minutes for all of it, so that there is something to pause on any machine.
    page.write("At most, per minute", str(AUDIENCE // 4))
    page.step("review")
    page.press("Send")
    page.press(f"Send to {AUDIENCE:,}", "dialog")
    page.wait(lambda: page.says("h1", "spring"), "the push")
    page.wait(lambda: page.says(".figure", "%") and not page.text(".figure").startswith(("0 %", "–")), "progress")
    page.press("Pause")
    page.wait(lambda: page.buttons("Resume"), "paused")
    page.look("06-campaign-paused")
    page.press("Throttle")
    page.run("document.querySelector('dialog input').value = ''")
    page.press("Apply", "dialog")
    page.wait(lambda: not page.all("dialog[open]"), "applied")
    page.press("Resume")
    page.wait(lambda: page.text(".figure").startswith("100 %") and f"{AUDIENCE:,}" in page.text(".figure"), "the end", 1800)
    page.look("06-campaign", full=True)
    page.run("const s = document.querySelector('select[aria-label=State]'); s.value = 'rejected'; s.dispatchEvent(new Event('change'))")
    why = page.wait(lambda: page.all("details.why"), "the failures")
    page.quiet()
    page.run("document.querySelector('details.why').open = true")
    page.wait(lambda: page.says("details.why", "Unregistered") and page.says("details.why", "Meaning"), "what it means")
    assert why
    page.run("document.querySelector('select[aria-label=State]').value = ''")
    page.wait(lambda: page.says("main", "Why deliveries failed"), "the failures by reason")
    table = page.one("[aria-label='Failures by reason']").text
    assert "Unregistered APNs 410" in table and f"{AUDIENCE // 50:,}" in table and "100 %" in table, table
    page.wait(lambda: page.click("button[aria-label='Show the deliveries with Unregistered']"), "the way to them")
    page.wait(lambda: page.run("return document.querySelector('[aria-label=Deliveries] tbody')?.rows.length") == 50, "those deliveries")
    assert set(page.run("return [...document.querySelectorAll('[aria-label=Deliveries] tbody tr')].map(row => row.cells[2].innerText)")) == {"rejected"}
    assert page.run("return document.activeElement.getAttribute('aria-label')") == "State"
    page.look("07-failures", full=True)
    page.check_clean(allowed=REFUSED)


def control_token(server):
    """The token that the demo's emulator printed."""
    return re.search(r"POSTRIDER_EMULATOR_TOKEN=(\S+)", pathlib.Path(server.log.name).read_text())[1]


def register(server, count):
    """Imports devices from one file; every fiftieth is dead to the emulator."""
    emulator = re.search(r"http://[^ ]+/control", pathlib.Path(server.log.name).read_text())[0]
    rule = {"name": "dead tokens", "provider": "apns", "token_prefix": "dead", "effect": {"refuse": "Unregistered", "timestamp_ms": 1}}
    headers = {"Authorization": f"Bearer {control_token(server)}", "Content-Type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(emulator + "/rules", json.dumps(rule).encode(), headers, method="POST"), timeout=60)
    tokens = (f"{'dead' if number % 50 == 0 else 'beef'}{number:060x}" for number in range(count))
    body = "".join(f'{{"type":"ios","token":"{token}"}}\n' for token in tokens).encode()
    request = urllib.request.Request(
        server.origin + "/v1/apps/demo/devices/import", body, method="PUT",
        headers={"Authorization": f"Bearer {server.key}", "Content-Type": "application/x-ndjson"})
    with urllib.request.urlopen(request, timeout=900) as answer:
        assert json.load(answer)["created"] == count


def test_scrolls_a_tray_of_ten_thousand(page, server):
    """Only what is looked at stands in the document; the frames are measured, and reported."""
    fill_tray(server, TRAY)
    page.go("lab", "Device lab")
    page.wait(lambda: page.says("main", f"{TRAY:,} in the tray"), "the tray")
    frames, rows, last = page.driver.execute_async_script("""
      const done = arguments[0];
      const list = [...document.querySelectorAll('.items')].sort((a, b) => b.scrollHeight - a.scrollHeight)[0];
      const frames = [];
      let before = performance.now(), rows = 0;
      const step = (now) => {
        frames.push(now - before);
        before = now;
        rows = Math.max(rows, list.children.length);
        list.scrollTop += 260;
        if (frames.length < 400) return requestAnimationFrame(step);
        list.scrollTop = list.scrollHeight;
        const end = performance.now();
        const look = () => {
          const text = [...list.children].map(row => row.textContent).join(' ');
          if (text.includes('Number 1.') || performance.now() - end > 120000) done([frames.slice(1), rows, text]);
          else setTimeout(look, 50);
        };
        look();
      };
      requestAnimationFrame(step);""")
    frames.sort()
    at = lambda share: frames[int(share * (len(frames) - 1))]  # noqa: E731
    print(f"a tray of {TRAY}: frames of {at(.5):.1f} ms at the median, {at(.95):.1f} ms at 95 %, {frames[-1]:.0f} ms at most; {rows} rows at once")
    assert rows < 40
    assert "Number 1." in last
    page.look("08-tray")
    page.press("Clear", "section[aria-label='Virtual Android phone']")
    page.wait(lambda: page.says("section[aria-label='Virtual Android phone']", "0 in the tray, 0 silent"), "an empty tray")
    page.check_console()


def fill_tray(server, count):
    """Straight to the emulated FCM, since no ledger is needed for what only stands in a tray."""
    from concurrent.futures import ThreadPoolExecutor
    import http.client

    control = re.search(r"http://([^/ ]+)/control", pathlib.Path(server.log.name).read_text())[1]
    token = next(one["token"] for one in server.call("GET", "/v1/apps/demo/devices?user=bob")["devices"])
    project = server.call("GET", "/v1/apps/demo/credentials")["fcm"]["project_id"]

    def some(share):
        connection = http.client.HTTPConnection(control, timeout=300)

        def ask(path, body, **headers):
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", **headers})
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status < 300, text
            return json.loads(text)

        key = ask("/control/access-tokens", {"seconds": 3600}, Authorization=f"Bearer {control_token(server)}")["access_token"]
        for number in share:
            message = {"token": token, "notification": {"title": f"Number {number}.", "body": "One of many."}}
            ask(f"/v1/projects/{project}/messages:send", {"message": message}, Authorization=f"Bearer {key}")
        connection.close()

    some([1])
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(some, [range(2 + part, count + 1, 4) for part in range(4)]))


VIEWS = [("overview", "Overview"), ("pushes", "Pushes"), ("calendar", "Calendar"), ("deliveries", "Deliveries"), ("activities", "Activities"), ("channels", "Channels"), ("devices", "Devices"), ("devices/1", "Device 1"), ("users", "Users"),
         ("rules", "Rules"), ("apps", "Apps"), ("credentials", "Credentials"), ("identity", "Identity"), ("shadow", "Shadow"), ("webhooks", "Webhooks"), ("keys", "API keys"), ("team", "People"), ("audit", "Audit"), ("account", "My account")]


@pytest.mark.parametrize("rest,heading", VIEWS)
def test_shows_every_page(page, rest, heading):
    page.go(rest, heading)
    page.look(f"09-{rest.replace('/', '-')}", full=True)
    page.check_clean()


def test_makes_rotates_and_revokes_a_key(page, server):
    page.go("keys", "API keys")
    page.press("New key")
    page.write("Name", HOSTILE[:60])
    page.write("Expires", "2592000")
    page.look("10-new-key")
    page.press("Create", "dialog")
    text = page.wait(lambda: page.one("input[readonly]").get_property("value"), "the key's text")
    assert server.call("GET", "/v1/apps", key=text)["apps"][0]["name"] == "demo"
    page.press("Done", "dialog")
    page.wait(lambda: page.says("table", "<script>"), "the key in the list")
    page.wait(lambda: page.click("button[aria-label^='Rotate <script>']"), "its row")
    page.write("The old key expires", "0")
    page.press("Create a new key", "dialog")
    new = page.wait(lambda: page.one("input[readonly]").get_property("value"), "the new key's text")
    page.press("Done", "dialog")
    assert new != text
    assert server.call("GET", "/v1/apps", key=new)["apps"][0]["name"] == "demo"
    with pytest.raises(urllib.error.HTTPError):
        server.call("GET", "/v1/apps", key=text)
    page.quiet()
    page.wait(lambda: page.click("button[aria-label^='Revoke <script>']"), "its row")
    page.press("Revoke it", "dialog")
    page.wait(lambda: page.says("table", "revoked"), "the revoked key")
    with pytest.raises(urllib.error.HTTPError):
        server.call("GET", "/v1/apps", key=new)
    page.check_console()


def test_makes_a_channel_broadcasts_and_deletes_it(page, server):
    page.go("channels", "Channels")
    page.press("New channel")
    page.write("Name", "match-17")
    page.press("Create", "dialog")
    page.wait(lambda: page.says("table", "match-17"), "the channel in the list")
    one = [row for row in server.call("GET", "/v1/apps/demo/channels")["channels"] if row.get("name") == "match-17"][0]
    assert one["storage"] == "most-recent"
    page.go(f"channels/{one['id']}", "match-17")
    page.press("Broadcast")
    page.write("Content state (JSON)", '{"home": 2')
    page.press("Send it", "dialog")
    page.wait(lambda: page.says("dialog", "Content state:"), "what is wrong")
    page.write("Content state (JSON)", '{"home": 2}')
    page.press("Send it", "dialog")
    page.wait(lambda: page.says("table", "update"), "the broadcast in the list")
    sent = server.call("GET", f"/v1/apps/demo/channels/{one['id']}/broadcasts")["broadcasts"]
    page.wait(lambda: server.call("GET", f"/v1/apps/demo/pushes/{sent[0]['id']}")["counts"]["accepted"] == 1, "Apple's answer")
    page.go("channels", "Channels")
    page.press("Compare with Apple")
    page.press("Compare", "dialog")
    page.wait(lambda: page.says("dialog", "In both"), "the comparison")
    page.press("Done", "dialog")
    server.call("POST", "/v1/apps/demo/devices", {"type": "ios-live-activity-start", "token": "5d" * 40, "user": "listener"})
    server.call("POST", "/v1/apps/demo/activities", {"id": "listening", "to": {"user": "listener"}, "attributes_type": "Match", "attributes": {},
                                                     "content_state": {}, "alert": {"title": "T", "body": "B"}, "channel": one["id"]})
    page.go(f"channels/{one['id']}", "match-17")
    page.look("10-channel", full=True)
    page.press("Delete")
    page.press("Delete it", "dialog")
    page.wait(lambda: page.says("dialog", "1 activity listens"), "who listens")
    page.press("Delete it anyway", "dialog")
    page.arrive("Channels")
    assert one["id"] not in [row["id"] for row in server.call("GET", "/v1/apps/demo/channels")["channels"]]
    page.check_clean(allowed=[f"/channels/{one['id']} - Failed to load resource"])


def test_shows_an_activity_and_ends_it(page, server):
    call = lambda method, path, body=None: server.call(method, f"/v1/apps/demo{path}", body)  # noqa: E731
    call("POST", "/devices", {"type": "ios-live-activity-start", "token": "5b" * 40, "user": "ann"})
    call("POST", "/activities", {"id": "order-17", "to": {"user": "ann"}, "attributes_type": "Order", "attributes": {}, "content_state": {},
                                 "alert": {"title": "T", "body": "B"}, "urgent_per_hour": 1})
    page.go("activities", "Activities")
    page.wait(lambda: page.says("table", "order-17"), "the activity in the list")
    call("POST", "/activities/order-17/tokens", {"token": "6c" * 40})
    page.go("activities/order-17", "order-17")
    page.press("Update")
    page.write("Event", "end")
    page.press("Send it", "dialog")
    page.wait(lambda: page.says("dialog", "priority 5"), "what became of the priority")
    page.press("Done", "dialog")
    page.wait(lambda: page.says("#root", "ended"), "the state")
    assert [send["event"] for send in call("GET", "/activities/order-17")["sends"]] == ["end", "start"]
    page.look("10-activity", full=True)
    page.press("Delete")
    page.press("Delete it", "dialog")
    page.arrive("Activities")
    page.check_clean()


def test_leaves_a_message_in_an_inbox_marks_and_deletes_it(page, server):
    call = lambda method, path, body=None: server.call(method, f"/v1/apps/demo{path}", body)  # noqa: E731
    call("PATCH", "/users/ida", {"aliases": {"crm": "crm-4711"}})
    page.go("users/ida", "ida")
    page.wait(lambda: page.says("#root", "crm-4711"), "the alias")
    page.wait(lambda: page.says("#root", "No messages"), "an empty inbox")
    page.press("Add a message")
    page.press("Add it", "dialog")
    page.wait(lambda: page.says("dialog", "a message has a title and a body"), "what is missing")
    page.write("Title", HOSTILE[:60])
    page.write("Body", HOSTILE)
    page.write("Expires after", "604800")
    page.press("Add it", "dialog")
    page.wait(lambda: page.says("div[aria-label=Inbox]", HOSTILE[:20]), "the message in the list")
    (left,) = call("GET", "/users/ida/inbox")["messages"]
    assert (left["title"], left["body"], left["read"]) == (HOSTILE[:60], HOSTILE, False)
    page.wait(lambda: page.says("[role=status]", "1 messages, 1 unread"), "the counts")
    page.press("Mark as read")
    page.wait(lambda: page.says("div[aria-label=Inbox]", "Mark as unread"), "its state")
    assert call("GET", f"/users/ida/inbox/{left['id']}")["read"] is True
    page.write("Messages shown", "&unread=true")
    page.wait(lambda: page.says("#root", "No messages"), "none unread")
    page.write("Messages shown", "")
    call("POST", "/users/ida/inbox", {"id": "second", "title": "Second", "body": "B"})
    page.press("Mark all as read")
    page.wait(lambda: page.says("#toasts", "1 message was unread"), "how many")
    page.wait(lambda: page.says("[role=status]", "2 messages, 0 unread"), "the counts")
    page.press("Second", "div[aria-label=Inbox]")
    page.look("10-inbox-message")
    page.press("Delete", "dialog")
    page.press("Delete it", "dialog")
    page.wait(lambda: page.says("[role=status]", "1 messages, 0 unread"), "one is gone")
    assert [row["id"] for row in call("GET", "/users/ida/inbox")["messages"]] == [left["id"]]
    page.look("10-inbox", full=True)
    page.check_clean()


def test_requires_signed_identity_and_changes_its_key(page):
    server = page.server
    page.go("identity", "Identity")
    page.wait(lambda: page.says("#root", "No keys"), "nothing yet")
    page.press("Change")
    page.write("Mode", "required")
    page.press("Save", "dialog")
    page.wait(lambda: page.says("dialog", "make a key first"), "why not")
    page.press("Back", "dialog")
    page.press("New key")
    page.press("Create", "dialog")
    secret = page.wait(lambda: page.one("input[readonly]").get_property("value"), "the secret")
    assert secret.startswith("ids_")
    page.press("Done", "dialog")
    page.wait(lambda: page.says("table", "HS256"), "the key")
    assert secret not in page.driver.page_source
    private = subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], capture_output=True, check=True).stdout
    page.press("New key")
    page.write("Public key (PEM)", private.decode())
    page.press("Create", "dialog")
    page.wait(lambda: page.says("dialog", "the file holds a private key"), "no private key is taken")
    public = subprocess.run(["openssl", "pkey", "-pubout"], input=private, capture_output=True, check=True).stdout
    page.write("Public key (PEM)", public.decode())
    page.press("Create", "dialog")
    page.wait(lambda: page.says("table", "ES256"), "the public key")
    page.quiet()
    page.press("Change")
    page.write("Mode", "required")
    page.press("Save", "dialog")
    page.wait(lambda: page.says("#root", "registers only devices without a user"), "the mode")
    page.look("11-identity")
    first = server.call("GET", "/v1/apps/demo/identity")["keys"][0]["id"]
    page.click(f"button[aria-label='Delete {first}']")
    page.press("Delete it", "dialog")
    page.wait(lambda: not page.says("table", "HS256"), "it is gone")
    shown = server.call("GET", "/v1/apps/demo/identity")
    assert shown["mode"] == "required" and [one["algorithm"] for one in shown["keys"]] == ["ES256"]
    server.call("PUT", "/v1/apps/demo/identity", {"mode": "off"})
    server.call("DELETE", f"/v1/apps/demo/identity/keys/{shown['keys'][0]['id']}")
    page.check_clean(allowed=["/identity - Failed to load resource", "/identity/keys - Failed to load resource"])


def test_tells_a_webhook_and_shows_its_secret_once(page):
    with Receiver() as receiver:
        page.go("webhooks", "Webhooks")
        page.press("New webhook")
        page.write("Address", receiver.url)
        page.look("11-new-webhook")
        page.press("Create", "dialog")
        secret = page.wait(lambda: page.one("input[readonly]").get_property("value"), "the secret")
        assert secret.startswith("whs_")
        page.press("Done", "dialog")
        page.follow(receiver.url)
        page.arrive("Webhook")
        assert secret not in page.driver.page_source
        page.server.call("POST", "/v1/apps/demo/test-pushes", {"to": {"user": "bob"}, "message": {"title": "T", "body": "B"}})
        body, signature = page.wait(lambda: receiver.taken[0] if receiver.taken else None, "a notice")
        moment = re.search(r"t=(\d+)", signature)[1]
        expected = hmac.new(secret.encode(), f"{moment}.".encode() + body, "sha256").hexdigest()
        assert f"v1={expected}" in signature
        page.press("New secret")
        page.press("Create", "dialog")
        assert page.wait(lambda: page.one("input[readonly]").get_property("value"), "another secret") != secret
        page.press("Done", "dialog")
        page.quiet()
        page.press("Replay all")
        page.wait(lambda: page.says("#toasts", "0 replayed"), "there were no dead letters")
        page.press("Turn off")
        page.wait(lambda: page.buttons("Turn on"), "it is off")
        page.look("11-webhook")
        page.go("audit", "Audit")
        page.wait(lambda: page.says("table", "Create webhook"), "who made it")
        assert "Rotate key" in page.text("table") and "whs_" not in page.text("table")
        page.look("11-audit")
    page.check_clean()


class Receiver:
    """A webhook's receiver on loopback, which takes everything."""

    def __enter__(self):
        import http.server
        import threading

        receiver = self
        self.taken = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.taken.append((body, self.headers["Postrider-Signature"]))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hooks"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def test_shows_the_servers(page):
    """Below the apps: the one server of a file, what it does, and that it answers."""
    page.go("apps", "Apps")
    page.wait(lambda: page.all("[aria-label=Servers] tbody tr"), "the table of servers")
    row = page.text("[aria-label=Servers] tbody tr")
    assert "local" in row and "running" in row and "answers this page" in row, row
    assert all(duty in row for duty in ("schedules", "upkeep", "webhooks")), row
    page.check_accessibility("the servers")


def test_sets_up_an_app(page):
    page.go("apps", "Apps")
    page.press("New app")
    page.write("ID (used in URLs)", "second")
    page.look("12-new-app")
    page.press("Create", "dialog")
    page.arrive("Credentials")
    page.wait(lambda: len(page.all(".page section")) == 5, "five slots")
    page.press("Set", ".page")
    page.look("12-credential")
    for field, value in [("Bundle id", "com.example.second"), ("Key id", "ABC123DEFG"), ("Team id", "DEF123GHIJ"), ("Key (.p8)", "not a key")]:
        page.write(field, value)
    page.press("Save", "dialog")
    page.wait(lambda: page.says("dialog .problem", "key"), "what is wrong with the key")
    page.look("13-credential-refused")
    page.press("Back", "dialog")
    page.check_console(allowed=["/credentials - Failed to load resource"])


def test_asks_the_providers_whether_they_take_the_credentials(page):
    page.go("credentials", "Credentials")
    page.press("Check with the providers")
    page.wait(lambda: len([one for one in page.all(".badge") if one.text == "usable"]) == 4, "all four are usable")
    page.look("14-credentials-asked")
    page.check_console()


def test_makes_a_phone_with_the_texts_of_the_app(page, server):
    """Any number of phones, each with its language; what is pressed on them stands in the funnel."""
    page.go("lab", "Device lab")
    page.press("New phone")
    page.write("Language", "de-AT")
    page.write("User", "dora")
    page.press("Choose them")
    page.press_summary("Paste one")
    page.write("Path in the project", "de.lproj/Localizable.strings")
    page.write("Table", '"hello" = "Servus %@";')
    page.press("Load it", "dialog")
    page.wait(lambda: page.says("dialog code", "de.lproj"), "the table in the list")
    page.press("Done", "dialog")
    page.wait(lambda: page.says("dialog", " tables."), "it goes along")
    page.press("Create", "dialog")
    page.wait(lambda: len(page.all(".tray-phone")) == 4, "three phones and a browser")
    push = server.call("POST", "/v1/apps/demo/pushes", {
        "contract": "onesignal", "to": {"users": ["dora"]},
        "message": {"headings": {"en": "Hi"}, "contents": {"en": "There"}, "buttons": [{"id": "yes", "text": "Yes"}], "url": "https://shop.example/"}})["id"]
    page.wait(lambda: page.says(".tray-phone:last-child .items", "There"), "the tray")
    page.look("08-phones", full=True)
    page.press("Yes", ".items")
    page.wait(lambda: page.says("#toasts", "action · yes · https://shop.example/"), "what the app's handler sees")
    page.wait(lambda: server.call("GET", f"/v1/apps/demo/pushes/{push}/funnel")["actions"] == [{"action": "yes", "count": 1}], "the report")
    server.call("POST", "/v1/apps/demo/pushes", {"contract": "powerauth", "to": {"users": ["dora"]}, "message": {"titleLocKey": "hello", "titleLocArgs": ["Ann"], "body": "B"}})
    page.wait(lambda: page.says(".tray-phone:last-child .items", "Servus Ann"), "the text in its language")
    page.press("Go offline", ".tray-phone:last-child")
    page.wait(lambda: page.says(".tray-phone:last-child", "offline"), "it is away")
    for number in range(3):
        server.call("POST", "/v1/apps/demo/pushes", {"contract": "native", "to": {"users": ["dora"]}, "message": {"title": f"Kept {number}", "body": "B"}})
    page.wait(lambda: page.says(".tray-phone:last-child", "1 queued"), "the last one is kept")
    page.press("Go online", ".tray-phone:last-child")
    page.wait(lambda: page.says(".tray-phone:last-child .items", "Kept 2"), "it is back")
    assert "Kept 1" not in page.text(".tray-phone:last-child .items")
    page.run("localStorage.clear()")
    page.check_clean()


def test_starts_updates_and_ends_an_activity(page, server):
    """A form starts it on a virtual iPhone, whose lock screen shows it; its token is reported, updated and ended."""
    page.go("lab", "Device lab")
    page.press("New phone")
    page.write("User", "livia")
    page.press("Create", "dialog")
    page.wait(lambda: len(server.call("GET", "/v1/apps/demo/devices?user=livia")["devices"]) == 2, "its two tokens")
    page.go("activities", "Activities")
    page.press("Start an activity")
    page.write("Id", "pizza-7")
    page.write("User", "livia")
    page.write("Type", "PizzaAttributes")
    page.write("Attributes (JSON)", '{"shop": ')
    page.write("Content state (JSON)", '{"minutes": 25}')
    page.write("Alert title", "Your pizza")
    page.write("Alert body", "It is in the oven.")
    page.press("Start it", "dialog")
    page.wait(lambda: page.says("dialog", "Attributes:"), "what is wrong")
    page.write("Attributes (JSON)", '{"shop": "Roma"}')
    page.write("User", "nobody")
    page.press("Start it", "dialog")
    page.wait(lambda: page.says("dialog", "push-to-start token"), "nobody has a token")
    page.write("User", "livia")
    page.look("10-activity-start")
    page.press("Start it", "dialog")
    page.arrive("pizza-7")
    life = lambda: server.call("GET", "/v1/apps/demo/activities/pizza-7")  # noqa: E731
    sent = lambda: [(send["event"], send["counts"]["accepted"]) for send in life()["sends"]]  # noqa: E731
    page.wait(lambda: sent() == [("start", 1)], "Apple's answer")
    page.go("lab", "Device lab")
    shown = ".tray-phone:last-child ul.plain"
    page.wait(lambda: page.says(shown, "PizzaAttributes · Your pizza"), "the activity on the lock screen")
    assert '{"minutes":25}' in page.text(shown)
    page.wait(lambda: len(life()["tokens"]) == 1, "its token, reported")
    page.look("10-activity-phone", full=True)
    page.go("activities/pizza-7", "pizza-7")
    page.press("Update")
    page.write("Content state (JSON)", '{"minutes": 5}')
    page.press("Send it", "dialog")
    page.wait(lambda: sent() == [("update", 1), ("start", 1)], "the update's answer")
    page.go("lab", "Device lab")
    page.wait(lambda: page.says(shown, '{"minutes":5}'), "the update on the lock screen")
    page.go("activities/pizza-7", "pizza-7")
    page.press("Update")
    page.write("Event", "end")
    page.write("Leaves the lock screen", "0")
    page.press("Send it", "dialog")
    page.wait(lambda: page.says("#root", "ended"), "the state")
    page.wait(lambda: sent()[0] == ("end", 1), "the end's answer")
    page.go("lab", "Device lab")
    page.wait(lambda: page.run(f"return document.querySelector('{shown}')?.hidden"), "it has left the lock screen")
    page.check_clean(allowed=["/activities - Failed to load resource"])


def shadowed(server, body):
    """Sends a OneSignal request that delivers nothing, and returns the id of its record."""
    server.call("PATCH", "/v1/apps/demo", {"compat": {"onesignal": {}}})
    server.call("PUT", "/v1/apps/demo/compat/onesignal/shadow", {"mode": "observe"})
    key = server.call("POST", "/v1/keys", {"name": "shadow", "scopes": ["compat"], "app": "demo"})["key"]
    before = len(server.call("GET", "/v1/apps/demo/shadow/requests")["requests"])
    try:
        server.call("POST", "/compat/onesignal/notifications", body, key=key)
    except urllib.error.HTTPError:  # A refusal is recorded as well.
        pass
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        rows = server.call("GET", "/v1/apps/demo/shadow/requests")["requests"]
        if len(rows) > before:
            return rows[0]["id"]
        time.sleep(0.05)
    raise AssertionError("the request was not recorded")


def test_shows_a_request_that_delivers_nothing_and_makes_it_live(page, server):
    record = shadowed(server, {"included_segments": ["All"], "contents": {"en": "Hello"}, "frobnicate": 1})
    page.go("shadow", "Shadow")
    page.wait(lambda: page.says("main", "frobnicate") or "frobnicate" in page.run("return document.querySelector('main').textContent"), "the unknown member")
    page.look("22-shadow", full=True)
    page.go(f"shadow/{record}", f"Request {record}")
    assert "text of 5 bytes" in page.text("main") and "Hello" not in page.text("main")
    page.go("shadow", "Shadow")
    page.wait(lambda: page.click("[aria-label='Change OneSignal']"), "its settings")
    page.write("Mode", "forward")
    page.write("Live, in percent of users", "100")
    page.press("Save", "dialog")
    page.wait(lambda: server.call("GET", "/v1/apps/demo/shadow")["vendors"][0]["live_percent"] == 100, "the setting")
    page.wait(lambda: page.says("main", "everyone"), "what is delivered")
    page.check_clean()
    server.call("PUT", "/v1/apps/demo/compat/onesignal/shadow", {"mode": "off", "live_percent": 0})


def test_shows_hostile_records_inert_on_every_page(page, server):
    """What anyone may have written into the records: markup, bidi overrides, a tower of marks."""
    evil = HOSTILE[:70] + "x" + "\u0301" * 100
    quoted = urllib.parse.quote(evil, safe="")
    call = lambda method, path, body: server.call(method, f"/v1/apps/demo{path}", body)  # noqa: E731
    server.call("POST", "/v1/apps", {"name": "evil", "title": evil})
    server.call("POST", "/v1/people", {"email": "<evil>&amp;@example.com", "name": evil, "roles": ["sender:evil"]})
    device = call("POST", "/devices", {"type": "ios", "token": "ee" * 32, "user": evil, "name": evil, "tags": [HOSTILE[:60]], "properties": {"p": evil}})["id"]
    call("PATCH", f"/users/{quoted}", {"display_name": evil, "email": evil[:60], "opt_out_categories": ["news"]})
    call("POST", "/segments", {"name": "evil", "title": evil, "filter": {"field": "tags", "op": "contains", "value": HOSTILE[:60]}})
    call("PUT", "/templates/evil", {"message": {"title": evil, "body": "{{first_name|" + evil + "}}"}, "locales": {"de": {"title": evil, "body": evil}}})
    call("POST", f"/users/{quoted}/inbox", {"title": HOSTILE[:200], "summary": evil, "body": HOSTILE, "type": "html", "data": {"k": HOSTILE[:200]}})
    call("PATCH", f"/users/{quoted}", {"aliases": {"crm": HOSTILE[:60]}})
    push = call("POST", "/pushes", {"to": {"users": [evil]}, "campaign": HOSTILE[:60], "message": {"title": evil, "body": evil, "data": {"k": evil}}})["id"]
    draft = call("POST", "/pushes", {"to": {"users": [evil]}, "draft": True, "campaign": HOSTILE[:59], "message": {"title": evil, "body": evil}})["id"]
    schedule = call("POST", "/schedules", {"to": {"users": [evil]}, "campaign": HOSTILE[:58], "message": {"title": evil, "body": evil}, "repeat": {"every": "day", "start": "2031-01-01T09:00:00", "timezone": "UTC"}})["id"]
    channel = call("POST", "/channels", {"name": evil})["id"]
    call("POST", "/devices", {"type": "ios-live-activity-start", "token": "ea" * 40, "user": evil})
    call("POST", "/activities", {"id": "evil", "to": {"user": evil}, "attributes_type": evil, "attributes": {evil: evil}, "content_state": {}, "alert": {"title": evil, "body": evil}})
    call("POST", f"/channels/{channel}/broadcasts", {"event": "update", "content_state": {evil: evil}})
    shadow = shadowed(server, {"include_external_user_ids": [evil], "contents": {"en": evil}, HOSTILE[:30]: evil})
    page.wait(lambda: call("GET", f"/pushes/{push}", None)["state"] == "sent", "the push")
    delivery = call("GET", f"/pushes/{push}/deliveries", None)["deliveries"][0]["id"]
    call("POST", "/events", {"events": [{"type": "action", "action": HOSTILE[:60], "delivery": delivery}]})
    page.run("window.harm = 0; window.alert = () => { harm++; }")
    for rest in ["overview", "pushes", f"pushes/{push}", f"pushes/{draft}", f"compose/edit/{draft}", "schedules", f"schedules/{schedule}", "channels", f"channels/{channel}", "activities", "activities/evil", "templates", "templates/evil", "devices", f"devices/{device}",
                 "users", f"users/{quoted}", "segments", "segments/evil", "lab", "apps", "identity", "shadow", f"shadow/{shadow}", "audit", "team"]:
        page.go(rest, "")
        assert page.run("return harm") == 0, rest
        assert page.all("#root script, #root iframe, #root img[src=x], #root [onerror], #root [onload]") == [], rest
        assert page.run("return /[\\u202a-\\u202e\\u2066-\\u2069]|\\p{M}{5}/u.test(document.body.innerText)") is False, rest
        assert page.run("return document.documentElement.scrollWidth <= innerWidth"), rest
        page.check_clean()
    page.go(f"users/{quoted}", "")
    page.look("17-hostile-user", full=True)


def test_works_by_keyboard(page):
    page.go("overview", "Overview")
    body = page.driver.find_element(By.TAG_NAME, "body")
    page.run("document.activeElement.blur()")
    body.send_keys("gk")
    page.arrive("API keys")
    page.wait(lambda: page.run("return document.activeElement.tagName") == "H1", "the focus on the heading")
    body.send_keys("?")
    page.wait(lambda: page.all("dialog[open]"), "the help")
    page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    page.wait(lambda: not page.all("dialog[open]"), "no help")
    body.send_keys(Keys.CONTROL, "k")
    page.wait(lambda: page.all("dialog[open] [role=option]"), "places to go to")
    page.look("15-finder")
    page.driver.switch_to.active_element.send_keys("webh")
    page.wait(lambda: len(page.all("[role=option]")) == 2, "one page, or a user of that name")
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.arrive("Webhooks")
    for _ in range(40):
        page.driver.switch_to.active_element.send_keys(Keys.TAB)
        assert page.run("return document.activeElement !== null")


def test_composes_and_sends_by_keyboard_alone(page):
    """From the overview to the tray without a pointer; wherever the focus stands, it is seen."""
    page.go("overview", "Overview")
    keys = lambda *some: page.driver.switch_to.active_element.send_keys(*some)  # noqa: E731

    def tab_to(name):
        for _ in range(90):
            keys(Keys.TAB)
            here, seen = page.run("""
              const here = document.activeElement, drawn = here.matches('.segments input') ? here.nextSibling : here;
              const label = here.getAttribute('aria-label') ?? here.labels?.[0]?.dataset.field ?? here.labels?.[0]?.innerText ?? here.innerText ?? '';
              return [label.trim(), getComputedStyle(drawn).outlineStyle !== 'none' && getComputedStyle(drawn).outlineWidth !== '0px'];""")
            assert seen or here == "", here
            if here == name:
                return
        raise AssertionError(f"{name} is not reached")

    keys("gc")
    page.arrive("Composer")
    page.composer()
    page.run("document.querySelector('h1').focus()")
    tab_to("Payloads for amba Change")
    keys(Keys.ENTER)
    tab_to("amba")
    keys(Keys.ARROW_RIGHT)
    page.wait(lambda: page.all("[data-contract=imkit]"), "another contract")
    keys(Keys.ARROW_LEFT)
    page.wait(lambda: page.all("[data-contract=amba]"), "and back")
    page.quiet()
    tab_to("title")
    keys("By keyboard")
    tab_to("body")
    keys("Without a pointer.")
    page.wait(lambda: page.says(".code", "Without a pointer."), "the bytes")
    page.quiet()
    tab_to("Next: audience")
    keys(Keys.ENTER)
    page.wait(lambda: page.says("h2", "Audience"), "the audience")
    tab_to("To")
    keys("One device")
    tab_to("Device id")
    keys("1")
    page.quiet()
    # To the review, and from there out.
    keys(Keys.CONTROL, Keys.ENTER)
    page.wait(lambda: page.says("h2", "Review"), "the review")
    page.quiet()
    keys(Keys.CONTROL, Keys.ENTER)
    page.wait(lambda: page.says("h1", "Push "), "the push")
    keys("gl")
    page.arrive("Device lab")
    page.wait(lambda: page.says(".items", "By keyboard"), "the tray")
    tab_to("Tap")
    page.quiet()
    keys(Keys.ENTER)
    page.wait(lambda: not page.says("section[aria-label='Virtual iPhone'] .items", "By keyboard"), "it was tapped")
    page.check_clean(allowed=REFUSED)


def test_keeps_the_focus_while_the_overview_lives(page):
    """What is drawn again every two seconds takes nobody's place away."""
    page.go("overview", "Overview")
    page.run("document.querySelector('table a').focus(); window.focused = document.activeElement; window.reads = 0;"
             "const ask = fetch; window.fetch = (...all) => { if (String(all[0]).endsWith('/overview')) reads++; return ask(...all); }")
    page.wait(lambda: page.run("return reads") >= 3, "three readings")
    assert page.run("return document.activeElement === window.focused")


SMALL = [("overview", "Overview"), ("compose", "Composer"), ("pushes", "Pushes"), ("calendar", "Calendar"), ("lab", "Device lab"), ("segments/new", "New segment"), ("users/bob", "bob"),
         ("identity", "Identity"), ("shadow", "Shadow"), ("webhooks", "Webhooks"), ("keys", "API keys"), ("team", "People"), ("account", "My account"), ("audit", "Audit"), ("rules", "Rules"), ("templates", "Templates"), ("channels", "Channels"), ("activities", "Activities"), ("credentials", "Credentials")]


@pytest.mark.parametrize("rest,heading", SMALL)
def test_fits_a_small_screen(page, rest, heading):
    page.size(390, 844, mobile=True)
    try:
        page.go(rest, heading)
        wide = page.run("return [...document.querySelectorAll('main *')].filter(one => one.getBoundingClientRect().right > 391 && !one.closest('.scroll, .code, .items, .paths'))"
                        ".map(one => one.outerHTML.slice(0, 120))")
        assert page.run("return document.documentElement.scrollWidth") <= 390, wide[:3]
        page.driver.save_screenshot(str(page.shots / f"16-small-{rest.replace('/', '-')}.png"))
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_signs_out_and_loses_a_revoked_key(page, server):
    page.go("overview", "Overview")
    made = server.call("POST", "/v1/keys", {"name": "guest", "scopes": ["read"]})
    page.run("for (const name of Object.keys(localStorage)) if (name.startsWith('draft:')) localStorage.removeItem(name)")
    page.click("[aria-label='Sign out']")
    page.labelled("API key").send_keys(made["key"], Keys.ENTER)
    page.arrive("Overview")
    assert "API keys" not in page.text("nav") and "Webhooks" not in page.text("nav")
    server.call("DELETE", f"/v1/keys/{made['id']}")
    page.wait(lambda: page.all(".sign-in") and page.says(".problem", "session has expired"), "signed out")
    page.check_origin()
