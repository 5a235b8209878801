"""What is typed wrongly into the dashboard: it is named where it stands and beside the button, and nothing is sent.

Runs in headless Chromium against `postrider serve --demo`, as test_dashboard.py does.
"""

import pytest

from test_dashboard import REFUSED, By, Keys, page, server, shots  # noqa: F401


@pytest.fixture(scope="module", autouse=True)
def signed_in(page):  # noqa: F811
    page.labelled("API key").send_keys(page.server.key, Keys.ENTER)
    page.arrive("Overview")


def pushes(server):  # noqa: F811
    return server.call("GET", "/v1/apps/demo/pushes?limit=1000")["pushes"]


def schedules(server):  # noqa: F811
    return server.call("GET", "/v1/apps/demo/schedules")["schedules"]


def problem(page, label):  # noqa: F811
    """What stands beside a control; empty when nothing does."""
    return page.run(page.CONTROL + "return control.closest('.field').querySelector(':scope > .problem')?.textContent ?? ''", label)


def refuses(page, label, reason, inside=None):  # noqa: F811
    """The reason is beside the field and beside the button, which cannot be pressed; the keyboard sends nothing either."""
    page.wait(lambda: reason in problem(page, label), f"the reason beside {label}")
    page.wait(lambda: page.says("#send-problem", reason), f"the reason beside the button: {page.text('#send-problem')}")
    assert (inside or label) in page.text("#send-problem")
    send = page.run("return document.querySelector('[aria-describedby=send-problem]').disabled")
    assert send is True
    page.run("document.activeElement.blur()")
    page.driver.find_element(By.TAG_NAME, "body").send_keys(Keys.CONTROL, Keys.ENTER)
    assert not page.all("dialog[open]") and page.run("return document.querySelector('.steps [aria-current]').dataset.step") != "review"


def accepts(page):  # noqa: F811
    page.wait(lambda: page.run("return !document.querySelector('[aria-describedby=send-problem]').disabled"), "a push that can be sent")
    assert page.run("return document.getElementById('send-problem').textContent") == ""


def test_sends_nothing_that_it_could_not_read(page, server):  # noqa: F811
    page.compose("Hello", "There")
    accepts(page)
    before = len(pushes(server))
    for text, reason in [('{"screen": ', "this is not JSON yet"), ("[1]", "expected an object"), ('{"id": 12345678901234567890}', "too large to be exact")]:
        page.write("data", text)
        refuses(page, "data", reason)
    page.look("18-unreadable", full=True)
    # Another field can still be written, and a version of the message does not hide what is wrong in the first.
    page.write("title", "Changed")
    page.wait(lambda: page.says(".code", "Changed"), "the other field")
    page.press("Add a language")
    page.choose_language("de")
    page.press("Add it", "dialog")
    page.wait(lambda: page.says(".composer", "For devices in German"), "the German version")
    page.wait(lambda: page.says("#send-problem", "data: the number at id"), "the reason in the first version")
    page.press("Remove", ".composer")
    page.wait(lambda: not page.says(".composer", "For devices in German"), "the message itself")
    assert page.labelled("data").get_property("value") == '{"id": 12345678901234567890}'
    for button in ["Save as a template", "Send a test"]:
        page.press(button)
        page.wait(lambda: page.says("#toasts", "too large to be exact"), f"{button} is refused")
        assert not page.all("dialog[open]")
    page.write("data", '{"screen": "home"}')
    accepts(page)
    assert problem(page, "data") == "" and len(pushes(server)) == before
    page.write("Campaign", "readable")
    page.step("review")
    page.press("Send")
    page.press("Send to 2", "dialog")
    page.arrive("readable")
    made = pushes(server)
    assert len(made) == before + 1
    assert server.call("GET", f"/v1/apps/demo/pushes/{made[0]['id']}")["request"]["message"] == {"title": "Changed", "body": "There", "data": {"screen": "home"}}
    page.check_clean(allowed=REFUSED)


