"""Where the server connects to (SSRF): webhooks, `token_uri`, gateways, the providers' own hosts.

The server runs with a library in front of the system's that answers its look-ups and writes down every address that it
connects to (`outbound.c`). Nothing leaves the machine. Whether an address is public is judged by Python's `ipaddress`.
"""

import concurrent.futures
import ipaddress
import shutil
import socket
import subprocess
import threading

import pytest

from serving import Server, credentials, wait

PUBLIC, PUBLIC6 = "93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"
# Names and what they lead to; after a semicolon, what they lead to when they are looked up again.
NAMES = {
    "public.example.com": PUBLIC, "public6.example.com": PUBLIC6,
    "loopback.example.com": "127.0.0.1", "loopback6.example.com": "::1", "private.example.com": "10.1.2.3",
    "private172.example.com": "172.31.255.1", "private192.example.com": "192.168.1.1", "linklocal.example.com": "169.254.10.10",
    "metadata.google.internal": "169.254.169.254", "metadata6.example.com": "fd00:ec2::254", "shared.example.com": "100.100.100.200",
    "zero.example.com": "0.0.0.0", "mapped.example.com": "::ffff:10.0.0.1", "nat64.example.com": "64:ff9b::7f00:1",
    "sixtofour.example.com": "2002:7f00:1::1", "teredo.example.com": "2001:0:4136:e378:8000:63bf:80ff:fffe",
    "uniquelocal.example.com": "fd12:3456::1", "linklocal6.example.com": "fe80::1", "sitelocal.example.com": "fec0::1",
    "multicast.example.com": "224.0.0.1", "broadcast.example.com": "255.255.255.255", "documentation6.example.com": "3fff::1",
    "many.example.com": "10.0.0.1,127.0.0.1,::1,192.168.0.1",
    "localhost": "127.0.0.1,::1", "localhost.localdomain": "127.0.0.1", "ip6-localhost": "::1", "localhost.": "127.0.0.1",
    # Public and private at once, and public when it is checked and private when it is used.
    "mixed.example.com": f"127.0.0.1,{PUBLIC},::1", "rebinding.example.com": f"{PUBLIC};127.0.0.1",
    "rebinding6.example.com": f"{PUBLIC6};::1",
    "inner.googleapis.com": "127.0.0.1", "metadata.googleapis.com": "169.254.169.254", "rebinding.googleapis.com": f"{PUBLIC};127.0.0.1",
    "api.push.apple.com": "127.0.0.1", "api.sandbox.push.apple.com": "10.0.0.1", "fcm.googleapis.com": "::1",
    "oauth2.googleapis.com": "127.0.0.1",
}
# Hosts of URLs that lead inside, in every spelling that some parser takes.
INSIDE = [
    "127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001",
    "0x7F.0x0.0x0.0x1", "127.0.0.01", "00000000177.0.0.1", "4294967295", "0", "0.0.0.0", "0x0", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]",
    "[fe80::1]", "[fe80::1%25lo]", "[fd00:ec2::254]", "[fc00::1]", "[fec0::1]", "[ff02::1]", "[2001:db8::1]", "[3fff::1]",
    "10.0.0.1", "172.16.0.1", "172.31.255.254", "192.168.0.1", "100.64.0.1", "169.254.169.254", "2852039166", "0xa9fea9fe",
    "0251.0376.0251.0376", "169.254.43518", "198.18.0.1", "192.0.2.1", "192.0.0.1", "203.0.113.1", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "①②⑦.⓪.⓪.①", "127。0。0。1", "ⓛocalhost",
    *[name for name in NAMES if not name.endswith(("googleapis.com", "apple.com")) and "public" not in name],
]
# URLs whose host is another one for another parser.
CONFUSING = [
    "https://public.example.com@127.0.0.1:{port}/", "https://127.0.0.1:{port}@public.example.com/", "https://127.0.0.1:{port}#@public.example.com/",
    "https://127.0.0.1:{port}\\@public.example.com/", "https://public.example.com\\@127.0.0.1:{port}/", "https:127.0.0.1:{port}/",
    "https:///127.0.0.1:{port}/", "https://:{port}/", "https://127.0.0.1:{port}?.public.example.com/", "https://public.example.com:80@127.0.0.1:{port}/",
    "https://127.0.0.1%2f.public.example.com:{port}/", "https://127.0.0.1%00.public.example.com:{port}/", "https://127.0.0.1\t:{port}/",
    "https://127.0.0.1:{port}\r\nHost: public.example.com/", "https://[::1%250]:{port}/", "https://%31%32%37.0.0.1:{port}/",
    "http://127.0.0.1:{port}/", "http://public.example.com/", "HTTP://127.0.0.1:{port}/", "ftp://127.0.0.1/", "file:///etc/passwd",
    "gopher://127.0.0.1:{port}/_x", "dict://127.0.0.1:{port}/", "ldap://127.0.0.1/", "unix:///run/x", "javascript:alert(1)", "//127.0.0.1/", "127.0.0.1", "",
]


