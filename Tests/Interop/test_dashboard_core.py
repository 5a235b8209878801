"""The composer with the contract core in the page: it previews, reports and writes bytes without a request, as the server does.

`script/core wasm` builds the module; `script/test --interop` runs it first.
"""

import base64
import json
import urllib.parse
import urllib.request

import pytest

from core_vectors import REQUESTS
from test_dashboard import CONTRACTS, REFUSED, Server, page, server, shots  # noqa: F401

# Asked at each change where the page has no core.
ASKED = "return performance.getEntriesByType('resource').filter(one => /\\/v1\\/(render|preview)$/.test(one.name)).length"
RENDERINGS = [request for request in REQUESTS if request.operation == "render" and request.options.get("options", []) == []]


@pytest.fixture(scope="module", autouse=True)
def signed_in(page):  # noqa: F811
    page.labelled("API key").send_keys(page.server.key, "\ue007")
    page.arrive("Overview")
    page.go("compose", "Composer")
    page.wait(lambda: page.run("return document.documentElement.dataset.core") == "module", "the module")


def fill(page, name):  # noqa: F811
    page.composer()
    page.contract(name)
    for field, value in CONTRACTS[name].items():
        page.write(field, value)
    if name == "onesignal":
        page.press("Fill in an example")
    page.wait(lambda: page.says(".badge[role=status]", "valid"), f"{name} is valid")
    page.wait(lambda: len(page.all(".phone img")) == 2, "two phones")


@pytest.mark.parametrize("name", CONTRACTS)
def test_composes_without_a_request(page, server, name):  # noqa: F811
    page.run("performance.clearResourceTimings()")
    fill(page, name)
    page.write("Campaign", f"core-{name}")
    page.wait(lambda: page.says("[data-contract] ~ *, .composer", "Exact bytes"), "the page")
    page.quiet()
    assert page.run(ASKED) == 0
    # What is on the page is what the server says of the same message.
    message = {key: value for key, value in CONTRACTS[name].items()} or {"headings": {"en": "Spring sale"}, "contents": {"en": "20 % off all items, today only."}}
    topic = server.call("GET", "/v1/apps/demo/credentials")
    topic = (topic.get("apns") or topic.get("apns_sandbox"))["topic"]
    body = {"contract": name, "message": message, "topic": topic, "campaign": f"core-{name}"}
    wanted = server.call("POST", "/v1/render", body)
    shown = json.loads(page.wait(lambda: page.run("return document.querySelector('.code').textContent"), "the bytes"))
    assert shown == wanted["apns"]["payload"]
    title = server.call("GET", "/v1/apps/demo").get("title") or "demo"
    drawn = server.call("POST", "/v1/preview", body | {
        "app_name": title[:60], "locales": ["en"], "svg": True, "captions": False, "surfaces": ["lock-screen", "collapsed"],
        "appearance": page.run("return document.documentElement.dataset.theme") or "light"})
    sources = page.run("return [...document.querySelectorAll('.phone img')].map(one => one.src)")
    assert [decoded(source) for source in sources] == [one["svg"] for one in drawn["previews"]]
    page.check_clean(allowed=REFUSED)


def decoded(source):
    head, _, data = source.partition(",")
    return base64.b64decode(data).decode() if head.endswith("base64") else urllib.parse.unquote(data)


