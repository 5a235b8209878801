"""The way out through a real HTTP proxy: tinyproxy of Debian, with a user and a password, for an app and for the server."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import time

import pytest

from conftest import command
from serving import TOPIC, Server, credentials, wait

TOKEN, ANDROID = "ab" * 32, "android-token-of-the-egress-test"
SECRET = "s3cr.et-7"


class Proxy:
    """A running tinyproxy; `log` is what it says of its connections."""

    def __init__(self, folder, ports):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.folder, self.process = folder, None
        self.url = f"http://ann:s3cr%2Eet-7@127.0.0.1:{self.port}"
        self.start(ports)

    def start(self, ports):
        """Opens tunnels to these ports and no others."""
        self.ports = ports
        lines = [f"Port {self.port}", "Listen 127.0.0.1", "Timeout 60", "Allow 127.0.0.1", f"BasicAuth ann {SECRET}",
                 "MaxClients 50", "LogLevel Connect", f'LogFile "{self.folder}/proxy.log"']
        lines += [f"ConnectPort {port}" for port in ports]
        (self.folder / "tinyproxy.conf").write_text("\n".join(lines) + "\n")
        self.process = subprocess.Popen(["tinyproxy", "-d", "-c", str(self.folder / "tinyproxy.conf")], stdout=subprocess.DEVNULL)
        wait(self.listens, "the proxy")

    def listens(self):
        with socket.socket() as attempt:
            return attempt.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def log(self):
        path = self.folder / "proxy.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def kill(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def proxy(emulator, tmp_path):
    if not shutil.which("tinyproxy"):
        pytest.skip("tinyproxy is not installed; run script/bootstrap --interop")
    proxy = Proxy(tmp_path, [emulator.apns_port, emulator.fcm_port])
    yield proxy
    proxy.kill()


def given(emulator, proxy):
    """The emulator's credentials with a proxy of the app's own."""
    return {slot: {**value, "proxy": proxy} for slot, value in credentials(emulator).items()}


def app(server, emulator, settings):
    server.done("POST", "/v1/apps", {"name": "demo", "contract": "amba"})
    server.done("PUT", "/v1/apps/demo/credentials", settings)
    emulator.scenario(devices=[{"provider": "apns", "token": TOKEN, "topics": [TOPIC]}, {"provider": "fcm", "token": ANDROID}])
    for kind, token in (("ios", TOKEN), ("android", ANDROID)):
        server.done("POST", "/v1/apps/demo/devices", {"type": kind, "token": token})


def push(server, count=1):
    """Sends to both devices and waits for the end; the counts."""
    ids = [server.done("POST", "/v1/apps/demo/pushes", {"to": {"all": True}, "message": {"title": f"{n}", "body": "B"}})["id"]
           for n in range(count)]
    return [wait(lambda: (found := server.done("GET", f"/v1/apps/demo/pushes/{id}")).get("finished_at") and found, "the push")["counts"]
            for id in ids]


def test_an_app_sends_through_its_proxy_which_dies_and_comes_back(emulator, proxy, tmp_path):
    server = Server(tmp_path / "server")
    try:
        app(server, emulator, given(emulator, proxy.url))
        assert push(server)[0]["accepted"] == 2
        for port in (emulator.apns_port, emulator.fcm_port):
            assert f"CONNECT 127.0.0.1:{port} HTTP/1.1" in proxy.log
        proxy.kill()
        id = server.done("POST", "/v1/apps/demo/pushes", {"to": {"all": True}, "message": {"title": "T", "body": "B"}})["id"]
        time.sleep(1)
        found = server.done("GET", f"/v1/apps/demo/pushes/{id}")
        assert "finished_at" not in found and found["counts"]["accepted"] == 0, found
        proxy.start([9])
        wait(lambda: b"HTTP/1.1 403" in server.log, "the refusal in the log")
        proxy.kill()
        proxy.start([emulator.apns_port, emulator.fcm_port])
        found = wait(lambda: (p := server.done("GET", f"/v1/apps/demo/pushes/{id}")).get("finished_at") and p, "the push", 120)
        assert found["counts"]["accepted"] == 2
        assert len(emulator.pushes("apns", TOKEN)) == 2
        shown = server.ask("GET", "/v1/apps/demo/credentials")
        assert shown.json["apns"]["proxy"] == f"127.0.0.1:{proxy.port}"
        for secret in (SECRET, "s3cr%2Eet", "YW5uOnMzY3IuZXQt"):
            assert secret.encode() not in shown.whole + server.log
            assert not [path for path in server.data.iterdir() if path.is_file() and secret.encode() in path.read_bytes()]
    finally:
        server.stop()


def others(emulator, way):
    """Credentials for browsers and for Huawei's phones that lead to the emulator, with a way out of the app's own."""
    client = json.loads((emulator.folder / "hms-client.json").read_text())
    gateway = {"host": "127.0.0.1", "ca": (emulator.folder / "ca.pem").read_text()}
    return {"web": {"subject": "mailto:ops@example.com", "gateway": gateway | {"port": emulator.web_port}, "proxy": way},
            "hms": {"client_id": client["client_id"], "client_secret": client["client_secret"],
                    "gateway": gateway | {"port": emulator.hms_port}, "proxy": way}}


def others_app(server, emulator, way):
    """An app with a browser and a phone of Huawei's."""
    server.done("POST", "/v1/apps", {"name": "demo", "contract": "amba"})
    key = server.done("PUT", "/v1/apps/demo/credentials", others(emulator, way))["web"]["public_key"]
    emulator.scenario(devices=[{"provider": "hms", "token": "IQ-egress"}])
    made = emulator.call("POST", "/devices", {"provider": "web", "token": "egress", "application_server_key": key})["subscription"]
    server.done("POST", "/v1/apps/demo/devices", {"type": "web", "endpoint": made["endpoint"], **made["keys"]})
    server.done("POST", "/v1/apps/demo/devices", {"type": "hms", "token": "IQ-egress"})


