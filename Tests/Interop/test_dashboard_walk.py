"""A walk through every page of the dashboard as on a desk and as on a phone, light and dark.

No page is wider than the screen and no table is cut, what is pressed on a phone has the size of a finger, axe-core finds nothing, and
the scripts are small. How soon the first view is painted is reported, and not asserted: it depends on the machine.
"""

import gzip
import json
import re

import pytest

from test_dashboard import Keys, page, server, shots  # noqa: F401

SIZES = {"desk": (1440, 900, False), "phone": (390, 844, True)}
SCRIPTS_MAX = 120_000
STEPS = ["message", "audience", "time", "review"]
# What stands in the sentence around it has the height of the line, and what is drawn over by its label the label's.
SMALL = """
  const isInText = (one) => one.matches('a') && one.parentElement.matches('p:not(.hint), h1, h2, h3, strong, .empty p');
  return [...document.querySelectorAll('main a, main button, main select, main summary, main input:not([type=checkbox]):not([type=radio]):not([type=hidden]), main label.check, main .segments label, main label.choice, .menu')]
    .filter(one => one.checkVisibility() && one.getClientRects().length && !one.matches('.unseen, .skip') && !isInText(one))
    .map(one => [one, one.getBoundingClientRect()]).filter(([one, box]) => box.height < 43.5 || box.width < 43.5)
    .map(([one, box]) => `${Math.round(box.width)} x ${Math.round(box.height)}: ${one.outerHTML.slice(0, 120)}`);
"""
WIDE = """
  return [...document.querySelectorAll('main *')].filter(one => one.checkVisibility() && one.getClientRects().length
    && (one.getBoundingClientRect().right > innerWidth + 1 || one.getBoundingClientRect().left < -1) && !one.closest('.code, .items, .paths, .unseen, svg, thead'))
    .map(one => one.outerHTML.slice(0, 160));
"""
# Cells that a reader cannot see whole: wider than the screen, or than the region that scrolls.
CUT = """
  return [...document.querySelectorAll('main td')].filter(one => one.checkVisibility() && one.getClientRects().length && one.getBoundingClientRect().right > innerWidth + 1)
    .map(one => one.outerHTML.slice(0, 160));
"""
# Words of what is pressed, of labels and badges that are broken in the middle, over two lines.
BROKEN = """
  const found = [];
  for (const one of document.querySelectorAll('main button, main .button, main label, main legend, main .badge, main h2, main h3, nav a')) {
    if (!one.checkVisibility()) continue;
    const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) for (const word of walker.currentNode.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const range = document.createRange();
      range.setStart(walker.currentNode, word.index);
      range.setEnd(walker.currentNode, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) found.push(`${word[0]}: ${one.outerHTML.slice(0, 100)}`);
    }
  }
  return found;
"""


@pytest.fixture(scope="module")
def pages(page, server):  # noqa: F811
    page.labelled("API key").send_keys(server.key, Keys.ENTER)
    page.arrive("Overview")
    return pages_of(page, server)


