"""The dialogs of credentials: what is secret stays when everything else is saved again.

Runs in headless Chromium against `postrider serve --demo`, as test_dashboard.py does.
"""

import base64
import os
import socket
import threading

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

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
    shown = page.labelled("Proxy on the way out").get_property("value")
    assert shown == f"127.0.0.1:{proxy.port}"
    page.write("What a tap opens without a link", "https://www.example.com/")
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