def test_browsers_and_huaweis_phones_are_reached_through_it_again_when_it_lets_them(emulator, proxy, tmp_path):
    server = Server(tmp_path / "server")
    ports = [emulator.web_port, emulator.hms_port]
    proxy.kill()
    proxy.start(ports)
    try:
        others_app(server, emulator, proxy.url)
        assert push(server)[0]["accepted"] == 2
        # Push Kit's access token comes from its gateway here, too.
        for port, least in zip(ports, (1, 2)):
            assert proxy.log.count(f"CONNECT 127.0.0.1:{port} HTTP/1.1") >= least
        # What the proxy says, or that it is not there, ends no delivery.
        server.done("PUT", "/v1/apps/demo/credentials", others(emulator, f"http://ann:wrong@127.0.0.1:{proxy.port}"))
        ids = [server.done("POST", "/v1/apps/demo/pushes", {"to": {"all": True}, "message": {"title": f"{n}", "body": "B"}})["id"]
               for n in range(6)]
        shown = lambda id: server.done("GET", f"/v1/apps/demo/pushes/{id}")  # noqa: E731
        reasons = lambda: [row.get("reason") for id in ids for row in server.done(  # noqa: E731
            "GET", f"/v1/apps/demo/pushes/{id}/deliveries")["deliveries"]]
        wait(lambda: "proxy" in reasons(), "what the deliveries wait for")
        alerts = lambda: server.done("GET", "/v1/apps/demo/overview")["alerts"]  # noqa: E731
        # Of many gateways no lane is closed, and an alert says that nothing gets out.
        known = [f"{name} cannot be reached: proxy" for name in ("hms", "web")]
        said = wait(lambda: (found := sorted(alert["detail"] for alert in alerts() if alert["kind"] == "gateway-unreachable"))
                    and known[1] in found and found, "the alert")
        assert set(said) <= set(known)
        wait(lambda: b"to the user and the password that were given" in server.log, "the refusal in the log")
        assert not any("finished_at" in shown(id) or shown(id)["counts"]["rejected"] for id in ids)
        assert b"wrong" not in server.log
        server.done("PUT", "/v1/apps/demo/credentials", others(emulator, proxy.url))
        for id in ids:
            found = wait(lambda: (p := shown(id)).get("finished_at") and p, "the push", 180)
            assert found["counts"]["accepted"] == 2, found
        assert len(emulator.pushes("web", "egress")) == len(emulator.pushes("hms", "IQ-egress")) == 7
        whole = server.ask("GET", "/v1/apps/demo/credentials")
        assert whole.json["web"]["proxy"] == whole.json["hms"]["proxy"] == f"127.0.0.1:{proxy.port}"
        for secret in (SECRET, "s3cr%2Eet", "YW5uOnMzY3IuZXQt"):
            assert secret.encode() not in whole.whole + server.log
    finally:
        server.stop()


def test_the_check_says_of_browsers_and_huaweis_phones_what_the_proxy_says(emulator, proxy, tmp_path):
    server = Server(tmp_path / "server")
    ports = [emulator.web_port, emulator.hms_port]
    proxy.kill()
    proxy.start(ports)
    try:
        others_app(server, emulator, "direct")

        def said(way):
            answer = server.done("POST", "/v1/apps/demo/credentials/check", others(emulator, way))
            assert not answer["web"]["usable"] and not answer["hms"]["usable"], answer
            return answer["web"]["detail"] + answer["hms"]["detail"]

        good = server.done("POST", "/v1/apps/demo/credentials/check", others(emulator, proxy.url))
        assert good["web"]["usable"] and good["hms"]["usable"], good
        assert said(f"127.0.0.1:{proxy.port}").count("give it a user and a password") == 2
        assert said(f"http://ann:wrong@127.0.0.1:{proxy.port}").count("the user and the password that were given") == 2
        proxy.kill()
        assert said(proxy.url).count(f"cannot connect to 127.0.0.1:{proxy.port}") == 2
        proxy.start([9])
        # With the words before it: a port may have these digits.
        assert said(proxy.url).count("HTTP/1.1 403") == 2
    finally:
        server.stop()