def test_names_each_value_that_it_cannot_read(page):  # noqa: F811
    page.compose("Hello {{first_name|friend}}", "There", shown="Hello friend")
    for text, reason in [("{oops", "this is not JSON yet"), ("[]", "expected an object")]:
        page.write("Values for everyone", text)
        refuses(page, "Values for everyone", reason)
    page.write("Values for everyone", '{"first_name": "Ann"}')
    accepts(page)
    for text in ["abc", "0", "1.5", "-1"]:
        page.write("At most, per minute", text)
        refuses(page, "At most, per minute", "expected a whole number")
    page.write("At most, per minute", "")
    page.write("To", "users")
    refuses(page, "Users", "name at least one")
    page.write("Users", "alice")
    page.write("To", "devices")
    refuses(page, "Device id", "enter one")
    page.write("To", "all")
    accepts(page)
    page.start_over()
    page.contract("onesignal")
    page.one("[aria-label='contents: text']").send_keys("Hallo")
    pick = "const box = document.querySelector('[aria-label=\"contents: language\"]'); box.value = arguments[0]; box.dispatchEvent(new Event('change', {bubbles: true}))"
    page.run(pick, "other")
    page.one("[aria-label='contents: language: tag']").send_keys("deutsch")
    page.wait(lambda: page.says("#send-problem", "contents: “deutsch”: expected a language tag"), "a language that is none")
    page.run(pick, "")
    page.wait(lambda: page.says("#send-problem", "has no language"), "a text without a language")
    page.start_over()
    page.check_clean(allowed=REFUSED)


def test_says_that_there_is_no_such_page(page, server):  # noqa: F811
    page.go("pushes", "Pushes")
    page.run("location.hash = '#/demo/nowhere/7'")
    page.wait(lambda: page.says("h1", "No such page"), "the notice")
    page.quiet()
    assert "There is no page “nowhere”" in page.text("main") and not page.all("nav [aria-current]")
    page.look("18-no-such-page")
    page.press("Overview", "main")
    page.arrive("Overview")
    # An app without a page is its first one.
    page.run("location.hash = '#/demo'")
    page.arrive("Overview")
    page.check_clean()


def test_filters_deliveries_by_each_provider(page, server):  # noqa: F811
    page.go("deliveries", "Deliveries")
    choices = page.run("return [...document.querySelector('[aria-label=Provider]').options].map(one => [one.value, one.textContent])")
    assert choices == [["", "all providers"], ["apns", "APNs"], ["fcm", "FCM"], ["web", "Web push"], ["hms", "Huawei"]]
    page.run("const box = document.querySelector('[aria-label=User]'); box.value = 'alice'; box.dispatchEvent(new Event('change', {bubbles: true}))")
    # The server takes each of them.
    for value, _ in choices:
        page.run("const box = document.querySelector('[aria-label=Provider]'); box.value = arguments[0]; box.dispatchEvent(new Event('change', {bubbles: true}))", value)
        page.quiet()
        assert "This could not be read" not in page.text("main"), value
    page.check_clean()


def test_shows_no_other_app_for_a_name_that_does_not_exist(page, server):  # noqa: F811
    page.go("pushes", "Pushes")
    page.run("location.hash = '#/typo/compose'")
    page.wait(lambda: page.says("h1", "No such app"), "the notice")
    page.quiet()
    assert "There is no app “typo”" in page.text() and not page.all(".composer, [data-contract]")
    page.look("18-no-such-app")
    page.follow("Demo")
    page.arrive("Overview")
    # An app that was created meanwhile is found.
    server.call("POST", "/v1/apps", {"name": "later", "contract": "native"})
    page.run("location.hash = '#/later/compose'")
    page.arrive("Composer")
    assert page.run("return document.querySelector('[aria-label=App]').value") == "later"
    page.go("overview", "Overview")
    page.check_clean(allowed=REFUSED)


