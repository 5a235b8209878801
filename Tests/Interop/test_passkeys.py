"""Passkeys against an independent implementation of WebAuthn: Yubico's fido2, as the authenticator and as another server.

Each answer of the authenticator goes to our server and to `Fido2Server`: both take it, or both refuse it.
"""

import copy
import signal

import httpx
import pytest
from authenticator import ALGORITHMS, Authenticator
from fido2.server import Fido2Server
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import PublicKeyCredentialRpEntity, UserVerificationRequirement

from serving import Server

PASSWORD = "correct horse battery staple"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("passkeys") / "server")
    yield running
    running.stop()


class Browser:
    """A browser at http://localhost, where passkeys need no TLS."""

    def __init__(self, server):
        self.origin = server.origin.replace("127.0.0.1", "localhost")
        self.http = httpx.Client(base_url=self.origin, timeout=60)

    def call(self, method, path, body=None, status=200):
        answer = self.http.request(method, path, json=body)
        assert answer.status_code == status, answer.text
        if answer.status_code in (200, 201) and "write_token" in answer.text:
            self.http.headers["X-CSRF-Token"] = answer.json()["write_token"]
        return answer.json() if answer.content else None

    def sign_in(self, passkey, status=200):
        options = self.call("POST", "/session/passkey/options")
        return self.call("POST", "/session/passkey", {"credential": passkey.get(options, self.origin)}, status)

    def add(self, passkey):
        options = self.call("POST", "/session/passkeys/options", {})
        return self.call("POST", "/session/passkeys", {"credential": passkey.create(options, self.origin), "name": "fido2"}, 201)


def invited(server, email):
    answer = server.ask("POST", "/v1/people", {"email": email, "name": "Ann", "roles": ["analyst"]})
    assert answer.status == 201, answer.text
    return answer.json["invitation"]


def joined(server, email):
    browser = Browser(server)
    browser.call("POST", "/session/join", {"token": invited(server, email), "password": PASSWORD})
    return browser


class Oracle:
    """Fido2Server with the challenges of ours."""

    def __init__(self, browser):
        self.server = Fido2Server(PublicKeyCredentialRpEntity(name="Postrider", id="localhost"), verify_origin=lambda origin: origin == browser.origin)

    @staticmethod
    def state(challenge):
        return {"challenge": challenge, "user_verification": UserVerificationRequirement.REQUIRED}

    def registers(self, options, credential):
        return self.server.register_complete(self.state(options["publicKey"]["challenge"]), credential)

    def signs_in(self, options, passkey, credential):
        return self.server.authenticate_complete(self.state(options["publicKey"]["challenge"]), [passkey.data], credential)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_both_take_what_the_authenticator_makes_and_signs(server, algorithm):
    browser = joined(server, f"{algorithm}@example.com".lower())
    oracle, passkey = Oracle(browser), Authenticator(algorithm)
    options = browser.call("POST", "/session/passkeys/options", {})
    credential = passkey.create(options, browser.origin)
    assert oracle.registers(options, credential).credential_data == passkey.data
    browser.call("POST", "/session/passkeys", {"credential": credential}, 201)
    for _ in range(3):
        guest = Browser(server)
        passkey.counter += 1
        options = guest.call("POST", "/session/passkey/options")
        credential = passkey.get(options, guest.origin)
        assert oracle.signs_in(options, passkey, credential).credential_id == passkey.id
        assert guest.call("POST", "/session/passkey", {"credential": credential})["name"] == "Ann"
        assert guest.call("GET", "/session/passkeys")["passkeys"][0]["used_at"]


def test_both_refuse_what_was_changed_at_any_byte(server):
    """One bit of each byte that is signed, or that signs: neither takes it."""
    browser = joined(server, "bits@example.com")
    oracle, passkey = Oracle(browser), Authenticator()
    browser.add(passkey)
    # Failures are counted by network, so that only some of the bytes can be tried within a minute at our server.
    tried = 0
    for name in ("authenticatorData", "signature", "clientDataJSON"):
        guest = Browser(server)
        options = guest.call("POST", "/session/passkey/options")
        good = passkey.get(options, guest.origin)
        whole = websafe_decode(good["response"][name])
        for index in range(len(whole)):
            bad = copy.deepcopy(good)
            bad["response"][name] = websafe_encode(whole[:index] + bytes([whole[index] ^ 1]) + whole[index + 1:])
            with pytest.raises(Exception):
                oracle.signs_in(options, passkey, bad)
            if index % (len(whole) // 2) == 0:
                guest.call("POST", "/session/passkey", {"credential": bad}, 401)
                tried += 1
        assert oracle.signs_in(options, passkey, good)
        guest.call("POST", "/session/passkey", {"credential": good})
    assert 6 <= tried <= 9


def test_both_refuse_another_origin_and_no_verification(tmp_path):
    server = Server(tmp_path / "server")
    try:
        browser = joined(server, "ann@example.com")
        oracle, passkey = Oracle(browser), Authenticator()
        browser.add(passkey)
        guest = Browser(server)
        options = guest.call("POST", "/session/passkey/options")
        for origin in ("http://localhost", "https://localhost", browser.origin + ".example.com", "https://evil.example"):
            credential = passkey.get(options, origin)
            with pytest.raises(ValueError):
                oracle.signs_in(options, passkey, credential)
            guest.call("POST", "/session/passkey", {"credential": credential}, 401)
        evil = {"publicKey": {**options["publicKey"], "rpId": "evil.example"}}
        credential = passkey.get(evil, guest.origin)
        with pytest.raises(ValueError):
            oracle.signs_in(options, passkey, credential)
        guest.call("POST", "/session/passkey", {"credential": credential}, 401)
        guest.call("POST", "/session/passkey", {"credential": passkey.get(options, guest.origin)})
    finally:
        server.stop()


def test_a_passkey_that_was_answered_survives_a_kill(tmp_path):
    folder = tmp_path / "server"
    server = Server(folder)
    passkey, second = Authenticator(), Authenticator("EdDSA")
    browser = joined(server, "ann@example.com")
    browser.add(passkey)
    token = invited(server, "bob@example.com")
    options = browser.call("POST", "/session/passkeys/options", {"token": token})
    Browser(server).call(
        "POST", "/session/join", {"token": token, "credential": second.create(options, browser.origin), "name": "Bob's"})
    server.process.send_signal(signal.SIGKILL)
    server.process.wait(timeout=30)
    again = Server(folder)
    try:
        for one in (passkey, second):
            guest = Browser(again)
            guest.sign_in(one)
            assert len(guest.call("GET", "/session/passkeys")["passkeys"]) == 1
    finally:
        again.stop()
