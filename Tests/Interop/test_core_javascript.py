"""The JavaScript package of the core, as a person installs it: the tarball of dist/, in Node and in a browser.

`script/core` builds what is tested here; `script/test --interop` runs it first. The package's own tests are in
`Packages/core/javascript/test`.
"""

import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import tarfile
import threading

import pytest

from conftest import ROOT
from core_vectors import DIST, REQUESTS, check, write_requests

PACKAGE = ROOT / "Packages/core/javascript"
NODE = shutil.which("node")
TSC = shutil.which("tsc")
POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'"
TYPES = {"parse": "Parsed", "render": "Rendering", "check": "Checked"}

pytestmark = pytest.mark.skipif(not NODE, reason="nodejs is not installed; script/bootstrap --interop installs it")


def tarball():
    found = sorted(DIST.glob("postrider-*.tgz"))
    assert len(found) == 1, f"{DIST} has {len(found)} tarballs of the package; run script/core"
    return found[0]


def run(arguments, folder, stdin=None, timeout=1800, **environment):
    result = subprocess.run(
        arguments, cwd=folder, stdin=stdin, capture_output=True, timeout=timeout, env=os.environ | environment)
    assert result.returncode == 0, (result.stdout[-6000:] + result.stderr[-6000:]).decode()
    return result.stdout.decode()


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder that has the package in node_modules, and the package's tests."""
    folder = tmp_path_factory.mktemp("javascript")
    if shutil.which("npm"):
        run(["npm", "install", "--offline", "--no-audit", "--no-fund", tarball()], folder)
    else:  # Debian's package nodejs has no npm.
        with tarfile.open(tarball()) as archive:
            archive.extractall(folder / "node_modules", filter="data")
        (folder / "node_modules/package").rename(folder / "node_modules/postrider")
    shutil.copytree(PACKAGE / "test", folder / "test")
    return folder


@pytest.fixture(scope="module")
def answers(installed):
    """Node's answers to every vector, by name."""
    with open(write_requests(installed)) as requests:
        return check(run([NODE, "test/answers.mjs"], installed, requests))


def test_the_tarball_is_the_same_each_time(tmp_path):
    for index, (umask, zone) in enumerate([("022", "UTC"), ("077", "Asia/Tokyo")]):
        folder = tmp_path / str(index)
        folder.mkdir()
        command = f'umask {umask}; exec python3 "{PACKAGE}/tarball.py" "{DIST}/postrider.wasm" "{folder}"'
        run(["sh", "-c", command], folder, TZ=zone)
    first, second = (next((tmp_path / name).iterdir()) for name in "01")
    assert first.read_bytes() == second.read_bytes() == tarball().read_bytes()


def test_the_tarball_has_what_the_package_names():
    with tarfile.open(tarball()) as archive:
        names = archive.getnames()
        package = json.load(archive.extractfile("package/package.json"))
        module = archive.extractfile("package/postrider.wasm").read()
    assert not package.get("dependencies") and package["type"] == "module"
    named = [*package["files"], "package.json", "README.md", "LICENSE"]
    assert sorted(names) == sorted(f"package/{name}" for name in named)
    assert module == (DIST / "postrider.wasm").read_bytes()
    license_name = (ROOT / "LICENSE").read_text().split()[0]
    assert package["license"] == license_name


def test_every_vector(answers):
    assert len(answers) == len(REQUESTS) > 1500


def test_the_packages_own_tests(installed):
    """A million calls: POSTRIDER_CALLS=1000000."""
    report = run([NODE, "--test", "test/postrider.test.mjs"], installed)
    assert re.search(r"^# fail 0$", report, re.MULTILINE) and re.search(r"^# pass [1-9]", report, re.MULTILINE), report


def test_the_first_lines_of_the_readme(installed):
    readme = (installed / "node_modules/postrider/README.md").read_text()
    lines = re.match(r"# postrider\n\n```js\n(.*?)```", readme, re.DOTALL)[1]
    assert lines.count("\n") == 5
    (installed / "readme.mjs").write_text(lines)
    said = run([NODE, "readme.mjs"], installed)
    assert said.startswith("Hi\n") and "mutable-content" in said and "device token" in said


def test_the_example(installed):
    shutil.copy(installed / "node_modules/postrider/example.mjs", installed / "example.mjs")
    said = run([NODE, "example.mjs"], installed)
    assert "field-unknown" in said and '{"aps":{"alert":' in said and "android: Parcel on its way" in said
    (installed / "message.json").write_text('{"title":')
    wrong = subprocess.run([NODE, "example.mjs", "message.json"], cwd=installed, capture_output=True, text=True)
    assert wrong.returncode == 1 and "json-invalid" in wrong.stdout and "not JSON" in wrong.stderr


def compile_types(folder, *files, lib="es2022"):
    options = ["--noEmit", "--strict", "--module", "node16", "--moduleResolution", "node16", "--target", "es2022"]
    return run([TSC, *options, "--lib", lib, *files], folder)


@pytest.mark.skipif(not TSC, reason="node-typescript is not installed; script/bootstrap --interop installs it")
def test_the_types_of_calls(installed):
    """Also where the types of the platform are a browser's."""
    (installed / "package.json").write_text('{"type": "module"}')
    (installed / "test/console.d.ts").write_text("declare const console: { log(...values: unknown[]): void };\n")
    (installed / "test/browser.ts").write_text(
        'import { compile, load } from "postrider";\nconst module: WebAssembly.Module = await compile(fetch("/a"));\n'
        "export const postrider = load(module);\n")
    compile_types(installed, "test/types.ts", "test/console.d.ts")
    compile_types(installed, "test/browser.ts", lib="es2022,dom")


