"""What tests of several files share: `postrider emulate`, its ports and credentials, and the Python client as it is installed."""

import importlib
import importlib.metadata
import json
import os
import pathlib
import re
import select
import subprocess
import sys
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def text(name):
    """A file of the checkout."""
    return (ROOT / name).read_text(encoding="utf-8")


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


@pytest.fixture(scope="session")
def client_environment(tmp_path_factory):
    """A fresh environment with the wheel that script/packages makes of the program under test."""
    folder = tmp_path_factory.mktemp("client")
    import pages  # It asks this file for the program.

    # The program is built already, and the wheel of the page is installed where nothing else is.
    [block] = pages.taken(text("docs/clients.md"), "test_server_client.py")
    _, make, said, install = block.text.splitlines()
    build = subprocess.run([str(ROOT / make)], env={**os.environ, "POSTRIDER": command()},
                           capture_output=True, text=True, timeout=300)
    assert build.returncode == 0, build.stdout + build.stderr
    assert pages.agrees(said.removeprefix("# "), build.stdout.splitlines()[-1]), build.stdout
    [wheel] = (ROOT / "dist").glob("postrider_client-*.whl")
    assert install == f"pip install {wheel.relative_to(ROOT)}"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=120)
    python = str(folder / "bin" / "python")
    subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check",
                    "--no-deps", "--no-index", str(wheel)], check=True, timeout=120)
    # What it depends on is that of the oracles, so that nothing is downloaded here.
    [packages] = folder.glob("lib/python3*/site-packages")
    (packages / "oracles.pth").write_text(str(pathlib.Path(pytest.__file__).parents[1]) + "\n")
    return folder


@pytest.fixture(scope="session")
def package(client_environment):
    """The installed package, in this process."""
    [packages] = client_environment.glob("lib/python3*/site-packages")
    [found] = importlib.metadata.distributions(name="postrider-client", path=[str(packages)])
    assert sorted(re.match("[a-z]+", requirement)[0] for requirement in found.requires) == ["attrs", "httpx"]
    sys.path.append(str(packages))
    module = importlib.import_module("postrider_client")
    assert pathlib.Path(module.__file__).is_relative_to(client_environment)
    importlib.import_module("postrider_client.models").UNSET = module.UNSET
    return module
