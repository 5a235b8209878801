"""Before a push starts and after it: a wait with a Stop button, a second person's approval, finding, comparing, planning.

Runs in headless Chromium against `postrider serve --demo`, as test_dashboard.py does.
"""

import datetime

import pytest

from test_dashboard import REFUSED, By, Keys, page, server, shots  # noqa: F401

PUSHES = "/v1/apps/demo/pushes"
MESSAGE = {"title": "Spring sale", "body": "Half price"}


@pytest.fixture(scope="module", autouse=True)
def signed_in(page):  # noqa: F811
    page.labelled("API key").send_keys(page.server.key, Keys.ENTER)
    page.arrive("Overview")


@pytest.fixture(scope="module")
def writer(server):  # noqa: F811
    return server.call("POST", "/v1/keys", {"name": "Ann", "scopes": ["send"]})["key"]


def make(server, key=None, **more):  # noqa: F811
    return server.call("POST", PUSHES, {"to": {"all": True}, "message": MESSAGE, "campaign": "care", **more}, key=key)["id"]


def test_counts_down_and_stops_a_campaign_before_anything_is_sent(page, server):  # noqa: F811
    made = make(server, undo_seconds=600)
    page.go(f"pushes/{made}", "care")
    page.wait(lambda: page.says(".undo", "Starts in"), "the countdown")
    first = int(page.text(".undo .count").split()[0])
    assert 500 < first <= 600
    page.wait(lambda: int(page.text(".undo .count").split()[0]) < first, "a second less")
    page.look("20-undo", full=True)
    page.press("Stop", ".undo")
    page.wait(lambda: page.says("main", "Stopped before it started"), "the end")
    push = server.call("GET", f"{PUSHES}/{made}")
    assert push["state"] == "cancelled" and set(push["counts"].values()) == {0}
    assert not page.all(".undo")
    page.check_clean()


def test_a_campaign_from_the_composer_waits(page, server):  # noqa: F811
    server.call("PATCH", "/v1/apps/demo", {"undo_seconds": 600})
    try:
        draft = make(server, draft=True)
        page.go(f"pushes/{draft}", "care")
        page.press("Send now")
        page.press("Send it", "dialog")
        page.wait(lambda: page.all(".undo"), "the countdown")
        page.press("Do not wait", ".undo")
        page.wait(lambda: not page.all(".undo"), "its start")
        assert server.call("GET", f"{PUSHES}/{draft}")["state"] in ("sending", "sent")
    finally:
        server.call("PATCH", "/v1/apps/demo", {"undo_seconds": 0})
    page.check_clean()


def test_approves_what_somebody_else_wrote(page, server, writer):  # noqa: F811
    page.go("rules", "Rules")
    page.wait(lambda: page.says("main", "Before a campaign starts"), "the card")
    page.run("[...document.querySelectorAll('.card')].find(one => one.textContent.includes('Before a campaign starts')).querySelector('button').click()")
    page.wait(lambda: page.all("dialog[open]"), "the dialog")
    page.write("Devices above which a second person approves", "0")
    page.press("Save", "dialog")
    page.wait(lambda: page.says("main", "above 0 devices"), "the rule")
    try:
        made = make(server, key=writer)
        page.go("pushes", "Pushes")
        page.wait(lambda: page.says("main", "Waiting for approval"), "the list")
        assert page.says("main", "Ann")
        page.look("21-approvals", full=True)
        page.go(f"pushes/{made}", "care")
        page.wait(lambda: page.says("[aria-label=Approval]", "waits for an approval"), "the question")
        page.press("Approve", "[aria-label=Approval]")
        page.press("Approve it", "dialog")
        page.wait(lambda: page.says("[aria-label=Approval]", "approved"), "the decision")
        page.wait(lambda: server.call("GET", f"{PUSHES}/{made}")["state"] in ("sending", "sent"), "its start")
        declined = make(server, key=writer)
        page.go(f"pushes/{declined}", "care")
        page.wait(lambda: page.all("[aria-label=Approval]"), "the question")
        page.press("Decline", "[aria-label=Approval]")
        page.write("Why", "last year's price")
        page.press("Decline it", "dialog")
        page.wait(lambda: page.says("[aria-label=Approval]", "last year's price"), "the reason")
        own = make(server)
        page.go(f"pushes/{own}", "care")
        page.wait(lambda: page.all("[aria-label=Approval]"), "the question")
        page.press("Approve", "[aria-label=Approval]")
        page.press("Approve it", "dialog")
        page.wait(lambda: page.says("#toasts", "somebody else"), "the refusal")
        server.call("POST", f"{PUSHES}/{own}/cancel")
    finally:
        server.call("PATCH", "/v1/apps/demo", {"approval": None})
    page.check_clean(allowed=[*REFUSED, "/approve - Failed to load resource"])


def test_finds_keeps_a_view_and_compares(page, server):  # noqa: F811
    found = [make(server, message={"title": f"Unmistakable {number}", "body": "B"}) for number in range(2)]
    page.go("pushes", "Pushes")
    box = page.wait(lambda: page.one("input[name=query]"), "the search")
    box.send_keys("unMISTAKABLE", Keys.ENTER)
    page.wait(lambda: len(page.all("tbody tr")) == 2, "what was found")
    page.press("Save this view")
    page.write("Name", "Unmistakable ones")
    page.press("Save", "dialog")
    page.wait(lambda: page.says("main", "saved views"), "the view")
    page.go("pushes", "Pushes")
    page.wait(lambda: len(page.all("tbody tr")) > 2, "all of them")
    page.run("const one = document.querySelector('[aria-label=\"Saved view\"]'); one.value = 'Unmistakable ones'; one.dispatchEvent(new Event('change'))")
    page.wait(lambda: len(page.all("tbody tr")) == 2, "the view's pushes")
    for box in page.all("tbody input[type=checkbox]"):
        box.click()
    page.look("22-found", full=True)
    assert page.run("return [...document.querySelectorAll('a')].find(one => one.textContent === 'Export CSV').href").endswith(",".join(reversed(found)))
    page.run("[...document.querySelectorAll('a')].find(one => one.textContent === 'Compare 2').click()")
    page.wait(lambda: page.says("h1", "Compare pushes") and page.says("main", "Opened of accepted"), "both")
    assert page.says("main", "Unmistakable 0") and page.says("main", "Unmistakable 1")
    page.look("23-compare", full=True)
    page.go(f"pushes/{found[0]}", "care")
    page.wait(lambda: page.says(".said", "Unmistakable 0"), "what it said, first")
    page.check_clean()


def test_plans_and_tells_what_happened(page, server):  # noqa: F811
    when = (datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M:%SZ")
    planned = make(server, send_at=when, message={"title": "Planned one", "body": "B"})
    page.go("calendar", "Calendar")
    page.wait(lambda: page.says("main", "Planned one"), "the entry")
    page.look("24-calendar", full=True)
    page.size(390, 844, mobile=True)
    try:
        assert page.run("return document.documentElement.scrollWidth") <= 390
        page.look("24-calendar-small", full=True)
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    server.call("POST", f"{PUSHES}/{planned}/cancel")
    server.call("POST", "/v1/apps/demo/devices", {"type": "ios", "token": f"{4711:064x}", "user": "timeline"})
    server.call("POST", PUSHES, {"to": {"users": ["timeline"]}, "message": {"title": "For the timeline", "body": "B"}})
    page.go("users/timeline", "timeline")
    page.wait(lambda: page.says("main", "For the timeline") and page.says("main", "registered for the first time"), "what happened")
    page.look("25-timeline", full=True)
    page.check_clean()