def test_starts_a_schedule_only_as_confirmed_and_edits_it(page, server):  # noqa: F811
    page.compose("Good morning", "Rise and shine.")
    page.write("Campaign", "mornings")
    page.write("When to send", "repeat")
    for text in ["0", "abc", "366", "1.5", ""]:
        page.write("Repeat every", text)
        refuses(page, "Repeat every", "expected a whole number from 1 to 365")
    page.write("Repeat every", "2")
    page.write("Starts", "")
    refuses(page, "Starts", "choose a date and a time")
    page.write("Starts", "2031-01-01T09:00")
    page.write("Until", "2030-12-31")
    refuses(page, "Until", "before the start")
    page.write("Until", "")
    page.write("Time zone", "Europe/Vienna")
    accepts(page)
    page.step("review")
    page.press("Start the schedule")
    page.wait(lambda: page.says("dialog", "every 2 days, the first time at 2031-01-01 09:00, Europe/Vienna"), "what is confirmed")
    page.press("Back", "dialog")
    assert [one for one in schedules(server) if one["request"].get("campaign") == "mornings"] == []
    page.press("Start the schedule")
    page.press("Start", "dialog")
    page.arrive("mornings")
    made = next(one for one in schedules(server) if one["request"].get("campaign") == "mornings")
    assert made["request"]["repeat"] == {"every": "day", "interval": 2, "start": "2031-01-01T09:00:00", "timezone": "Europe/Vienna"}
    # What the form does not know is kept; the rule as it was is not sent, so that nothing starts anew.
    server.call("PATCH", f"/v1/apps/demo/schedules/{made['id']}", {"topic": "com.example.demo", "repeat": {**made["request"]["repeat"], "count": 9}})
    page.go(f"schedules/{made['id']}", "mornings")
    page.press("Edit", "header")
    page.arrive("Edit schedule")
    page.write("title", "Good evening")
    page.wait(lambda: page.says(".code", "Good evening"), "the change")
    page.look("18-edit-schedule", full=True)
    page.step("review")
    page.press("Save the schedule")
    page.press("Save", "dialog")
    page.arrive("mornings")
    request = lambda: server.call("GET", f"/v1/apps/demo/schedules/{made['id']}")["request"]  # noqa: E731
    assert request()["message"]["title"] == "Good evening" and request()["topic"] == "com.example.demo"
    assert request()["repeat"] == {**made["request"]["repeat"], "count": 9}
    page.press("Edit", "header")
    page.arrive("Edit schedule")
    page.write("Starts", "2031-01-01T18:30")
    page.write("Campaign", "")
    page.step("review")
    page.press("Save the schedule")
    page.press("Save", "dialog")
    page.arrive("Schedule")
    assert request()["repeat"] == {**made["request"]["repeat"], "start": "2031-01-01T18:30:00", "count": 9}
    assert "campaign" not in request()
    page.check_clean(allowed=REFUSED)


def test_knows_what_is_a_language(page, server):  # noqa: F811
    page.compose("Hello", "There")
    for text in ["deutsch", "!!", "d", "de--AT"]:
        page.press("Add a language")
        page.choose_language(text)
        page.press("Add it", "dialog")
        page.wait(lambda: page.says("dialog .problem", "expected a language tag"), text)
        page.press("Back", "dialog")
    assert "For devices in" not in page.text()
    page.go("devices", "Devices")
    page.press("Add a device")
    page.write("Token", "cd" * 32)
    page.write("Language", "deutsch")
    page.press("Add", "dialog")
    page.wait(lambda: page.says("dialog .problem", "expected a language tag"), "the reason")
    page.write("Language", "zh_Hant")
    page.write("User", "dana")
    page.press("Add", "dialog")
    page.wait(lambda: server.call("GET", "/v1/apps/demo/devices?user=dana")["devices"], "the device")
    device = server.call("GET", "/v1/apps/demo/devices?user=dana")["devices"][0]
    assert device["locale"] == "zh_Hant"
    server.call("DELETE", f"/v1/apps/demo/devices/{device['id']}")
    page.check_clean(allowed=REFUSED)


