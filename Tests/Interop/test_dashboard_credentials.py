"""The dialogs of credentials: what is secret stays when everything else is saved again.

Runs in headless Chromium against `postrider serve --demo`, as test_dashboard.py does.
"""

import base64
import json
import os
import socket
import threading

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from test_dashboard import Keys, page, server, shots  # noqa: F401


@pytest.fixture(scope="module", autouse=True)
def signed_in(page):  # noqa: F811
    page.labelled("API key").send_keys(page.server.key, Keys.ENTER)
    page.arrive("Overview")


class Proxy:
    """Takes the heads of requests for a tunnel, and opens none."""

    def __init__(self):
        self.heads = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            with client:
                client.settimeout(30)
                head = b""
                try:
                    while b"\r\n\r\n" not in head and (more := client.recv(4096)):
                        head += more
                    client.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
                except OSError:
                    pass
                self.heads.append(head.decode())


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def test_keeps_a_proxy_and_its_password(page, server):  # noqa: F811
    proxy = Proxy()
    server.call("PUT", "/v1/apps/demo/credentials", {
        "web": {"subject": "mailto:ops@example.com", "proxy": f"http://ann:s3cret@127.0.0.1:{proxy.port}"}})
    page.go("credentials", "Credentials")
    assert "s3cret" not in page.text("main")
    page.press("Change")
    page.wait(lambda: page.says("dialog", "Unchanged, it keeps its user and password"), "the dialog")
    shown = page.labelled("Outbound proxy").get_property("value")
    assert shown == f"127.0.0.1:{proxy.port}"
    page.write("Default link of a tap", "https://www.example.com/")
    page.press("Save", "dialog")
    page.wait(lambda: not page.all("dialog[open]"), "it is saved")
    saved = server.call("GET", "/v1/apps/demo/credentials")["web"]
    assert (saved["url"], saved["proxy"]) == ("https://www.example.com/", shown)

    # What goes through it afterwards has the password that nobody typed again.
    point = ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    server.call("POST", "/v1/apps/demo/devices", {
        "type": "web", "user": "eve", "endpoint": "https://push.example.com/1", "p256dh": encode(point), "auth": encode(os.urandom(16))})
    server.call("POST", "/v1/apps/demo/pushes", {"to": {"users": ["eve"]}, "message": {"title": "T", "body": "B"}})
    page.wait(lambda: proxy.heads, "a request for a tunnel")
    expected = base64.b64encode(b"ann:s3cret").decode()
    assert proxy.heads[0].startswith("CONNECT push.example.com:443 ") and f"Basic {expected}" in proxy.heads[0]
    proxy.socket.close()
    page.check_console()


def pem(key):
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def test_each_kind_of_credential_is_set_in_its_dialog(page, server):  # noqa: F811
    """All five dialogs from a click to what the server has; what is secret is on no page afterwards."""
    server.call("POST", "/v1/apps", {"name": "five"})
    key = pem(ec.generate_private_key(ec.SECP256R1()))
    account = {"type": "service_account", "project_id": "five-1", "private_key_id": "a1", "private_key": pem(rsa.generate_private_key(65537, 2048)),
               "client_email": "push@five-1.iam.gserviceaccount.com", "token_uri": "https://oauth2.googleapis.com/token"}
    apns = {"Bundle id": "com.example.five", "Key id": "ABC123DEFG", "Team id": "DEF123GHIJ", "Key (.p8)": key}
    # By the member of the API: the card, what is typed, and what the server says of it afterwards.
    kinds = {"apns": ("APNs", apns, {"topic": "com.example.five", "key_id": "ABC123DEFG", "team_id": "DEF123GHIJ"}),
             "apns_sandbox": ("APNs sandbox", apns, {"topic": "com.example.five", "key_id": "ABC123DEFG"}),
             "fcm": ("FCM", {"Service account (JSON)": json.dumps(account)}, {"project_id": "five-1"}),
             "web": ("Web push", {"Contact for push services": "mailto:ops@example.com", "Default link of a tap": "https://five.example.com/"}, {"subject": "mailto:ops@example.com", "url": "https://five.example.com/"}),
             "hms": ("Huawei", {"Client id": "104729321", "Client secret": "0123456789abcdef0123456789abcdef", "Project id": "736430079244623104"}, {"client_id": "104729321", "project_id": "736430079244623104"})}
    page.run("location.hash = '#/five/credentials'")
    page.wait(lambda: page.run("return [...document.querySelectorAll('main section .badge')].map(one => one.textContent)") == ["not set"] * 5, "five cards")
    card = "[...document.querySelectorAll('main section')].find(one => one.querySelector('h2').textContent === arguments[0])"
    for slot, (title, typed, expected) in kinds.items():
        page.wait(lambda: page.run(f"return {card}?.querySelector('button.primary')?.textContent", title) == "Set", f"the card of {title}")
        page.run(f"{card}.querySelector('button.primary').click()", title)
        page.wait(lambda: page.says("dialog h2", title), f"the dialog of {title}")
        for label, value in typed.items():
            page.write(label, value)
        page.look(f"31-credential-{slot}")
        page.press("Save", "dialog")
        page.wait(lambda: not page.all("dialog[open]"), f"{title} is saved")
        page.quiet()
        page.wait(lambda: page.run(f"return {card}?.querySelector('.badge').textContent", title) == "set", f"{title} is set")
        saved = server.call("GET", "/v1/apps/five/credentials")[slot]
        assert {name: saved[name] for name in expected} == expected, slot
    shown = page.driver.page_source
    assert not [secret for secret in ("PRIVATE KEY", "0123456789abcdef") if secret in shown]
    page.look("31-credentials")
    page.check_console()
