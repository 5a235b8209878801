"""Signing in with a real identity provider: oidc-provider-mock from PyPI, an OpenID provider made of Authlib.

Chromium goes from the sign-in page to the provider's own page and back; what passes between the server and the provider is
looked at by Authlib, too.
"""

import base64
import json
import subprocess
import urllib.parse

import pytest

pytest.importorskip("oidc_provider_mock")
from authlib.oauth2.rfc7636 import create_s256_code_challenge  # noqa: E402

from conftest import command  # noqa: E402
from oidc_provider import ANN, BOB, EVE, come_back, running  # noqa: E402
from serving import Server as Plain  # noqa: E402
from test_dashboard import Server, free_port, page, shots  # noqa: F401, E402

def check_talk(provider, client, back):
    """What went to the provider, by Authlib's own arithmetic."""
    path, query, _, _ = next(one for one in reversed(provider.requests) if one[0] == "/oauth2/authorize" and "code_challenge" in one[1])
    _, _, form, authorization = provider.last("/oauth2/token")
    assert query["response_type"] == "code" and query["scope"] == "openid email" and query["redirect_uri"] == back
    assert query["code_challenge_method"] == "S256"
    assert create_s256_code_challenge(form["code_verifier"]) == query["code_challenge"]
    assert form["redirect_uri"] == back and form["grant_type"] == "authorization_code" and "client_secret" not in form
    pair = base64.b64decode(authorization.removeprefix("Basic ")).decode()
    assert pair == f"{urllib.parse.quote(client['client_id'])}:{urllib.parse.quote(client['client_secret'])}"
    assert len({query["state"], query["nonce"], query["code_challenge"]}) == 3 and min(map(len, (query["state"], query["nonce"]))) == 43


# MARK: In the browser


@pytest.fixture(scope="module")
def provider():
    with running() as provider:
        yield provider


@pytest.fixture(scope="module")
def server(tmp_path_factory, provider):
    folder = tmp_path_factory.mktemp("oidc")
    # The address is known only when the server listens, and the provider must know it before.
    port = free_port()
    client = provider.register(f"http://127.0.0.1:{port}/dashboard/oidc")
    secret = folder / "secret"
    secret.touch(mode=0o600)
    secret.write_text(client["client_secret"] + "\n")
    started = Server(folder, module=False, port=port, options=[
        "--oidc-issuer", provider.issuer, "--oidc-client-id", client["client_id"], "--oidc-secret-file", str(secret), "--oidc-name", "Example"])
    started.client = client
    yield started
    started.process.terminate()
    started.process.wait(timeout=30)


def go_to_provider(page, words="Sign in with Example"):  # noqa: F811
    page.press(words)
    page.wait(lambda: page.driver.current_url.startswith(page.server.issuer), "the provider's page")


def be(page, subject):  # noqa: F811
    page.wait(lambda: page.click(f"button[value={subject}]"), f"{subject} at the provider")
    page.wait(lambda: page.driver.current_url.startswith(page.server.origin), "the way back")


def refused(page, words):  # noqa: F811
    page.wait(lambda: page.says(".problem", words), words)
    assert "code=" not in page.driver.current_url and "state=" not in page.driver.current_url
    assert not page.driver.get_cookie("postrider_session")


@pytest.fixture(autouse=True)
def issuer(server, provider):
    server.issuer = provider.issuer


def test_a_stranger_is_told_why_not(page, server):  # noqa: F811
    page.wait(lambda: page.buttons("Sign in with Example"), "the way to the provider")
    page.look("60-oidc-sign-in")
    go_to_provider(page)
    be(page, ANN)
    refused(page, "nobody with your email is invited here")


