"""The Python client of script/packages: built, installed, type-checked, and driven through every operation of the document."""

import importlib
import json
import os
import pathlib
import subprocess
import sys
import urllib.request

import pytest

from client_walk import Driver, walk
from conftest import ROOT, command
from serving import Server

PYTHON = ROOT / "Packages" / "server" / "python"


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    """A fresh environment with the wheel that script/packages makes of the program under test."""
    folder = tmp_path_factory.mktemp("client")
    build = subprocess.run([str(ROOT / "script" / "packages")], env={**os.environ, "POSTRIDER": command()},
                           capture_output=True, text=True, timeout=300)
    assert build.returncode == 0, build.stdout + build.stderr
    [wheel] = (ROOT / "dist").glob("postrider_client-*.whl")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=120)
    subprocess.run([str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", str(wheel),
                    "-r", str(PYTHON / "tests" / "requirements.txt")], check=True, timeout=300)
    return folder


@pytest.fixture(scope="session")
def package(environment):
    """The installed package, in this process."""
    [packages] = environment.glob("lib/python3*/site-packages")
    sys.path.append(str(packages))
    module = importlib.import_module("postrider_client")
    assert pathlib.Path(module.__file__).is_relative_to(environment)
    importlib.import_module("postrider_client.models").UNSET = module.UNSET
    return module


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path / "server", "--allow-private-webhooks")
    yield server
    server.stop()


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
def test_drives_every_operation(kind, package, server, emulator):
    with urllib.request.urlopen(f"{server.origin}/openapi.json", timeout=10) as answer:
        document = json.loads(answer.read())
    make = getattr(package, kind)
    drive = Driver(make(server.origin, server.key), document)
    walk(drive, server, emulator, package.models, lambda: Driver(make(server.origin), document))
    drive.close()
    assert drive.faults == []
    assert drive.operations.all - drive.seen == set(), "operations of the document that walk() does not call with success"
    assert drive.seen - drive.operations.all == set()
