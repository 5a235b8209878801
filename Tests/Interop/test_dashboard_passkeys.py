"""Passkeys in the dashboard, with the virtual authenticator of Chromium: joining, signing in, adding, removing.

Browsers have no passkeys for an address of numbers, so the server is called at http://localhost here.
"""

import signal
import subprocess
import time
import urllib.request

import pytest

from test_dashboard import Keys, Server, page, shots  # noqa: F401

from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions  # noqa: E402

ANN = "ann@example.com"
PASSWORD = "correct horse battery staple"
# What the browser notes of a refused request.
REFUSED = ["/session/passkey - Failed to load resource"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("passkeys"), module=False)
    started.origin = started.origin.replace("127.0.0.1", "localhost")
    yield started
    started.process.terminate()
    started.process.wait(timeout=30)


@pytest.fixture(scope="module")
def phone(page):  # noqa: F811
    """An authenticator with fingerprint that keeps passkeys."""
    options = VirtualAuthenticatorOptions(
        protocol=VirtualAuthenticatorOptions.Protocol.CTAP2, transport=VirtualAuthenticatorOptions.Transport.INTERNAL,
        has_resident_key=True, has_user_verification=True, is_user_consenting=True, is_user_verified=True)
    page.driver.add_virtual_authenticator(options)
    # The virtual authenticator takes a suggestion beside the email as soon as there is one, which a person would choose: the
    # suggestions are switched on by the test of them.
    page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
      const real = window.PublicKeyCredential?.isConditionalMediationAvailable;
      if (real) PublicKeyCredential.isConditionalMediationAvailable = async () =>
        sessionStorage.getItem("suggest") === "yes" && real.call(PublicKeyCredential);
    """})
    page.driver.refresh()
    return page.driver


def invitation(server, email):
    return server.call("POST", "/v1/people", {"email": email, "name": "Ann", "roles": ["owner"]})["invitation"]


def sign_out(page):  # noqa: F811
    page.run("document.querySelector('[aria-label=\"Sign out\"]').click()")
    page.wait(lambda: page.buttons("Sign in with a passkey"), "the sign-in with its button")


def sign_in(page):  # noqa: F811
    page.press("Sign in with a passkey")
    # On whichever page the address names.
    page.wait(lambda: page.all(".foot"), "the session")
    page.quiet()


def test_an_invitation_is_joined_with_a_passkey(page, server, phone):  # noqa: F811
    page.wait(lambda: page.buttons("Sign in with a passkey"), "the button on the first page")
    page.driver.get("about:blank")
    page.driver.get(f"{server.origin}/#/join/{invitation(server, ANN)}")
    page.wait(lambda: page.says("h1", "Welcome, Ann"), "the welcome")
    page.look("44-join-with-passkey")
    page.press("Join with a passkey instead")
    page.wait(lambda: page.says(".foot", "owner"), "the session")
    assert len(phone.get_credentials()) == 1 and phone.get_credentials()[0].rp_id == "localhost"
    sign_out(page)
    sign_in(page)
    assert "Ann" in page.text(".foot")
    page.check_console()


def test_a_suggested_passkey_signs_in_without_the_button(page, server, phone):  # noqa: F811
    page.run("sessionStorage.setItem('suggest', 'yes'); document.querySelector('.foot').dataset.before = 'yes'")
    page.run("document.querySelector('[aria-label=\"Sign out\"]').click()")
    page.wait(lambda: page.all(".foot:not([data-before])"), "the session by the suggestion")
    page.run("sessionStorage.removeItem('suggest')")
    assert "Ann" in page.text(".foot")
    page.quiet()


def test_passkeys_are_listed_and_named_and_none_is_made_twice(page, server, phone):  # noqa: F811
    page.go("account", "My account")
    page.wait(lambda: page.says("main", "Chrome on Linux"), "the passkey")
    page.look("45-passkeys")
    page.press("Add a passkey")
    page.press("Add it", "dialog")
    page.wait(lambda: page.says("dialog .problem", "has a passkey of yours"), "the reason")
    page.press("Back", "dialog")
    page.press("Rename")
    page.write("Name", "Work laptop")
    page.press("Save", "dialog")
    page.wait(lambda: page.says("main", "Work laptop"), "the new name")
    page.size(390, 844, mobile=True)
    try:
        page.go("account", "My account")
        assert page.run("return document.documentElement.scrollWidth") <= 390
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_last_passkey_remains_until_there_is_a_password(page, server, phone):  # noqa: F811
    page.go("account", "My account")
    page.press("Remove")
    page.press("Remove", "dialog")
    page.wait(lambda: page.says(".toast", "the last thing to sign in with"), "the refusal")
    page.press("Set a password")
    page.write("New password", PASSWORD)
    page.write("Repeat the password", PASSWORD)
    page.press("Set it", "dialog")
    page.wait(lambda: page.buttons("Change the password"), "the password")


def test_a_passkey_signs_in_after_the_server_was_killed(page, server, phone):  # noqa: F811
    sign_out(page)
    server.process.send_signal(signal.SIGKILL)
    server.process.wait(timeout=30)
    server.process = subprocess.Popen(server.process.args, stdout=server.log, stderr=subprocess.STDOUT)
    end = time.monotonic() + 180
    while True:
        try:
            urllib.request.urlopen(server.origin + "/readyz", timeout=30).read()
            break
        except OSError:
            assert time.monotonic() < end, "the server did not start again"
            time.sleep(0.05)
    # The page is still open, and its challenge was the stopped server's.
    sign_in(page)
    assert "Ann" in page.text(".foot")


def test_a_removed_passkey_does_not_sign_in(page, server, phone):  # noqa: F811
    page.go("account", "My account")
    page.press("Remove")
    page.press("Remove", "dialog")
    page.wait(lambda: page.says("main", "instead of a password"), "the empty list")
    assert len(phone.get_credentials()) == 1
    sign_out(page)
    page.press("Sign in with a passkey")
    page.wait(lambda: page.says(".problem", "this passkey does not sign in here"), "the refusal")
    page.look("46-passkey-refused")
    page.labelled("Email").send_keys(ANN)
    page.labelled("Password").send_keys(PASSWORD, Keys.ENTER)
    page.wait(lambda: page.all(".foot"), "the session by password")
    page.quiet()
    page.check_console(allowed=REFUSED + ["ERR_CONNECTION", "/session/passkeys", "[DOM] Password forms"])


def test_a_canceled_passkey_says_so(page, server, phone):  # noqa: F811
    phone.remove_all_credentials()
    sign_out(page)
    page.press("Sign in with a passkey")
    page.wait(lambda: page.says(".problem", "No passkey was used"), "the reason")
