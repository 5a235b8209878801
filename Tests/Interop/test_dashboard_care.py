"""Before a push starts and after it: a wait with a Stop button, a second person's approval, finding, comparing, planning.

Runs in headless Chromium against `postrider serve --demo`, as test_dashboard.py does.
"""

import datetime
import urllib.parse

import pytest
from selenium.webdriver.support.ui import Select

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
        page.press("Start now", ".undo")
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


def test_filters_the_audit_log_by_clicks(page, server):  # noqa: F811
    """Each filter is chosen as a person does: address, rows and count follow, and the control keeps its place and the focus."""
    machine = server.call("POST", "/v1/keys", {"name": "night job", "scopes": ["admin"]})
    for name in ["one", "two", "three"]:
        server.call("PUT", f"/v1/apps/demo/templates/{name}", {"message": MESSAGE}, key=machine["key"])
    server.call("PUT", "/v1/apps/demo/retention", {"deliveries_days": 30})
    page.go("audit", "Audit")
    first = page.one("main select[aria-label=Who]")

    def shows(**query):
        """The list is that of the API for the filters, all of it; returns how many rows it has."""
        params = {name: value for name, value in query.items() if name not in ("on", "who")}
        if "who" in query:
            kind, params["key"] = query["who"].split(":")
            assert kind == "key"
        path = "/v1/apps/demo/audit" if query.get("on") else "/v1/audit"
        wanted = [one["request_id"] for one in server.call("GET", f"{path}?limit=1000&{urllib.parse.urlencode(params)}")["acts"]]
        address = page.run("return location.hash").partition("/find/")[2]
        assert dict(urllib.parse.parse_qsl(urllib.parse.unquote(address))) == query
        rows = lambda: page.run("return [...document.querySelectorAll('main tbody tr')].map(row => row.cells[5].textContent)")  # noqa: E731
        page.wait(lambda: rows() == wanted[:50], f"the rows for {query}")
        said = f"The newest {len(rows())};" if len(wanted) > 50 else f"{len(wanted)} {'entry' if len(wanted) == 1 else 'entries'}."
        page.wait(lambda: page.says("main [role=status]", said), said)
        return len(wanted)

    def choose(label, text):
        control = page.one(f"main select[aria-label='{label}']")
        control.click()
        Select(control).select_by_visible_text(text)
        page.quiet()
        return control

    everything = shows()
    choose("Who", "Key night job")
    assert shows(who=f"key:{machine['id']}") == 3
    choose("What", "Save template")
    assert shows(who=f"key:{machine['id']}", act="saveTemplate") == 3
    choose("Who", "by anyone")
    assert shows(act="saveTemplate") == 3
    choose("Which", "On demo")
    assert shows(on="app", act="saveTemplate") == 3
    # The way back leads through what was chosen, and the controls say so.
    page.driver.back()
    page.quiet()
    assert shows(act="saveTemplate") == 3 and page.one("main select[aria-label=Which]").get_property("value") == ""
    page.press("All", "main")
    page.quiet()
    assert shows() == everything and page.one("main select[aria-label=What]").get_property("value") == ""
    assert not page.buttons("All", "main")

    # A date that is typed, digit by digit: a year that is half typed is no filter, and the field keeps the focus.
    until = page.one("main input[aria-label='Before this day']")
    until.send_keys("01022020")
    page.wait(lambda: page.says("main", "No entry matches."), "no act that early")
    assert page.run("return document.activeElement === arguments[0]", until) and until.get_property("value") == "2020-01-02"
    assert "until=2020-01-02" in urllib.parse.unquote(page.run("return location.hash"))
    page.press("All", "main")
    page.one("main input[aria-label='On this day or later']").send_keys("01022020")
    page.wait(lambda: "from=2020-01-02" in urllib.parse.unquote(page.run("return location.hash")), "the address")
    page.quiet()
    assert page.run("return document.querySelectorAll('main tbody tr').length") == min(everything, 50)
    # All of this was one page, which was never drawn anew.
    assert first.is_displayed()
    page.check_clean()