def pages_of(page, server):  # noqa: F811
    """The addresses of all pages, in an app in which every page has something to show."""
    call = lambda method, path, body=None: server.call(method, f"/v1/apps/demo{path}", body)  # noqa: E731
    long = "A name that is longer than a phone is wide, and then some words"
    call("PATCH", "/users/alice", {"display_name": long, "email": "alice@example.com", "properties": {"plan": "pro", "note": long}, "tags": ["first", "second", "third"], "aliases": {"crm": "crm-4711"}})
    call("POST", "/users/alice/inbox", {"title": long, "body": long})
    call("POST", "/segments", {"name": "pro", "title": long, "filter": {"field": "platform", "op": "eq", "value": "ios"}})
    message = {"title": "Spring is here", "body": long}
    call("PUT", "/templates/spring", {"message": message, "locales": {"de": {"title": "Frühling", "body": "Da"}}, "variants": [{"name": "B", "share": 50, "message": message}]})
    push = call("POST", "/pushes", {"to": {"all": True}, "campaign": "spring-is-here-and-everything-is-green", "message": message})["id"]
    draft = call("POST", "/pushes", {"to": {"users": ["alice"]}, "draft": True, "message": message})["id"]
    failed = call("POST", "/devices", {"type": "ios", "token": "dead" + "0" * 60, "user": "gone"})["id"]
    schedule = call("POST", "/schedules", {"to": {"all": True}, "campaign": "mornings", "message": message, "repeat": {"every": "day", "start": "2031-01-01T09:00:00", "timezone": "Europe/Vienna"}})["id"]
    channel = call("POST", "/channels", {"name": "match-17"})["id"]
    call("POST", f"/channels/{channel}/broadcasts", {"event": "update", "content_state": {"home": 2}})
    call("POST", "/devices", {"type": "ios-live-activity-start", "token": "5b" * 40, "user": "ann"})
    call("POST", "/activities", {"id": "order-17", "to": {"user": "ann"}, "attributes_type": "Order", "attributes": {}, "content_state": {}, "alert": {"title": "T", "body": "B"}})
    # Ann is invited and has not joined, so that everything that can be done with an invitation is there.
    for name, roles in [("Olga", ["owner"]), ("Ann", ["sender:demo"])]:
        server.call("POST", "/v1/people", {"name": name, "email": f"{name.lower()}@example.com", "roles": roles})
    page.wait(lambda: "finished_at" in call("GET", f"/pushes/{push}"), "the push")
    return ["overview", *[f"compose/{step}" for step in STEPS], "compose/template/spring", "pushes", f"pushes/{push}", f"pushes/{draft}", "schedules", f"schedules/{schedule}",
            "activities", "activities/order-17", "channels", f"channels/{channel}", "templates", "templates/spring", "deliveries", "devices", f"devices/{failed}", "users", "users/alice",
            "segments", "segments/new", "segments/pro", "lab", "apps", "credentials", "rules", "identity", "shadow", "webhooks", "keys", "audit", "team"]


def test_every_page_fits_and_is_accessible(page, pages):  # noqa: F811
    wrong = []
    for size, (width, height, mobile) in SIZES.items():
        page.size(width, height, mobile)
        for rest in pages:
            page.go(rest, "")
            for theme in ["light", "dark"]:
                page.run("document.documentElement.dataset.theme = arguments[0]; dispatchEvent(new Event('theme'))", theme)
                page.quiet()
                where = f"{rest}, {size}, {theme}"
                page.check_accessibility(where)
                if theme == "light":
                    if page.run("return document.documentElement.scrollWidth") > width:
                        wrong.append((where, "wider than the screen", page.run(WIDE)[:3]))
                    if mobile:
                        wrong += [(where, name, found[:4]) for name, found in [("wide", page.run(WIDE)), ("cut", page.run(CUT)), ("small", page.run(SMALL)), ("broken", page.run(BROKEN))] if found]
                page.driver.save_screenshot(str(page.shots / f"30-{rest.replace('/', '-')}-{size}-{theme}.png"))
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert wrong == [], json.dumps(wrong, indent=1)
    page.check_clean(allowed=["pushes/check - Failed to load resource"])


def test_all_pages_and_the_way_out_are_in_sight(page, pages):  # noqa: F811
    """In a usual window nothing of the side is below the edge; in a low one the pages are scrolled and the rest stays."""
    seen = """
      const [side, nav] = [document.querySelector('aside.side'), document.querySelector('aside nav')];
      return { side: side.scrollHeight - side.clientHeight, nav: nav.scrollHeight - nav.clientHeight, out: innerHeight - document.querySelector('.foot').getBoundingClientRect().bottom,
        smallest: Math.min(...[...nav.querySelectorAll('a')].map(one => one.getBoundingClientRect().height)), links: nav.querySelectorAll('a').length };
    """
    page.go("overview", "Overview")
    page.size(1440, 900, False)
    page.quiet()
    usual = page.run(seen)
    assert usual["links"] >= 22 and usual["smallest"] >= 24
    assert usual["side"] <= 0 and usual["nav"] <= 0 and usual["out"] >= 0, usual
    page.look("30-side")
    page.size(1440, 600, False)
    page.quiet()
    low = page.run(seen)
    assert low["side"] <= 0 and low["nav"] > 0 and low["out"] >= 0, low
    # The shadow where there is more: two gradients that move with the content lie over two that stay.
    assert page.run("return getComputedStyle(document.querySelector('aside nav')).backgroundAttachment").startswith("local, local, scroll, scroll")
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_sends_of_activities_and_channels_have_the_pushes_short_number(page, server, pages):  # noqa: F811
    channel = next(one for one in pages if one.startswith("channels/"))
    for rest, path, member in [("activities/order-17", "/activities/order-17", "sends"), (channel, f"/{channel}/broadcasts", "broadcasts")]:
        one = server.call("GET", f"/v1/apps/demo{path}")[member][0]
        page.go(rest, "")
        page.wait(lambda: page.find_link(f"Push {one['number']}"), f"the push of {rest}")
        assert one["number"] < 1000 and page.find_link(f"Push {one['number']}").get_attribute("href").endswith(f"/pushes/{one['id']}")