class Listener:
    """Counts who connects, and answers redirects when it is asked for them."""

    def __init__(self, answer=None):
        self.connections, self.answer = 0, answer
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                if self.answer:
                    connection.settimeout(5)
                    head = b""
                    while b"\r\n\r\n" not in head:
                        head += connection.recv(65536)
                    length = int(next(line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")))
                    while len(head.split(b"\r\n\r\n", 1)[1]) < length:
                        head += connection.recv(65536)
                    connection.sendall(self.answer)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("clang")
    assert compiler, "a C compiler is needed: the one of the Swift toolchain will do"
    path = tmp_path_factory.mktemp("outbound") / "outbound.so"
    source = __file__.replace("test_security_outbound.py", "outbound.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-Wall", "-o", str(path), source, "-ldl", "-lpthread"], check=True, timeout=120)
    return path


@pytest.fixture(scope="module")
def bait():
    """A listener on loopback that nobody may reach."""
    listener = Listener()
    yield listener
    listener.socket.close()


class Watched:
    """A server whose connections are written down."""

    def __init__(self, folder, library, bait, running, *options):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "names").write_text("".join(f"{name} {answers}\n" for name, answers in NAMES.items()))
        (folder / "outbound").touch()
        proxy = f"http://127.0.0.1:{bait.port}"
        self.server = Server(folder, *options, environment={
            "LD_PRELOAD": str(library), "OUTBOUND_NAMES": str(folder / "names"), "OUTBOUND_LOG": str(folder / "outbound"),
            **{name: proxy for name in ("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")}})
        self.running = running

    def targets(self):
        """Every address and port that it connected to, except the emulator's, which the credentials name."""
        lines = [line.split() for line in (self.folder / "outbound").read_text().splitlines() if line.startswith("connect ")]
        named = {(str("127.0.0.1"), self.running.apns_port), ("127.0.0.1", self.running.fcm_port)}
        return {(address, int(port)) for _, address, port in lines} - named

    def looked_up(self):
        return [line.split()[1] for line in (self.folder / "outbound").read_text().splitlines() if line.startswith("lookup ")]


def is_public(address):
    found = ipaddress.ip_address(address)
    inner = getattr(found, "ipv4_mapped", None) or getattr(found, "sixtofour", None)
    return found.is_global and not found.is_multicast and (inner is None or inner.is_global)


@pytest.fixture(scope="module")
def watched(tmp_path_factory, library, bait, running):
    running.scenario()
    found = Watched(tmp_path_factory.mktemp("strict") / "server", library, bait, running)
    yield found
    found.server.stop()


def app_with_webhooks(server, running, name, urls):
    """An app with a webhook for each URL that is taken, told of a push that is over; the answers by URL."""
    server.done("POST", "/v1/apps", {"name": name, "contract": "native"})
    server.done("PUT", f"/v1/apps/{name}/credentials", credentials(running))
    answers = {url: server.ask("POST", f"/v1/apps/{name}/webhooks", {"url": url, "types": ["push.finished"]}) for url in urls}
    server.done("POST", f"/v1/apps/{name}/pushes", {
        "to": {"tokens": [{"token": "ab" * 32, "type": "ios"}]}, "message": {"title": "T", "body": "B"}})
    return answers