def test_who_is_invited_joins_without_a_password(page, server, provider):  # noqa: F811
    made = server.call("POST", "/v1/people", {"name": "Ann", "email": "ann@example.com", "roles": ["owner"]})
    page.driver.get(f"{server.origin}/#/join/{made['invitation']}")
    page.driver.refresh()
    page.wait(lambda: page.says("h1", "Welcome, Ann"), "the welcome")
    # An email that the provider has not verified is nobody's.
    go_to_provider(page, "Join with Example")
    be(page, EVE)
    refused(page, "names no email that it has verified")
    go_to_provider(page)
    be(page, ANN)
    page.arrive("Overview")
    assert page.driver.current_url.startswith(server.origin + "/#/") or page.driver.current_url == server.origin + "/"
    assert "Ann" in page.text(".foot") and "owner" in page.text(".foot")
    assert server.call("GET", f"/v1/people/{made['id']}")["state"] == "active"
    check_talk(provider, server.client, f"http://127.0.0.1:{server.port}/dashboard/oidc")
    page.go("account", "My account")
    page.wait(lambda: page.says("main", "Sign-in with Example"), "the identity")
    assert ANN in page.text("main")
    page.look("61-oidc-account")
    page.size(390, 844, mobile=True)
    try:
        page.go("account", "My account")
        assert page.run("return document.documentElement.scrollWidth") <= 390
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    # It is the only means, so that it stays.
    page.press("Remove this sign-in")
    page.press("Remove it", "dialog")
    page.wait(lambda: page.says(".toast", "the only means"), "the refusal")


def test_one_comes_back_to_the_page_that_one_was_on(page, server):  # noqa: F811
    page.run("document.querySelector('[aria-label=\"Sign out\"]').click()")
    page.wait(lambda: page.all(".sign-in"), "the sign-in")
    page.run("location.hash = '#/demo/devices'")
    go_to_provider(page)
    be(page, ANN)
    page.arrive("Devices")
    assert page.driver.current_url.endswith("/#/demo/devices")


def test_a_sign_in_cannot_be_used_twice_or_elsewhere(page, server, provider):  # noqa: F811
    page.run("document.querySelector('[aria-label=\"Sign out\"]').click()")
    page.wait(lambda: page.all(".sign-in"), "the sign-in")
    go_to_provider(page)
    be(page, ANN)
    page.arrive("Devices")
    _, query, _, _ = next(one for one in reversed(provider.requests) if one[0] == "/oauth2/authorize")
    page.run("document.querySelector('[aria-label=\"Sign out\"]').click()")
    page.wait(lambda: page.all(".sign-in"), "the sign-in")
    page.driver.get(f"{server.origin}/dashboard/oidc?code=again&state={query['state']}")
    refused(page, "not begun in this browser")
    page.driver.get(f"{server.origin}/dashboard/oidc?code=again")
    refused(page, "does not belong to this sign-in")
    # Who says no at the provider is back at the sign-in page.
    go_to_provider(page)
    page.wait(lambda: page.click("button[value=deny]"), "no")
    page.wait(lambda: page.driver.current_url.startswith(server.origin), "the way back")
    refused(page, "sign in again")


def test_a_password_besides_and_the_identity_goes(page, server):  # noqa: F811
    made = server.call("POST", "/v1/people", {"name": "Bob", "email": "bob@example.com", "roles": ["analyst"]})
    page.driver.get(f"{server.origin}/#/join/{made['invitation']}")
    page.driver.refresh()
    page.wait(lambda: page.says("h1", "Welcome, Bob"), "the welcome")
    page.write("New password", "a first long password")
    page.write("Repeat the password", "a first long password")
    page.press("Join")
    page.arrive("Overview")
    page.run("document.querySelector('[aria-label=\"Sign out\"]').click()")
    page.wait(lambda: page.all(".sign-in"), "the sign-in")
    go_to_provider(page)
    be(page, BOB)
    page.wait(lambda: page.all(".foot") and "Bob" in page.text(".foot"), "Bob's session")
    page.go("account", "My account")
    page.press("Remove this sign-in")
    page.press("Remove it", "dialog")
    page.wait(lambda: page.says("main", "not used yet"), "the removal")
    acts = [one["act"] for one in server.call("GET", "/v1/audit?limit=20")["acts"]]
    assert "linkOIDC" in acts and "unlinkOIDC" in acts
    log = open(server.log.name, encoding="utf-8").read()
    assert server.client["client_secret"] not in log and "code=" not in log and ANN not in log