def test_says_who_gets_an_empty_placeholder(page, server):  # noqa: F811
    server.call("PATCH", "/v1/apps/demo/users/alice", {"properties": {"nickname": "Al"}})
    page.compose("Hi {{nickname}}", "There", shown="Hi ")
    page.step("review")
    page.wait(lambda: page.says(".composer", "1 of 2 devices that were tried have no value for {{nickname}}"), "the finding")
    page.write("Campaign", "nicknames")
    page.quiet()
    page.wait(lambda: page.says(".composer", "1 of 2 devices that were tried have no value for {{nickname}}"), "the finding")
    page.press("Send")
    page.wait(lambda: page.says("dialog", "1 of 2 devices that were tried have no value for {{nickname}}"), "the finding where it is confirmed")
    page.look("18-empty-placeholder")
    assert "Not everyone has a value for {{nickname}}: the placeholder may stay empty." in page.text("dialog")
    page.press("Back", "dialog")
    # At once after the last letter, and for a time to come: the question does not depend on what was found before.
    page.step("message")
    page.write("title", "Hello {{nickname}}")
    page.write("When to send", "at")
    page.write("When", "2031-05-01T09:00")
    page.run("const step = document.querySelector('.steps a[data-step=review]'); step.click()")
    page.press("Schedule")
    page.wait(lambda: page.says("dialog", "Schedule this push?"), "the question")
    assert "Not everyone has a value for {{nickname}}" in page.text("dialog")
    page.press("Back", "dialog")
    assert not [one for one in server.call("GET", "/v1/apps/demo/pushes")["pushes"] if one["state"] == "scheduled"]
    # One advice on one page.
    page.step("review")
    page.wait(lambda: page.says(".composer", '{{ nickname | default: "…" }}'), "the advice")
    assert "{{nickname|" not in page.text(".composer")
    page.write("When to send", "now")
    for fallback in ["{{nickname|}}", "{{nickname|there}}", '{{ nickname | default: "" }}']:
        page.write("title", f"Hi {fallback}")
        page.wait(lambda: page.says(".composer", "Checked for all 2 devices") and not page.says(".composer", "have no value for"), "no finding")
    page.start_over()
    page.check_clean(allowed=REFUSED)


def test_changes_no_setting_by_a_value_that_is_none(page, server):  # noqa: F811
    server.call("PUT", "/v1/apps/demo/suppression", {"quiet_hours": {"from": "22:00", "to": "07:00"}, "frequency_cap": {"pushes": 5, "window_seconds": 3600}})
    server.call("PUT", "/v1/apps/demo/retention", {"deliveries_days": 90, "events_days": 60})
    settings = lambda: (server.call("GET", "/v1/apps/demo/suppression"), server.call("GET", "/v1/apps/demo/retention"))  # noqa: E731
    before = settings()
    page.go("rules", "Rules")
    for card, label, text, reason in [("1", "Pushes at most", "abc", "expected a whole number"), ("1", "Quiet to", "", "give both times"), ("2", "Days for deliveries", "ninety", "expected a whole number")]:
        page.press("Change", f".two > section:nth-of-type({card})")
        page.write(label, text)
        page.press("Save", "dialog")
        page.wait(lambda: page.says("dialog .problem", reason), f"{label}: {reason}")
        page.press("Back", "dialog")
        assert settings() == before
    page.press("Change", ".two > section:nth-of-type(1)")
    page.write("Pushes at most", "")
    page.press("Save", "dialog")
    page.wait(lambda: "frequency_cap" not in settings()[0], "no cap")
    assert settings()[0]["quiet_hours"] == before[0]["quiet_hours"]
    server.call("PUT", "/v1/apps/demo/suppression", {"quiet_hours": None})
    server.call("PUT", "/v1/apps/demo/retention", {"deliveries_days": None, "events_days": None})
    page.check_clean(allowed=REFUSED)