def test_times_to_come_are_by_both_clocks(page, server, pages):  # noqa: F811
    """The reader's clock, and beside it the app's where that shows another time."""
    server.call("PUT", "/v1/apps/demo/suppression", {"quiet_hours": {"from": "02:00", "to": "02:01", "timezone": "Asia/Tokyo"}})
    push = server.call("POST", "/v1/apps/demo/pushes", {"to": {"users": ["alice"]}, "send_at": "2031-05-01T09:00:00Z", "contract": "native", "message": {"title": "Later", "body": "B"}})["id"]
    schedule = next(one for one in pages if one.startswith("schedules/"))
    there = {f"pushes/{push}": "Thu, May 1, 18:00 in Asia/Tokyo", "pushes": "Thu, May 1, 18:00 in Asia/Tokyo", "calendar/2031-05": "Thu, May 1, 18:00 in Asia/Tokyo",
             "schedules": "Wed, Jan 1, 17:00 in Asia/Tokyo", schedule: "Wed, Jan 1, 17:00 in Asia/Tokyo"}
    for rest, text in there.items():
        page.go(rest, "")
        page.wait(lambda: page.says("main", text), f"{text} on {rest}")
    # The reader's own zone says nothing anew.
    server.call("PUT", "/v1/apps/demo/suppression", {"quiet_hours": {"from": "02:00", "to": "02:01", "timezone": page.run("return Intl.DateTimeFormat().resolvedOptions().timeZone")}})
    page.go(f"pushes/{push}", "")
    page.wait(lambda: page.says("main", "starts "), "the push")
    page.quiet()
    assert " in " not in page.text("main .row")
    server.call("PUT", "/v1/apps/demo/suppression", {"quiet_hours": None})
    server.call("DELETE", f"/v1/apps/demo/pushes/{push}")


def test_the_month_an_approval_and_a_comparison_show_both_clocks(page, server, pages):  # noqa: F811
    zone = page.run("return Intl.DateTimeFormat().resolvedOptions().timeZone")
    assert zone == "UTC"
    server.call("PUT", "/v1/apps/demo/suppression", {"quiet_hours": {"from": "02:00", "to": "02:01", "timezone": "Asia/Tokyo"}})
    plan = lambda at, who="alice": server.call("POST", "/v1/apps/demo/pushes", {"to": {"users": [who]}, "send_at": at, "contract": "native", "message": {"title": "Later", "body": "B"}})["id"]  # noqa: E731
    planned = [plan("2031-05-01T09:00:00Z"), plan("2031-05-02T20:30:00Z")]
    page.driver.set_window_size(1440, 900)
    page.go("calendar/2031-05", "Calendar")
    page.wait(lambda: page.says(".month", "09:00 (18:00)"), "the app's clock beside the reader's")
    assert "20:30 (Sat 05:30)" in page.text(".month"), page.text(".month")
    # A push that waits for a second person.
    server.call("PATCH", "/v1/apps/demo", {"approval": {"above_devices": 1}})
    waiting = server.call("POST", "/v1/apps/demo/pushes", {"to": {"all": True}, "contract": "native", "message": {"title": "T", "body": "B"}})["id"]
    server.call("PATCH", "/v1/apps/demo", {"approval": None})
    for rest in [f"pushes/{waiting}", "pushes"]:
        page.go(rest, "")
        page.wait(lambda: page.says("main", "in Asia/Tokyo"), f"both clocks on {rest}")
    server.call("POST", f"/v1/apps/demo/pushes/{waiting}/cancel")
    sent = [one["id"] for one in server.call("GET", "/v1/apps/demo/pushes?state=sent")["pushes"]][:2]
    page.go(f"pushes/compare/{','.join(sent)}", "Compare")
    page.wait(lambda: page.text("main").count("in Asia/Tokyo") == 2, "when both started")
    server.call("PUT", "/v1/apps/demo/suppression", {"quiet_hours": None})
    for id in planned:
        server.call("DELETE", f"/v1/apps/demo/pushes/{id}")