def test_refusals_say_what_to_do(emulator, proxy, tmp_path):
    server = Server(tmp_path / "server")
    try:
        # A saved proxy that is given as it is shown keeps its password, so that nothing is saved with one here.
        app(server, emulator, given(emulator, "direct"))

        def said(way):
            answer = server.done("POST", "/v1/apps/demo/credentials/check", given(emulator, way))
            assert not answer["apns"]["usable"] and not answer["fcm"]["usable"]
            return answer["apns"]["detail"] + answer["fcm"]["detail"]

        assert said(f"127.0.0.1:{proxy.port}").count("give it a user and a password") == 2
        assert said(f"http://ann:wrong@127.0.0.1:{proxy.port}").count("the user and the password that were given") == 2
        proxy.kill()
        assert said(proxy.url).count(f"cannot connect to 127.0.0.1:{proxy.port}") == 2
        proxy.start([9])
        # With the words before it: a port may have these digits.
        assert said(proxy.url).count("HTTP/1.1 403") == 2
    finally:
        server.stop()


@pytest.mark.parametrize("by", ["variable", "file"])
def test_the_servers_proxy_is_asked_for_apple_and_google(emulator, proxy, tmp_path, by):
    secret = tmp_path / "secret"
    secret.write_text(proxy.url + "\n")
    proxy.kill()
    proxy.start([443, emulator.fcm_port])
    environment = {"POSTRIDER_PROXY": proxy.url} if by == "variable" else {"POSTRIDER_PROXY_FILE": str(secret)}
    server = Server(tmp_path / "server", environment=environment)
    try:
        settings = credentials(emulator)
        app(server, emulator, settings)
        # The emulator is a gateway that the credential names: without the proxy.
        assert push(server)[0]["accepted"] == 2 and "CONNECT 127.0.0.1" not in proxy.log
        real = {"apns": settings["apns"] | {"gateway": None}}
        account = settings["fcm"]["service_account"] | {"token_uri": "https://oauth2.googleapis.com/token"}
        answer = server.done("POST", "/v1/apps/demo/credentials/check", real | {"fcm": {"service_account": account, "gateway": None}})
        assert "the proxy" in answer["apns"]["detail"] and "the proxy" in answer["fcm"]["detail"], answer
        for host in ("api.push.apple.com", "oauth2.googleapis.com"):
            assert f"CONNECT {host}:443 HTTP/1.1" in proxy.log
        assert b"s3cr" not in pathlib.Path(f"/proc/{server.process.pid}/environ").read_bytes()
    finally:
        server.stop()


def test_commands_go_through_it(emulator, proxy, tmp_path):
    emulator.scenario(devices=[{"provider": "apns", "token": TOKEN, "topics": [TOPIC]}])
    gateway = f"127.0.0.1:{emulator.apns_port}"
    ca = str(emulator.folder / "ca.pem")
    message = tmp_path / "message.json"
    message.write_text('{"title":"Hi","body":"B"}')
    arguments = [
        command(), "send", "--platform", "ios", str(message), "--topic", TOPIC, "--token", TOKEN, "--gateway", gateway,
        "--ca", ca, "--key", str(emulator.folder / "apns-key.p8"), "--key-id", "EMULATEKEY", "--team", "EMULATETEA"]
    # A gateway that is named is reached without the environment's proxy; one that is not, through it.
    environment = os.environ | {"POSTRIDER_PROXY": proxy.url}
    named = subprocess.run(arguments, capture_output=True, text=True, timeout=60, env=environment)
    assert named.returncode == 0 and "CONNECT 127" not in proxy.log, named.stdout + named.stderr
    proxy.kill()
    proxy.start([9, emulator.apns_port])
    apple = [word for word in arguments if word not in ("--gateway", gateway)]
    unnamed = subprocess.run([*apple, "--timeout", "5"], capture_output=True, text=True, timeout=60, env=environment)
    assert unnamed.returncode != 0 and "CONNECT api.push.apple.com:443 HTTP/1.1" in proxy.log, unnamed.stdout + unnamed.stderr
    send = subprocess.run([*arguments, "--proxy", proxy.url], capture_output=True, text=True, timeout=60)
    assert send.returncode == 0, send.stdout + send.stderr
    assert f"CONNECT {gateway} HTTP/1.1" in proxy.log
    doctor = [command(), "doctor", "--json", "--quick", "--data", str(tmp_path), "--gateway", gateway, "--gateway-ca", ca, "--proxy"]
    reached = subprocess.run([*doctor, proxy.url], capture_output=True, text=True, timeout=60)
    found = {check["check"]: check for check in json.loads(reached.stdout)["checks"]}[gateway]
    assert found["result"] == "ok" and f"through the proxy 127.0.0.1:{proxy.port}" in found["detail"], found
    refused = subprocess.run([*doctor, f"127.0.0.1:{proxy.port}"], capture_output=True, text=True, timeout=60)
    assert "407" in refused.stdout and "user and password" in refused.stdout
    for answer in (send, named, unnamed, reached, refused):
        assert "s3cr" not in answer.stdout + answer.stderr