def test_no_webhook_leads_inside(watched, bait, running):
    """Each spelling is refused when it is saved, or when its socket is to be opened; nothing but public addresses is dialed."""
    server = watched.server
    urls = [f"https://{host}:{bait.port}/hook" for host in INSIDE]
    urls += [url.replace("{port}", str(bait.port)) for url in CONFUSING]
    urls += ["https://public.example.com/hook", "https://public6.example.com/hook"]
    refused, tried = 0, {}
    for number in range(0, len(urls), 10):
        app = f"ssrf-{number}"
        for url, answer in app_with_webhooks(server, running, app, urls[number:number + 10]).items():
            assert answer.status in (201, 422), (url, answer)
            if answer.status == 201:
                tried[url] = f"/v1/apps/{app}/webhooks/{answer.json['id']}"
            else:
                refused += 1
    shown = {}

    def all_failed():
        for url, path in tried.items():
            if url not in shown and "failure" in (webhook := server.done("GET", path)):
                shown[url] = webhook["failure"]
        return len(shown) == len(tried)

    wait(all_failed, "every webhook failed", 90)
    for url, failure in shown.items():
        reaches = any(name in url for name in ("public", "rebinding", "mixed"))
        assert reaches or "which is not allowed" in failure or "resolve" in failure or "URL" in failure, (url, failure)
    targets = watched.targets()
    assert all(is_public(address) for address, _ in targets), [one for one in targets if not is_public(one[0])]
    # The library sees what is dialed: the public addresses were.
    assert {(PUBLIC, 443), (PUBLIC6, 443), (PUBLIC, bait.port)} <= targets
    assert bait.connections == 0
    assert len(tried) >= 60 and refused >= 20, (len(tried), refused)
    print(f"\nwebhooks: {len(urls)} URLs, {refused} refused when saved, {len(tried)} dialed or refused at the socket")


def test_no_token_uri_leads_inside(watched, bait, running):
    """Google's hosts, or the host of a gateway that an administrator names; never a private address behind either."""
    server = watched.server
    server.done("POST", "/v1/apps", {"name": "tokens", "contract": "native"})
    fcm = credentials(running)["fcm"]
    account = fcm["service_account"]
    uris = [f"https://{host}:{bait.port}/token" for host in INSIDE]
    uris += [url.replace("{port}", str(bait.port)) for url in CONFUSING]
    uris += [url.replace("public.example.com", "oauth2.googleapis.com").replace("{port}", str(bait.port)) for url in CONFUSING]
    uris += ["https://oauth2.googleapis.com.evil.example/token", "https://evilgoogleapis.com/token", "https://googleapis.com.evil/token",
             "https://127.0.0.1/.googleapis.com", "https://127.0.0.1:443#.googleapis.com", "https://oauth2.googleapis.com:0/", "https://.googleapis.com/"]
    def check(uri):
        """Whether it is refused, with Google's gateway and with one that an administrator names."""
        for parts in ({}, {"gateway": fcm["gateway"]}):
            if parts and "//127.0.0.1:" in uri:
                continue
            body = {"fcm": {**parts, "service_account": {**account, "token_uri": uri}}}
            answer = server.ask("POST", "/v1/apps/tokens/credentials/check", body)
            assert answer.status == 422 or answer.json["fcm"]["usable"] is False, (uri, answer)
            assert account["private_key"][40:80] not in answer.content.decode(), uri

    with concurrent.futures.ThreadPoolExecutor(max_workers=16) as pool:
        list(pool.map(check, uris))
    # Google's names, when a name server leads them inside.
    for name in ("inner", "metadata", "rebinding", "oauth2"):
        for _ in range(2):
            body = {"fcm": {"service_account": {**account, "token_uri": f"https://{name}.googleapis.com:{bait.port}/token"}}}
            answer = server.ask("POST", "/v1/apps/tokens/credentials/check", body)
            assert answer.status == 422 or answer.json["fcm"]["usable"] is False, answer
    # The gateway's host with another port is not the gateway.
    other_port = {"fcm": {**fcm, "service_account": {**account, "token_uri": f"https://127.0.0.1:{bait.port}/token"}}}
    answer = server.ask("POST", "/v1/apps/tokens/credentials/check", other_port)
    assert answer.status == 422 and b"host and port" in answer.content, answer
    targets = watched.targets()
    assert all(is_public(address) for address, _ in targets), [one for one in targets if not is_public(one[0])]
    assert (PUBLIC, bait.port) in targets
    assert bait.connections == 0
    print(f"\ntoken_uri: {len(uris)} URIs")