def test_keeps_the_last_admin_key(page, server):  # noqa: F811
    page.go("keys", "API keys")
    page.wait(lambda: page.click("button[aria-label='Revoke first']"), "its row")
    page.press("Revoke it", "dialog")
    page.wait(lambda: page.says("#toasts", "this is the last key with the scope admin"), "the refusal")
    assert server.call("GET", "/v1/keys")["keys"][0].get("revoked_at") is None
    page.check_console(allowed=["/v1/keys/1 - Failed to load resource"])


def test_finds_a_push_by_its_short_number(page, server):  # noqa: F811
    register = lambda number: server.call("POST", "/v1/apps/demo/devices", {"type": "ios", "token": f"{number:064x}", "user": "many"})  # noqa: E731
    for number in range(50):
        register(number)
    before = pushes(server)[0]["number"]
    made = [server.call("POST", "/v1/apps/demo/pushes", {"to": {"users": ["many"]}, "message": {"title": "T", "body": "B"}})["id"] for _ in range(2)]
    assert int(made[1]) - int(made[0]) >= 50
    assert [server.call("GET", f"/v1/apps/demo/pushes/{push}")["number"] for push in made] == [before + 1, before + 2]
    page.go("pushes", "Pushes")
    page.wait(lambda: page.find_link(f"Push {before + 2}"), "the number in the list")
    body = page.driver.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.CONTROL, "k")
    page.wait(lambda: page.all("dialog[open] [role=option]"), "places to go to")
    page.driver.switch_to.active_element.send_keys(str(before + 1))
    page.wait(lambda: page.says("[role=option][aria-selected=true]", "by its number"), "the push by its number")
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.arrive(f"Push {before + 1}")
    assert page.run("return location.hash") == f"#/demo/pushes/{made[0]}"
    page.run("location.hash = '#/demo/pushes/number/99999'")
    page.wait(lambda: page.says("main", "demo has no push 99999"), "a number that nobody has")
    server.call("DELETE", "/v1/apps/demo/users/many")


def test_counts_what_it_says_it_counts(page, server):  # noqa: F811
    """An app's page is about the app, only the whole is 100 %, and progress does not go backwards."""
    shown = lambda part, whole: page.driver.execute_async_script(  # noqa: E731
        "const done = arguments[2]; import('/dashboard/core.js').then(core => done(core.percent(arguments[0], arguments[1])))", part, whole)
    assert [shown(9_993_076, 10_000_000), shown(99_960, 100_000), shown(1, 1), shown(0, 5), shown(1, 10_000), shown(995, 1_000), shown(5, 0)] == [
        "99.9 %", "99.9 %", "100 %", "0 %", "<0.1 %", "99.5 %", "–"]
    push = server.call("POST", "/v1/apps/demo/pushes", {"to": {"all": True}, "campaign": "counted", "message": {"title": "T", "body": "B"}})["id"]
    page.wait(lambda: server.call("GET", f"/v1/apps/demo/pushes/{push}")["state"] == "sent", "the push")
    page.run("location.hash = '#/later/overview'")
    page.arrive("Overview")
    page.wait(lambda: page.says(".tile", "finished deliveries of this app"), "the throughput")
    tiles = page.run("return [...document.querySelectorAll('.tile')].map(tile => tile.innerText)")
    assert all("since the start" not in text for text in tiles) and any("0/s" in text for text in tiles), tiles
    # A push to five million devices that is expanded and sent at once, one failure in a thousand.
    page.run("""
      const path = arguments[0], ask = window.fetch;
      const counts = (targeted, done) => ({targeted, waiting: targeted - done, in_flight: 0, accepted: done - Math.floor(done / 1000), rejected: Math.floor(done / 1000), expired: 0, cancelled: 0, unknown: 0});
      let whole;
      window.step = (targeted, done, complete) => ({...whole, state: "sending", finished_at: undefined, audience_complete: complete, counts: counts(targeted, done)});
      window.fetch = async (...all) => {
        const answer = await ask(...all);
        const json = (body) => new Response(JSON.stringify(body), {headers: {"Content-Type": "application/json"}});
        if (String(all[0]).endsWith("/audience")) return json({total: 5000000, devices: {}});
        if (!String(all[0]).endsWith(path)) return answer;
        whole = await answer.json();
        return json(step(100000, 90000, false));
      };
      window.restore = () => { window.fetch = ask; window.EventSource = stream; };
      const stream = window.EventSource;
      window.EventSource = class { addEventListener(name, take) { window.fire = take; } close() {} };
    """, f"/pushes/{push}")
    page.go(f"pushes/{push}", "counted")
    figures = []
    for targeted, done in [(200_000, 100_000), (2_000_000, 150_000), (4_900_000, 200_000), (5_000_000, 4_000_000)]:
        page.run("fire({data: JSON.stringify(step(...arguments))})", targeted, done, targeted == 5_000_000)
        figures.append(page.text(".figure"))
    assert figures == [
        "2 % finished: 100,000 of 5,000,000 expected", "3 % finished: 150,000 of 5,000,000 expected", "4 % finished: 200,000 of 5,000,000 expected",
        "80 % finished: 4,000,000 of 5,000,000"]
    page.run("fire({data: JSON.stringify(step(5000000, 5000000, true))})")
    assert [one.text for one in page.all(".figure")] == ["100 % finished: 5,000,000 of 5,000,000", "99.9 % of these accepted: 4,995,000"]
    page.run("restore()")
    page.go("overview", "Overview")
    page.check_origin()