def test_every_message_of_the_vectors(page):  # noqa: F811
    """The page's core and the server give the same report and the same bytes, and the same previews."""
    assert len(RENDERINGS) > 500
    cases = [[request.options["contract"], request.text] for request in RENDERINGS]
    for start in range(0, len(cases), 100):
        different = page.driver.execute_async_script("""
          const [cases, done] = arguments;
          (async () => {
            const { load } = await import("/dashboard/postrider.mjs");
            const core = await load(fetch("/dashboard/postrider.wasm"));
            const { apiText } = await import("/dashboard/core.js");
            const different = [];
            const server = async (path, body) => { try { return JSON.parse(await apiText("POST", path, body)); } catch (error) { return { refused: true, report: error.report, message: error.message }; } };
            const same = (name, text, ours, theirs) => {
              if (JSON.stringify(ours) !== JSON.stringify(theirs)) different.push([name, text, JSON.stringify(ours).slice(0, 600), JSON.stringify(theirs).slice(0, 600)]);
            };
            for (const [contract, text] of cases) {
              let message;
              try { message = JSON.parse(text); } catch { continue; }
              if (message === null || typeof message !== "object" || Array.isArray(message)) continue;
              const seconds = () => Math.floor(Date.now() / 1000), input = JSON.stringify(message), topic = "com.example.app";
              // An expiration is the sum of a time to live and the second in which it is asked for.
              const written = (now) => JSON.parse(core.answer("render", input, { contract, topic, now }));
              let now = seconds();
              const theirs = await server("/v1/render", { contract, topic, message });
              while (now < seconds() && JSON.stringify(written(now).apns) !== JSON.stringify(theirs.apns)) now++;
              const ours = written(now);
              same("report", text, ours.report, theirs.report);
              if (!theirs.refused) same("bytes", text, [ours.apns, ours.fcm], [theirs.apns, theirs.fcm]);
              const drawn = { contract, topic, locales: ["de", "ar"], svg: true, captions: false };
              const seen = (now) => JSON.parse(core.answer("preview", input, { ...drawn, now, form: "message" }));
              now = seconds();
              const asked = await server("/v1/preview", { ...drawn, message });
              while (now < seconds() && JSON.stringify(seen(now)) !== JSON.stringify(asked)) now++;
              const shown = seen(now);
              same("preview report", text, shown.report, asked.report);
              if (!asked.refused) same("previews", text, shown.previews, asked.previews);
            }
            return different;
          })().then(done, (error) => done(String(error)));
        """, cases[start:start + 100])
        assert different == [], different if isinstance(different, str) else different[:3]


def test_the_module_answers_while_the_server_is_gone(page, tmp_path):  # noqa: F811
    """What is typed while the server is away is still previewed: nothing of it needs the server."""
    fill(page, "amba")
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/v1/render", "*/v1/preview"]})
    try:
        page.write("body", "Typed without a server.")
        page.wait(lambda: page.says(".code", "Typed without a server."), "the bytes")
        page.wait(lambda: any("Typed without a server." in (one.get_attribute("alt") or "") for one in page.all(".phone img")), "the phone")
        page.write("body", "x" * 5000)
        page.wait(lambda: page.says(".badge[role=status]", "error"), "the report")
    finally:
        page.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    page.start_over()


def test_only_the_module_may_be_compiled(server):  # noqa: F811
    with urllib.request.urlopen(server.origin + "/") as answer:
        policy = answer.headers["Content-Security-Policy"]
    assert "script-src 'self' 'wasm-unsafe-eval';" in policy
    assert policy.count("unsafe") == 1 and "require-trusted-types-for 'script'" in policy


def test_without_a_module_the_server_answers(tmp_path, page):  # noqa: F811
    started = Server(tmp_path, module=False)
    try:
        with urllib.request.urlopen(started.origin + "/dashboard/postrider.wasm") as answer:
            assert answer.status == 204
        with urllib.request.urlopen(started.origin + "/") as answer:
            assert "unsafe" not in answer.headers["Content-Security-Policy"]
        page.driver.get(started.origin + "/")
        page.labelled("API key").send_keys(started.key, "\ue007")
        page.arrive("Overview")
        fill(page, "amba")
        page.wait(lambda: page.run("return document.documentElement.dataset.core") == "server", "the server")
        assert page.run(ASKED) > 1
        # Before the sign-in there is no session, which is an error of the network to the browser.
        page.check_console(allowed=[*REFUSED, "/session - Failed to load resource"])
    finally:
        started.process.terminate()
        started.process.wait(timeout=30)