def test_deliveries_name_the_number_of_their_push(page, server, pages):  # noqa: F811
    one = server.call("GET", "/v1/apps/demo/deliveries?user=alice")["deliveries"][0]
    for rest in ["users/alice", f"devices/{one['device']}"]:
        page.go(rest, "")
        link = page.wait(lambda: page.find_link(f"Push {one['push_number']}"), f"the push on {rest}")
        assert link.get_attribute("href").endswith(f"/pushes/{one['push']}")
    # The id is on the push's own page.
    page.go(f"pushes/{one['push']}", "")
    page.wait(lambda: page.says("main", f"id {one['push']}"), "the id")


def test_a_long_audit_log_comes_in_pages(page, server, pages):  # noqa: F811
    for number in range(60):
        server.call("PUT", "/v1/apps/demo/retention", {"deliveries_days": 30 + number})
    server.call("PUT", "/v1/apps/demo/retention", {"deliveries_days": None})
    whole = server.call("GET", "/v1/apps/demo/audit?act=putAppRetention&limit=1000")["acts"]
    assert 50 < len(whole) <= 100
    page.go("audit/find/act%3DputAppRetention", "Audit")
    page.wait(lambda: page.says("main [role=status]", "The newest 50;"), "a page")
    page.press("Show more")
    page.wait(lambda: page.says("main [role=status]", f"{len(whole)} entries."), "all of them")
    assert page.run("return document.querySelectorAll('main tbody tr').length") == len(whole)


def test_the_exact_bytes_of_other_devices(page, server, pages):  # noqa: F811
    page.compose("Hello bytes", "For everyone", contract="native")
    chosen = lambda: page.run("return [...document.querySelectorAll('[aria-label=Provider] label')].map(one => one.textContent)")  # noqa: E731
    # Those that the app has credentials or devices for; the others when they are asked for.
    assert chosen() == ["APNs", "FCM", "Web push", "Push Kit"]
    page.press("Other devices")
    assert chosen() == ["APNs", "FCM", "Web push", "Push Kit", "iPhone (FCM)", "Browser (FCM)"]
    written = {"web": lambda all: all["web"]["payload"], "hms": lambda all: all["hms"], "fcm-ios": lambda all: all["fcm-ios"]["message"], "fcm-web": lambda all: all["fcm-web"]["message"],
               "fcm": lambda all: all["fcm"]["message"], "apns": lambda all: all["apns"]["payload"]}
    body = {"contract": "native", "message": {"title": "Hello bytes", "body": "For everyone"}, "platforms": ["ios", "android", "web", "hms", "fcm-ios", "fcm-web"]}
    rendered = server.call("POST", "/v1/render", body)
    for name, part in written.items():
        page.run("document.querySelector(`[aria-label=Provider] input[value='${arguments[0]}']`).click()", name)
        wanted = part(rendered)
        page.wait(lambda: json.loads(page.run("return document.querySelector('.code')?.textContent ?? 'null'")) == wanted, f"the bytes of {name}")
        assert page.says(".gauge", "of 3,964 bytes" if name == "web" else "of 4,096 bytes"), name
    page.start_over()