def test_renders_liquid_for_whom_the_author_chooses(page, server):  # noqa: F811
    """Sample values, a user, missing values and errors: beside the field, and in the picture."""
    server.call("PATCH", "/v1/apps/demo/users/alice", {"properties": {"nickname": "Al", "plan": "pro"}})
    pictures = lambda: " ".join(found.get_attribute("alt") for found in page.all("img.picture"))  # noqa: E731
    beside = lambda text: page.wait(lambda: page.says(".composer .field .problem", text), text)  # noqa: E731
    page.compose("Hi {{ user.nickname | upcase }}", "{% if user.plan == 'pro' %}Pro{% else %}Free{% endif %} {{ offer }}", shown="Free")
    beside("{{user.nickname}} has no value")
    beside("{{offer}} has no value")
    page.write("Values for everyone", '{"offer": "20 %"}')
    page.wait(lambda: "Free 20 %" in pictures() and not page.says(".composer .field .problem", "{{offer}}"), "the value")
    # Samples are the author's, and only of the preview.
    page.write("Preview for", "sample")
    page.write("Sample values", '{"user": {"nickname": "Ann", "plan": "pro"}')
    beside("this is not JSON yet")
    page.write("Sample values", '{"user": {"nickname": "Ann", "plan": "pro"}}')
    page.wait(lambda: "Hi ANN, Pro 20 %" in pictures() and page.says(".code", "Hi ANN"), "the sample")
    assert not page.says(".composer .field .problem", "has no value")
    page.look("19-liquid-sample")
    # A user's stored values, in the picture and in the bytes.
    page.write("Preview for", "user")
    page.write("User or device id", "alice")
    page.wait(lambda: "Hi AL, Pro 20 %" in pictures() and page.says(".code", "Hi AL"), "the user")
    page.write("User or device id", "nobody-of-this-name")
    page.wait(lambda: page.says(".composer", "the user has no active device"), "who is not there")
    page.write("User or device id", "alice")
    # What is missing may be left empty, or skip the recipient.
    page.write("title", "Hi {{ user.absent }}")
    beside("{{user.absent}} has no value")
    page.write("Missing values", "lax")
    page.wait(lambda: page.says(".code", "Hi ") and not page.says(".composer .field .problem", "has no value"), "no finding")
    page.write("Missing values", "skip")
    page.wait(lambda: page.says(".composer", "This recipient gets nothing"), "nobody")
    # An error has its line and column beside the field, and nothing is sent.
    page.write("title", "Hi {{ user.nickname | strip | upcasse }}")
    beside('line 1, column 31: there is no filter "upcasse"')
    page.look("20-liquid-error")
    page.step("review")
    page.wait(lambda: not page.buttons("Send")[0].is_enabled(), "nothing to send")
    page.step("message")
    # What was chosen goes with the push.
    page.write("title", "Hi {{ user.nickname }}")
    page.wait(lambda: page.says(".code", "Hi Al"), "the user")
    page.step("review")
    page.press("Send")
    page.press("Send to 2", "dialog")
    page.wait(lambda: page.says("h1", "Push"), "the push")
    push = server.call("GET", "/v1/apps/demo/pushes?limit=1")["pushes"][0]
    page.wait(lambda: server.call("GET", f"/v1/apps/demo/pushes/{push['id']}")["status"] == "sent", "the end")
    counts = server.call("GET", f"/v1/apps/demo/pushes/{push['id']}")["counts"]
    assert (counts["accepted"], counts["rejected"]) == (1, 1), counts
    page.check_clean(allowed=[*REFUSED, "pushes/preview - Failed to load resource"])