def test_the_providers_own_names_do_not_lead_inside(watched, bait, running):
    """A name server that lies about Apple's and Google's hosts gains nothing."""
    server = watched.server
    server.done("POST", "/v1/apps", {"name": "providers", "contract": "native"})
    whole = credentials(running)
    apns = {name: value for name, value in whole["apns"].items() if name != "gateway"}
    answer = server.ask("POST", "/v1/apps/providers/credentials/check", {"apns": apns, "apns_sandbox": apns})
    assert answer.status == 200, answer
    for slot in ("apns", "apns_sandbox"):
        assert answer.json[slot]["usable"] is False and "address" in answer.json[slot]["detail"], answer
    answer = server.ask("POST", "/v1/apps/providers/credentials/check", {"fcm": {
        "service_account": {**whole["fcm"]["service_account"], "token_uri": "https://oauth2.googleapis.com/token"}}})
    assert answer.json["fcm"]["usable"] is False, answer
    assert {"api.push.apple.com", "api.sandbox.push.apple.com", "oauth2.googleapis.com"} <= set(watched.looked_up())
    assert all(is_public(address) for address, _ in watched.targets()), watched.targets()
    assert bait.connections == 0


def test_a_gateway_is_a_host_and_nothing_else(watched, bait, running):
    """A gateway may be private, because an administrator names it; it is an address and a port, and only TLS is spoken to it."""
    server = watched.server
    server.done("POST", "/v1/apps", {"name": "gateways", "contract": "native"})
    apns = credentials(running)["apns"]
    for host in ["127.0.0.1/x", "127.0.0.1:80", "user@127.0.0.1", "127.0.0.1\r\nX: y", "http://127.0.0.1", "127.0.0.1#", "", "a b", "127.0.0.1\x00"]:
        body = {"apns": {**apns, "gateway": {"host": host, "port": bait.port}}}
        answer = server.ask("POST", "/v1/apps/gateways/credentials/check", body)
        assert answer.status in (400, 422) or answer.json["apns"]["usable"] is False, (host, answer)
        assert bait.connections == 0, (host, answer)
    answer = server.ask("POST", "/v1/apps/gateways/credentials/check", {"apns": {**apns, "gateway": {"host": "127.0.0.1", "port": bait.port}}})
    assert answer.json["apns"]["usable"] is False and bait.connections > 0, answer
    # Only an administrator may name one.
    key = server.done("POST", "/v1/keys", {"name": "s", "scopes": ["send", "read"]})["key"]
    assert server.ask("PUT", "/v1/apps/gateways/credentials", {"apns": apns}, key=key).status == 403
    assert server.ask("POST", "/v1/apps/gateways/credentials/check", {"apns": apns}, key=key).status == 403
    bait.connections = 0
    lines = (watched.folder / "outbound").read_text().replace(f"connect 127.0.0.1 {bait.port}\n", "")
    (watched.folder / "outbound").write_text(lines)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(tmp_path, library, bait, running, status):
    """A receiver's redirect is a failure, also where private receivers are allowed."""
    before = bait.connections
    answer = f"HTTP/1.1 {status} Moved\r\nLocation: http://127.0.0.1:{bait.port}/inside\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    receiver = Listener(answer.encode())
    watched = Watched(tmp_path / "server", library, bait, running, "--allow-private-webhooks")
    try:
        made = app_with_webhooks(watched.server, running, "redirected", [f"http://127.0.0.1:{receiver.port}/"])
        path = f"/v1/apps/redirected/webhooks/{next(iter(made.values())).json['id']}"
        failure = wait(lambda: watched.server.done("GET", path).get("failure"), "the failure")
        assert str(status) in failure
        assert receiver.connections >= 1 and bait.connections == before
        assert watched.targets() == {("127.0.0.1", receiver.port)}
    finally:
        watched.server.stop()
        receiver.socket.close()