@pytest.mark.skipif(not TSC, reason="node-typescript is not installed; script/bootstrap --interop installs it")
def test_the_types_of_answers(installed, answers):
    """Every answer to a vector, and one of each other operation, is a literal of its type: a member too many is an error."""
    (installed / "package.json").write_text('{"type": "module"}')
    seen, lines = set(), []
    literals = [(TYPES[request.operation], answers[request.name]) for request in REQUESTS]
    for kind, answer in literals + others(installed):
        if (shape := (kind, structure(json.loads(answer)))) in seen:
            continue
        seen.add(shape)
        lines.append(f"export const answer{len(lines)}: postrider.{kind} = {answer};")
    assert len(lines) > 200
    (installed / "test/answers.ts").write_text("\n".join(['import type * as postrider from "postrider";', *lines, ""]))
    compile_types(installed, "test/answers.ts")


def structure(value):
    """The members of an answer and their kinds, with the names of kinds such as `apns-broadcast`."""
    if isinstance(value, dict):
        return tuple(sorted((name, structure(member)) for name, member in value.items()))
    if isinstance(value, list):
        return ("list", *sorted({repr(structure(item)) for item in value}))
    return value if isinstance(value, str) and len(value) < 24 and "-" in value else type(value).__name__


def others(folder):
    """Answers of the operations that vectors do not have."""
    script = """
      import { load } from "postrider";
      const postrider = await load(), print = (kind, answer) => console.log(JSON.stringify([kind, answer]));
      print("ContractSummary[]", postrider.answer("contracts", ""));
      const messages = { amba: { title: "T", body: "B", image_url: "https://a.example/b.png" }, native: { title: "T", badge: 3 },
        onesignal: { contents: { en: "T" }, buttons: [{ id: "a", text: "A" }] }, powerauth: { title: "T", body: "B" },
        imkit: { messageType: "text", sender: "A", content: "C" } };
      for (const { name } of postrider.contracts()) print("ContractTable", postrider.answer("contracts", "", { show: name }));
      for (const [contract, message] of Object.entries(messages)) {
        print("ContractDiff", postrider.answer("contracts", message, { diff: [contract, "adobe"] }));
        print("Previews", postrider.answer("preview", message, { contract, locales: ["de", "ar"] }));
      }
      for (const reason of ["BadDeviceToken", "410", "UNREGISTERED"]) print("Explanation[]", postrider.answer("explain", reason));
      const payload = { aps: { alert: { "loc-key": "K", "title-loc-key": "T" }, badge: 1, sound: "a.caf", category: "c" } };
      print("Previews", postrider.answer("preview", payload, { platform: "ios" }));
      print("Previews", postrider.answer("preview", { aps: { "content-available": 1 } }, { platform: "ios" }));
      print("Checked", postrider.answer("check", "{"));
    """
    (folder / "others.mjs").write_text(script)
    return [tuple(json.loads(line)) for line in run([NODE, "others.mjs"], folder).rstrip("\n").split("\n")]


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files, with the policy that the README asks of a page."""

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript", ".wasm": "application/wasm"}

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def served(installed):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=installed))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_in_a_browser(installed, served, answers):
    """The page and a worker load the module under a strict policy; the page answers every vector as Node does."""
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.support.ui import WebDriverWait

    chromium, driver_path = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver_path:
        pytest.skip("chromium and chromium-driver are not installed; script/bootstrap --interop installs them")
    write_requests(installed)
    (installed / "page.html").write_text('<!doctype html><title>core</title><script type="module" src="page.mjs"></script>')
    (installed / "worker.mjs").write_text(
        'import { load } from "./node_modules/postrider/postrider.mjs";\n'
        "addEventListener('message', async ({ data }) => postMessage((await load(data)).answer('parse', '{\"aps\":{}}')));\n")
    (installed / "page.mjs").write_text("""
      const start = performance.now();
      const { compile, load } = await import("./node_modules/postrider/postrider.mjs");
      const postrider = await load();
      const first = postrider.parse('{"aps":{"alert":"Hi"}}').notification.body;
      const milliseconds = performance.now() - start;
      const worker = new Worker("worker.mjs", { type: "module" });
      const answered = new Promise((resolve, reject) => { worker.onmessage = resolve; worker.onerror = reject; });
      worker.postMessage(await compile());
      const fromWorker = (await answered).data;
      const lines = (await (await fetch("requests.jsonl")).text()).split("\\n").slice(0, -1).map((line) => JSON.parse(line));
      const answers = lines.map(({ operation, input, options }) => postrider.answer(operation, input, JSON.parse(options)));
      const again = performance.now();
      await load();
      window.result = { first, milliseconds, fromWorker, answers, second: performance.now() - again };
    """)
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=driver_path))
    try:
        times = []
        for _ in range(5):
            driver.get(f"{served}/page.html")
            result = WebDriverWait(driver, 180).until(lambda page: page.execute_script("return window.result"))
            times.append(result["milliseconds"])
        said = [entry["message"] for entry in driver.get_log("browser") if "favicon" not in entry["message"]]
    finally:
        driver.quit()
    assert not said
    assert result["first"] == "Hi" and json.loads(result["fromWorker"])["contract"] == "native"
    assert result["answers"] == list(answers.values())
    print(f"load and first answer in Chromium: {', '.join(f'{time:.0f}' for time in times)} ms; "
          f"a second instance: {result['second']:.1f} ms")