# MARK: Over TLS, without a browser


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificate")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "key.pem", "-out", folder / "ca.pem"], check=True, capture_output=True)
    return folder


def test_over_tls_with_the_authority_that_is_named_and_with_no_other(tmp_path, certificate):
    with running(certificate=(str(certificate / "ca.pem"), str(certificate / "key.pem")), knows_clients=False) as provider:
        client = {"client_id": "postrider", "client_secret": "a+secret %41 of Postrider's"}
        options = ["--oidc-issuer", provider.issuer, "--oidc-client-id", client["client_id"]]
        environment = {"POSTRIDER_OIDC_SECRET": client["client_secret"]}
        server = Plain(tmp_path, *options, "--oidc-ca", str(certificate / "ca.pem"), environment=environment)
        try:
            server.done("POST", "/v1/people", {"name": "Ann", "email": "ann@example.com", "roles": ["owner"]})
            for _ in range(2):
                begun = server.ask("POST", "/session/oidc", key=None)
                assert begun.status == 200, begun
                back = come_back(begun.json["url"], ANN, certificate / "ca.pem")
                cookie = begun.headers["Set-Cookie"].split(";")[0]
                answer = server.ask("POST", "/session/oidc/finish", back, key=None, headers=[("Cookie", cookie)])
                assert answer.status == 200 and answer.json["name"] == "Ann", answer
            check_talk(provider, client, f"{server.origin}/dashboard/oidc")
            # The same again: the code, the state, and both.
            assert server.ask("POST", "/session/oidc/finish", back, key=None, headers=[("Cookie", cookie)]).status == 401
            # The secret is gone from the environment of the process.
            environ = subprocess.run(["cat", f"/proc/{server.process.pid}/environ"], capture_output=True).stdout
            assert client["client_secret"].encode() not in environ + server.log
        finally:
            server.stop()
        before = len(provider.requests)
        # A service has no options of its own: the environment names the provider.
        environment |= {"POSTRIDER_OIDC_ISSUER": provider.issuer, "POSTRIDER_OIDC_CLIENT_ID": client["client_id"]}
        server = Plain(tmp_path / "other", environment=environment)
        try:
            answer = server.ask("POST", "/session/oidc", key=None)
            assert answer.status == 502 and "discovery document cannot be had" in answer.json["detail"], answer
            assert len(provider.requests) == before
        finally:
            server.stop()


def test_the_doctor_looks_at_the_provider(certificate):
    def doctor(*options):
        done = subprocess.run([command(), "doctor", "--json", "--quick", "--gateway", "127.0.0.1:9", *options], capture_output=True, text=True, timeout=120)
        return [one for one in json.loads(done.stdout)["checks"] if one["check"] == "sign-in" or provider.issuer in one["detail"]]

    with running(certificate=(str(certificate / "ca.pem"), str(certificate / "key.pem"))) as provider:
        found = doctor("--oidc-issuer", provider.issuer, "--oidc-ca", str(certificate / "ca.pem"))
        assert [one["result"] for one in found] == ["ok", "ok"] and "1 key for ID tokens" in found[0]["detail"], found
        found = doctor("--oidc-issuer", provider.issuer + "/other", "--oidc-ca", str(certificate / "ca.pem"))
        assert found[0]["result"] == "error" and "answers 404" in found[0]["detail"], found
        found = doctor("--oidc-issuer", provider.issuer)
        assert found[0]["result"] == "error" and "cannot be had" in found[0]["detail"], found