def test_scripts_are_small_when_compressed(page, server):  # noqa: F811
    """Every script that any page loads, without the contract core's module."""
    import urllib.request

    fetch = lambda path: urllib.request.urlopen(server.origin + path, timeout=60).read()  # noqa: E731
    found, left = {}, ["/dashboard/app.js"]
    while left:
        path = left.pop()
        if path in found:
            continue
        found[path] = fetch(path)
        left += [f"/dashboard/{name}" for name in re.findall(r'(?:from |import\()"\./([a-z]+\.m?js)"', found[path].decode())]
    sizes = {path: len(gzip.compress(text, 9)) for path, text in found.items()}
    print(f"scripts: {sum(sizes.values())} bytes compressed in {len(sizes)} files")
    assert len(sizes) > 20
    assert sum(sizes.values()) <= SCRIPTS_MAX, sizes


def test_reports_when_the_first_view_is_painted(page, server):  # noqa: F811
    page.driver.get(server.origin + "/")
    page.wait(lambda: page.run("return performance.getEntriesByName('first-contentful-paint').length"), "the first paint")
    first = page.run("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
    print(f"first contentful paint after {first:.0f} ms")
    page.arrive("Overview")


# MARK: The composer

def fresh(page, rest="compose"):  # noqa: F811
    page.composer(rest, "")
    page.wait(lambda: page.all("[data-contract]"), "the fields")
    page.quiet()


def current(page):  # noqa: F811
    return page.run("return document.querySelector('.steps [aria-current=step]').dataset.step")


def test_goes_from_step_to_step_by_address_and_button(page, pages):  # noqa: F811
    fresh(page)
    assert [page.text(f".steps a[data-step={step}]").split()[-1] for step in STEPS] == ["Message", "Audience", "Time", "Review"]
    for step in STEPS:
        page.go(f"compose/{step}", "Composer")
        assert current(page) == step
        assert [one.text for one in page.all(".composer h2") if one.is_displayed()][0] == step.capitalize()
    page.driver.back()
    page.wait(lambda: current(page) == "time", "the step before")
    page.go("compose", "Composer")
    for step in STEPS[1:]:
        page.press(f"Next: {step}")
        page.wait(lambda: current(page) == step, step)
    page.press("Back", ".step-end")
    page.wait(lambda: current(page) == "time", "one back")
    # What is wrong is counted beside its step, wherever one is, and listed in the review with the way there.
    page.write("To", "users")
    page.write("When to send", "at")
    page.write("When", "2020-01-01T09:00")
    page.wait(lambda: page.says(".steps a[data-step=audience] .badge", "1 problem"), "beside the audience")
    page.wait(lambda: page.says(".steps a[data-step=time] .badge", "1 problem"), "beside the time")
    page.step("review")
    assert "Audience: Users: name at least one" in page.text(".composer") and "Time: When: this time has passed" in page.text(".composer")
    page.look("31-problems")
    page.run("[...document.querySelectorAll('.composer .plain a')].find(one => one.textContent === 'Audience').click()")
    page.wait(lambda: current(page) == "audience", "the way there")


def test_names_fields_for_people_and_opens_the_common_ones(page, pages):  # noqa: F811
    fresh(page)
    page.contract("native")
    open_fields = lambda: page.run("return [...document.querySelectorAll('[data-contract] label[data-field]')].filter(one => one.checkVisibility()).map(one => one.dataset.field)")  # noqa: E731
    assert open_fields() == ["title", "body", "image", "badge", "data"]
    assert page.run("return [...document.querySelectorAll('.field-group legend')].map(one => one.innerText.toLowerCase())") == ["text", "media", "actions", "behavior", "data"]
    assert page.run("return document.querySelector('label[data-field=badge]').innerText.replace(/\\s+/g, ' ')") == "Number on the icon badge"
    # The contract is behind a link: the app has one.
    assert not page.one(".contract").get_attribute("open")
    title = page.labelled("title")
    assert (title.get_attribute("spellcheck"), page.labelled("data").get_attribute("spellcheck")) == ("true", "false")
    page.write("title", "Spring")
    page.press("Add a language")
    assert page.run("return [...document.querySelector('dialog select').options].some(one => one.textContent === 'German' && one.value === 'de')")
    assert page.run("return [...document.querySelectorAll('dialog optgroup')].at(-1).label") == "All languages"
    page.look("31-languages")
    page.choose_language("de")
    page.press("Add it", "dialog")
    page.wait(lambda: page.says("[role=tab][aria-selected=true]", "German"), "its tab")
    assert page.labelled("title").get_attribute("lang") == "de"


def test_asks_for_the_contract_once(page, server, pages):  # noqa: F811
    """Only an app that has none is asked, and the answer is its setting from then on."""
    server.call("POST", "/v1/apps", {"name": "plain"})
    page.run("location.hash = '#/plain/compose'")
    page.wait(lambda: page.all("[data-contract]"), "the fields")
    page.quiet()
    assert page.one(".contract").get_attribute("open")
    page.contract("imkit")
    page.press("Set imkit for this app")
    page.wait(lambda: server.call("GET", "/v1/apps/plain").get("contract") == "imkit", "the setting")
    page.driver.refresh()
    page.arrive("Composer")
    assert not page.one(".contract").get_attribute("open") and page.says(".contract", "Payloads for imkit")
    page.go("overview", "Overview")
    page.check_console(allowed=["pushes/check - Failed", "/v1/render - Failed", "/v1/preview - Failed", "/session - Failed"])


def test_shows_each_version_as_a_tab_and_marks_what_is_missing(page, pages):  # noqa: F811
    fresh(page)
    page.contract("native")
    page.write("title", "Spring is here")
    page.write("body", "Come and see.")
    page.press("Add a language")
    page.choose_language("de")
    page.press("Add it", "dialog")
    page.wait(lambda: page.says("[role=tab][aria-selected=true]", "German"), "its tab")
    page.write("title", "Der Frühling ist da")
    page.write("body", "")
    page.wait(lambda: any("Der Frühling ist da" in (one.get_attribute("alt") or "") for one in page.all(".phone img")), "its own preview")
    page.press("Add a variant")
    page.press("Add it", "dialog")
    page.wait(lambda: page.says("[role=tab][aria-selected=true]", "B 50 %"), "the variant's tab")
    tabs = lambda: [one.text.replace("\n", " ") for one in page.all("[role=tab]")]  # noqa: E731
    assert tabs() == ["Message", "German 1 text missing", "B 50 %", "B: German missing"]
    # By keyboard, each with its own preview; where a translation is missing it is what devices in that language get.
    page.write("title", "20 % off")
    page.run("document.querySelector('[role=tab][aria-selected=true]').focus()")
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    page.wait(lambda: page.says("[role=tab][aria-selected=true]", "B: German"), "the next tab")
    page.wait(lambda: any("20 % off" in (one.get_attribute("alt") or "") for one in page.all(".phone img")), "what is sent instead")
    page.look("31-tabs", full=True)
    page.press("Start from the message")
    page.wait(lambda: not page.says("[role=tab][aria-selected=true]", "missing"), "it is there")
    page.step("review")
    assert "German" in page.text(".composer") and "20 % off" in page.text(".composer")


def test_puts_an_emoji_where_the_text_is_edited(page, pages):  # noqa: F811
    fresh(page)
    page.contract("native")
    page.write("title", "Hello world")
    page.run("const box = document.querySelector('label[data-field=title]').control; box.focus(); box.setSelectionRange(5, 5)")
    page.wait(lambda: page.click("[aria-label='Emoji for Title']"), "the picker")
    page.one("dialog input[type=search]").send_keys("celebrate")
    page.wait(lambda: len(page.all("dialog .emoji")) == 1, "one found")
    page.look("31-emoji")
    page.wait(lambda: page.click("dialog .emoji"), "the emoji")
    page.wait(lambda: page.labelled("title").get_property("value") == "Hello🎉 world", "the text")
    page.wait(lambda: page.says(".code", "Hello🎉 world"), "the bytes")


def test_keeps_what_was_typed_through_reload_sign_out_and_the_end_of_a_session(page, server, pages):  # noqa: F811
    fresh(page)
    page.contract("native")
    page.write("title", "Not lost")
    page.write("data", '{"broken": ')
    page.write("Campaign", "kept")
    page.write("To", "users")
    page.write("Users", "alice")
    page.write("When to send", "at")
    page.write("When", "2031-05-01T09:00")
    page.quiet()
    shown = lambda: [page.labelled(name).get_property("value") for name in ["title", "data", "Campaign", "To", "Users", "When to send", "When"]]  # noqa: E731
    typed = shown()
    page.driver.refresh()
    page.arrive("Composer")
    assert shown() == typed and "Your draft of" in page.text("header")
    page.wait(lambda: page.says("#send-problem", "data: this is not JSON yet"), "what cannot be read is still named")
    # The session ends elsewhere; what was typed just before is there again, and no one else's.
    page.write("title", "Not lost either")
    page.run("return fetch('/session').then(answer => answer.json()).then(found => fetch('/session', {method: 'DELETE', headers: {'X-CSRF-Token': found.write_token}}))")
    page.run("location.hash = '#/demo/pushes'")
    page.wait(lambda: page.all(".sign-in"), "signed out")
    assert "Not lost" not in page.run("return JSON.stringify(Object.entries(localStorage).filter(([name]) => !name.startsWith('draft:first:')))")
    assert "prk_" not in page.run("return JSON.stringify(localStorage)")
    guest = server.call("POST", "/v1/keys", {"name": "guest", "scopes": ["send", "read"]})
    page.labelled("API key").send_keys(guest["key"], Keys.ENTER)
    page.arrive("")
    page.go("compose", "Composer")
    assert page.labelled("title").get_property("value") == ""
    page.click("[aria-label='Sign out']")
    page.labelled("API key").send_keys(server.key, Keys.ENTER)
    page.arrive("Composer")
    assert shown() == ["Not lost either", *typed[1:]]
    # Signing out asks; kept it is here again, erased it is not.
    page.click("[aria-label='Sign out']")
    page.wait(lambda: page.says("dialog", "Keep your draft in this browser?"), "the question")
    page.look("31-sign-out")
    page.press("Back", "dialog")
    page.click("[aria-label='Sign out']")
    page.press("Erase and sign out", "dialog")
    page.labelled("API key").send_keys(server.key, Keys.ENTER)
    page.arrive("Composer")
    assert page.labelled("title").get_property("value") == "" and page.run("return Object.keys(localStorage).filter(name => name.startsWith('draft:'))") == []
    page.check_console(allowed=["pushes/check - Failed", "/v1/render - Failed", "/v1/preview - Failed", "/session - Failed", "401"])


def test_keeps_a_draft_when_the_push_is_refused_and_starts_over(page, server, pages):  # noqa: F811
    fresh(page)
    page.contract("native")
    page.write("title", "Refused")
    page.write("body", "By the server.")
    page.write("To", "devices")
    page.write("Device id", "999999")
    page.step("review")
    page.press("Send")
    page.wait(lambda: page.says("#toasts", "device") or page.all("dialog[open]"), "the refusal")
    if page.all("dialog[open]"):
        page.press("Back", "dialog")
    page.driver.refresh()
    page.arrive("Composer")
    assert current(page) == "review" and page.labelled("title").get_property("value") == "Refused"
    page.press("Start over", "header")
    page.press("Start over", "dialog")
    page.arrive("Composer")
    assert page.labelled("title").get_property("value") == ""
    # What was sent leaves no draft behind.
    page.step("message")
    page.contract("native")
    page.write("title", "Sent")
    page.write("body", "And gone.")
    page.step("review")
    page.press("Send")
    page.wait(lambda: page.click("dialog .danger"), "the confirmation")
    page.wait(lambda: page.says("h1", "Push"), "the push")
    assert page.run("return Object.keys(localStorage).filter(name => name.startsWith('draft:'))") == []


def test_reviews_who_what_when_how_large_and_the_last_time(page, server, pages):  # noqa: F811
    server.call("PUT", "/v1/apps/demo/suppression", {"quiet_hours": {"from": "02:00", "to": "02:01", "timezone": "Asia/Tokyo"}})
    fresh(page)
    page.contract("native")
    page.write("title", "Spring is here")
    page.write("body", "Come and see.")
    page.write("badge", "7")
    page.write("Campaign", "spring-is-here-and-everything-is-green")
    page.write("When to send", "at")
    page.write("When", "2031-05-01T09:00")
    page.step("review")
    page.wait(lambda: page.says(".composer", "Checked for all"), "the sizes")
    page.wait(lambda: page.says(".composer", "The last push of this campaign."), "the last time")
    text = page.text(".composer")
    assert "Every active device." in text and "1 Android" in text
    assert "Message Spring is here — Come and see." in text
    zone = page.run("return Intl.DateTimeFormat().resolvedOptions().timeZone")
    assert f"your time ({zone})" in text and "in Asia/Tokyo (the app’s time zone)" in text
    assert "iPhone, at worst" in text and "of 4,096 bytes" in text
    assert "field-not-carried" in text
    last = next(one for one in server.call("GET", "/v1/apps/demo/pushes")["pushes"] if one.get("campaign") == "spring-is-here-and-everything-is-green")
    assert re.search(rf"spring-is-here-and-everything-is-green: {last['counts']['targeted']} devices in .*, none failed", text), text
    page.look("31-review", full=True)
    server.call("PUT", "/v1/apps/demo/suppression", {"quiet_hours": None})


def test_edits_a_draft_of_the_server_beside_the_draft_of_the_app(page, server, pages):  # noqa: F811
    made = server.call("POST", "/v1/apps/demo/pushes", {"to": {"users": ["alice"]}, "draft": True, "contract": "native", "message": {"title": "On the server", "body": "B"}})["id"]
    fresh(page)
    page.contract("native")
    page.write("title", "In the browser")
    page.go(f"compose/edit/{made}", "Edit push")
    assert page.labelled("title").get_property("value") == "On the server" and page.labelled("Users").get_property("value") == "alice"
    page.write("title", "Changed")
    page.go("compose", "Composer")
    assert page.labelled("title").get_property("value") == "In the browser"
    page.go(f"compose/edit/{made}/review", "Edit push")
    assert page.labelled("title").get_property("value") == "Changed"
    page.press("Save")
    page.wait(lambda: page.says("h1", "Push"), "the draft")
    assert server.call("GET", f"/v1/apps/demo/pushes/{made}")["request"]["message"]["title"] == "Changed"
    page.go("compose", "Composer")
    assert page.labelled("title").get_property("value") == "In the browser"


def test_shows_the_progress_of_an_import(page, server, pages, tmp_path):  # noqa: F811
    page.go("devices", "Devices")
    lines = tmp_path / "devices.ndjson"
    lines.write_text("".join(f'{{"type":"ios","token":"{number:064x}","user":"imported"}}\n' for number in range(20_000)))
    # Every answer to the page's questions is kept, however short the import is on this machine.
    page.run("window.asked = []; const ask = window.fetch; window.fetch = async (...all) => { const answer = await ask(...all); if (String(all[0]).endsWith('/devices/imports')) asked.push(await answer.clone().json()); return answer; }")
    page.press("Import")
    page.one("dialog input[type=file]").send_keys(str(lines))
    page.run("""
      window.seen = [];
      new MutationObserver(() => { const bar = document.querySelector('dialog progress'); if (bar) seen.push([bar.max, bar.value]); }).observe(document.querySelector('dialog'), {childList: true, subtree: true});
    """)
    page.press("Import", "dialog")
    page.wait(lambda: page.says("dialog", "20000") or page.says("dialog", "20,000"), "the end")
    whole = lines.stat().st_size
    running = page.run("return asked.filter(one => one.imports.some(row => row.running)).length")
    bars = page.run("return seen")
    print(f"the import was seen {running} times while it ran; bars {bars[:3]}")
    assert all(most == whole and 0 <= value <= whole for most, value in bars)
    assert len(bars) >= 1 or running == 0
    page.press("Done", "dialog")
    page.arrive("Devices")
    page.wait(lambda: page.says(".card", "Lines: 20,000 · New: 20,000"), "the import on the page")
    page.look("31-imports")
    server.call("DELETE", "/v1/apps/demo/users/imported")