def test_counts_unseen_devices_before_it_forgets_them(page, server):  # noqa: F811
    page.go("rules", "Rules")
    page.press("Change", ".two > section:nth-of-type(3)")
    page.write("Days after which they are forgotten", "20")
    page.press("Save", "dialog")
    page.wait(lambda: page.says("dialog .problem", "from 30 to 3650"), "the bound")
    page.write("Days after which they are forgotten", "90")
    page.press("Count", "dialog")
    page.wait(lambda: page.says("dialog", "0 of ") and page.says("dialog", "devices would be forgotten"), "the count")
    assert page.says("dialog", "This cannot be undone")
    page.look("19-unseen")
    page.press("Save", "dialog")
    page.wait(lambda: server.call("GET", "/v1/apps/demo/unseen-devices")["days"] == 90, "the rule")
    page.wait(lambda: page.says(".two > section:nth-of-type(3)", "90 days"), "the rule on the page")
    server.call("PUT", "/v1/apps/demo/unseen-devices", {"days": None})
    page.check_clean(allowed=[*REFUSED, "/unseen-devices - Failed to load resource"])


def test_counts_what_failed_before_it_is_sent_again(page, server):  # noqa: F811
    for number in range(20):
        server.call("POST", "/v1/apps/demo/devices", {"type": "ios", "token": f"{number + 5000:064x}", "user": "lost"})
    made = server.call("POST", "/v1/apps/demo/pushes", {
        "to": {"users": ["lost"]}, "campaign": "lost-1", "throttle_per_minute": 1, "message": {"title": "T", "body": "B"}})["id"]
    path = f"/v1/apps/demo/pushes/{made}"
    server.call("POST", f"{path}/cancel")
    page.wait(lambda: "finished_at" in server.call("GET", path), "its end")
    lost = server.call("GET", path)["counts"]["cancelled"]
    assert lost > 10
    page.go(f"pushes/{made}", "lost-1")
    page.press("Send what failed")
    page.wait(lambda: page.all("dialog select"), "the choice")
    page.run("const choice = document.querySelector('dialog select'); choice.value = 'state:cancelled'; choice.dispatchEvent(new Event('change'))")
    page.wait(lambda: page.says("dialog", f"{lost} of {lost} would be sent again"), "the count")
    page.look("19-failed")
    page.press("Send", "dialog")
    page.wait(lambda: pushes(server)[0]["id"] != made, "the new push")
    new = pushes(server)[0]["id"]
    assert server.call("GET", f"/v1/apps/demo/pushes/{new}")["resend_of"] == made
    server.call("POST", f"/v1/apps/demo/pushes/{new}/cancel")
    page.check_clean(allowed=REFUSED)
