"""Starts `postrider emulate` once and hands its ports and credentials to the tests of independent clients."""

import json
import os
import pathlib
import select
import subprocess
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def command():
    """The built command: POSTRIDER, or the debug build of this checkout."""
    path = pathlib.Path(os.environ.get("POSTRIDER", ROOT / ".build" / "debug" / "postrider"))
    if not path.exists():
        pytest.exit(f"{path} is not there; run: swift build --product postrider", returncode=2)
    return str(path)


class Emulator:
    """A running emulator and its control API."""

    def __init__(self, process, hello, folder):
        self.process = process
        self.folder = folder
        self.control = hello["control"]
        self.token = hello["control_token"]
        self.apns_port = int(hello["apns"].rsplit(":", 1)[1])
        self.fcm_port = int(hello["fcm"].rsplit(":", 1)[1])
        self.web_port = int(hello["web"].rsplit(":", 1)[1])
        self.hms_port = int(hello["hms"].rsplit(":", 1)[1])
        self.plain = self.control.rsplit("/control", 1)[0]
        self.credentials = self.call("GET", "/credentials")

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.control + path, data=data, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    def scenario(self, **members):
        self.call("PUT", "/scenario", members)

    def pushes(self, provider, token):
        return self.call("GET", f"/devices/{provider}/{token}/pushes")


@pytest.fixture(scope="session")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("emulator")
    process = subprocess.Popen(
        [command(), "emulate", "--apns-port", "0", "--fcm-port", "0", "--port", "0", "--out", str(folder)],
        stdout=subprocess.PIPE,
    )
    try:
        ready, _, _ = select.select([process.stdout], [], [], 30)
        assert ready, "the emulator said nothing within 30 seconds"
        yield Emulator(process, json.loads(process.stdout.readline()), folder)
    finally:
        process.terminate()
        process.wait(timeout=10)


@pytest.fixture
def emulator(running):
    running.scenario()
    return running
