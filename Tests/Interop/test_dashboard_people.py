"""People in the dashboard: the first account, an invitation, joining, signing in, and what each role is offered.

Runs in headless Chromium against `postrider serve --demo`, as test_dashboard.py does.
"""

import urllib.error

import pytest

from test_dashboard import Keys, page, server, shots  # noqa: F401

OWNER = ("olga@example.com", "a first long password")
ANN = ("ann@example.com", "correct horse battery staple")


def sign_out(page):  # noqa: F811
    page.run("document.querySelector('[aria-label=\"Sign out\"]').click()")
    page.wait(lambda: page.all(".sign-in"), "the sign-in")


def sign_in(page, person):  # noqa: F811
    if page.buttons("Use email and password"):
        page.press("Use email and password")
    page.labelled("Email").send_keys(person[0])
    page.labelled("Password").send_keys(person[1], Keys.ENTER)
    # On whichever page the address names.
    page.wait(lambda: page.all(".foot"), "the session")
    page.quiet()


def nav(page):  # noqa: F811
    return page.text("nav")


def status(page, method, path, body=None):  # noqa: F811
    """What the API answers this browser, with its write token."""
    return page.driver.execute_async_script(
        "const [method, path, body, done] = arguments;"
        "fetch('/session').then(one => one.json()).then(({write_token}) => fetch(path, {method, headers: {'X-CSRF-Token': write_token},"
        " body: body ? JSON.stringify(body) : undefined})).then(one => done(one.status))", method, path, body)


def by_of_newest(server):  # noqa: F811
    return next((one.get("author", {}) for one in server.call("GET", "/v1/apps/demo/pushes?limit=1")["pushes"]), {})


def test_the_first_key_makes_the_first_account(page, server):  # noqa: F811
    page.labelled("API key").send_keys(server.key, Keys.ENTER)
    page.arrive("Overview")
    page.go("team", "People")
    page.write("Your name", "Olga")
    page.write("Email", OWNER[0])
    page.write("Password", "short")
    page.write("Repeat the password", "other")
    page.press("Create your account")
    page.wait(lambda: page.says(".problem", "at least 12 characters") and page.says(".problem", "do not match"), "the reasons")
    page.look("40-first-account")
    page.write("Password", OWNER[1])
    page.write("Repeat the password", OWNER[1])
    page.press("Create your account")
    page.wait(lambda: page.says(".foot", "owner"), "the owner's session")
    page.arrive("People")
    people = server.call("GET", "/v1/people")["people"]
    assert [(one["email"], one["roles"], one["state"]) for one in people] == [(OWNER[0], ["owner"], "active")]


@pytest.fixture(scope="module")
def link(page, server):  # noqa: F811
    """The link of an invitation that the owner has made on the page."""
    page.go("team", "People")
    page.press("Invite")
    page.write("Name", "Ann")
    page.run("document.querySelector('dialog input[type=email]').value = arguments[0]", ANN[0])
    page.run("document.querySelector('dialog select[aria-label=\"App of the role\"]').value = 'demo'")
    page.press("Create the link", "dialog")
    box = page.wait(lambda: next(iter(page.all("dialog input[readonly]")), None), "the link")
    found = box.get_attribute("value")
    assert found.startswith(server.origin + "/#/join/")
    page.press("Done", "dialog")
    page.wait(lambda: page.says("main table", "Ann"), "Ann in the list")
    page.look("41-people", full=True)
    page.size(390, 844, mobile=True)
    try:
        page.go("team", "People")
        assert page.run("return document.documentElement.scrollWidth") <= 390
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    return found


def test_an_invitation_is_joined_and_signs_in(page, server, link):  # noqa: F811
    sign_out(page)
    page.driver.get("about:blank")
    page.driver.get(link)
    page.wait(lambda: page.says("h1", "Welcome, Ann"), "the welcome")
    assert "sender of demo" in page.text(".sign-in")
    page.look("42-join")
    page.write("New password", ANN[1])
    page.write("Repeat the password", ANN[1])
    page.press("Join")
    page.arrive("Overview")
    assert "#/join" not in page.driver.current_url
    assert "Ann" in page.text(".foot") and "sender of demo" in page.text(".foot")
    # The link works once.
    sign_out(page)
    page.driver.get("about:blank")
    page.driver.get(link)
    page.wait(lambda: page.says(".problem", "was used, revoked, or has expired"), "the refusal")
    page.driver.get("about:blank")
    page.driver.get(server.origin + "/")
    page.wait(lambda: page.all(".sign-in"), "the sign-in")
    sign_in(page, ANN)


def test_a_sender_sends_and_is_named(page, server, link):  # noqa: F811
    for hidden in ("API keys", "People", "Audit", "Webhooks", "Apps"):
        assert hidden not in nav(page).split("\n"), hidden
    page.compose("From Ann", "A push with an author")
    page.step("review")
    page.press("Send")
    page.wait(lambda: page.click("dialog button.danger"), "the confirmation")
    page.wait(lambda: by_of_newest(server).get("name") == "Ann", "Ann's push")
    assert by_of_newest(server)["kind"] == "person"
    page.go("pushes", "Pushes")
    assert "Ann" in page.text("main table tbody tr")
    assert status(page, "GET", "/v1/keys") == 403
    page.go("account", "My account")
    page.wait(lambda: page.says("main table", "this one"), "the session")
    page.look("43-account")


def test_an_analyst_is_offered_nothing_to_send(page, server, link):  # noqa: F811
    ann = next(one for one in server.call("GET", "/v1/people")["people"] if one["email"] == ANN[0])
    server.call("PATCH", f"/v1/people/{ann['id']}", {"roles": ["analyst:demo"]})
    sign_out(page)
    sign_in(page, ANN)
    page.go("pushes", "Pushes")
    assert not page.buttons("New push")
    page.go("compose", "Composer")
    page.quiet()
    assert not page.buttons("Send")
    page.go("segments", "Segments")
    assert not page.buttons("New segment")
    body = {"to": {"all": True}, "message": {"title": "T", "body": "B"}}
    assert status(page, "POST", "/v1/apps/demo/pushes", body) == 403
    assert status(page, "GET", "/v1/apps/demo/pushes") == 200


def test_a_password_is_changed_and_who_is_removed_is_out(page, server, link):  # noqa: F811
    page.go("account", "My account")
    page.press("Change the password")
    page.write("Current password", ANN[1])
    page.write("New password", "a later, longer password")
    page.write("Repeat the password", "a later, longer password")
    page.press("Change it", "dialog")
    page.wait(lambda: page.says(".toast", "Password changed."), "the note")
    ann = next(one for one in server.call("GET", "/v1/people")["people"] if one["email"] == ANN[0])
    server.call("DELETE", f"/v1/people/{ann['id']}")
    page.run("dispatchEvent(new Event('hashchange'))")
    page.wait(lambda: page.says(".problem", "sign in again"), "the end of the session")
    page.labelled("Email").send_keys(ANN[0])
    page.labelled("Password").send_keys("a later, longer password", Keys.ENTER)
    page.wait(lambda: page.says(".problem", "the email or the password is wrong"), "the refusal")
    assert by_of_newest(server)["name"] == "Ann"
    with pytest.raises(urllib.error.HTTPError) as found:
        owner = server.call("GET", "/v1/people")["people"][0]
        server.call("DELETE", f"/v1/people/{owner['id']}")
    assert found.value.code == 409
