"""The Python client of script/packages: built, installed, type-checked, and driven through every operation of the document."""

import asyncio
import email.utils
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.request

import pytest

from client_walk import Driver, walk
from conftest import ROOT, command
from faulty_proxy import FaultyProxy
from oidc_provider import running
from serving import Server, credentials, wait

PYTHON = ROOT / "Packages" / "server" / "python"


@pytest.fixture
def server(tmp_path):
    with running(knows_clients=False) as provider:
        server = Server(tmp_path / "server", "--allow-private-webhooks", "--oidc-issuer", provider.issuer, "--oidc-client-id", "walk", "--oidc-name", "Example",
                        environment={"POSTRIDER_OIDC_SECRET": "walks with it"})
        yield server
        server.stop()


def local(server):
    """The address at which there are passkeys."""
    return server.origin.replace("127.0.0.1", "localhost")


def document_of(server):
    with urllib.request.urlopen(f"{server.origin}/openapi.json", timeout=10) as answer:
        return json.loads(answer.read())


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
def test_drives_every_operation(kind, package, server, emulator):
    document = document_of(server)
    make = getattr(package, kind)
    drive = Driver(make(server.origin, server.key), document)
    walk(drive, server, emulator, package.models, lambda: Driver(make(local(server)), document))
    drive.close()
    assert drive.faults == []
    assert drive.operations.all - drive.seen == set(), "operations of the document that walk() does not call with success"
    assert drive.seen - drive.operations.all == set()


def test_reads_answers_with_warnings(package, server, emulator):
    """A typing error in every body: the answers say so, in a member that the document has."""
    drive = Driver(package.Client(server.origin, server.key), document_of(server))
    drive.typing_error = True
    walk(drive, server, emulator, package.models, lambda: Driver(package.Client(local(server)), drive.document))
    drive.close()
    assert drive.faults == []


def refused(call, *values, **named):
    """The error of a call."""
    package = sys.modules["postrider_client"]
    with pytest.raises(package.PostriderError) as caught:
        call(*values, **named)
    return caught.value


def test_refusals_are_one_typed_error(package, server):
    with package.Client(server.origin, server.key) as client:
        client.create_app({"name": "shop", "contract": "amba"})
        shipped = client.create_key({"name": "in the app", "scopes": ["client"], "app": "shop"})
        slow = client.create_key({"name": "slow", "scopes": ["read"], "rate_per_minute": 1})

        missing = refused(client.get_app, "none")
        assert (missing.status, missing.kind, missing.attempts) == (404, "not-found", 1)
        assert missing.type == "urn:postrider:problem:not-found" and missing.title and missing.request_id and missing.detail
        assert isinstance(missing.problem, package.models.Problem) and missing.report == [] and missing.retry_after is None
        assert str(missing) == f"GET /v1/apps/none: 404: {missing.detail}"
        taken = refused(client.create_app, {"name": "shop"})
        assert (taken.status, taken.kind) == (409, "conflict") and taken.idempotency_key
        wrong = refused(client.register_device, "shop", {"type": "ios", "token": "none"})
        assert (wrong.status, wrong.kind) == (422, "invalid")
        assert isinstance(wrong.report[0], package.models.Finding) and wrong.report[0].severity == "error"
        assert (refused(client.list_devices, "shop", cursor="x").status, refused(client.list_pushes, "shop", limit=0).status) \
            == (400, 400)
        client.create_segment("shop", {"name": "a", "filter": {"field": "external_id", "op": "eq", "value": "a"}}, idempotency_key="once")
        mismatch = refused(client.create_webhook, "shop", {"url": "https://example.com", "types": ["push.finished"]}, idempotency_key="once")
        assert (mismatch.status, mismatch.kind, mismatch.idempotency_key) == (422, "idempotency-mismatch", "once")
        stale = package.Client(server.origin, server.key, headers={"If-Match": '"stale"'})
        assert refused(stale.update_app, "shop", {"title": "x"}).kind == "precondition-failed"
        stale.close()

    with package.Client(server.origin, "prk_" + "x" * 43) as client:
        assert refused(client.list_apps).kind == "unauthenticated"
    with package.Client(server.origin, shipped.key) as client:
        assert refused(client.list_devices, "shop").kind == "forbidden"
    with package.Client(server.origin, slow.key, retries=package.Retries(longest_wait=0.1)) as client:
        errors = [refused(client.list_apps) for _ in range(20) if not quiet(client.list_apps)]
        assert errors and {error.kind for error in errors} == {"too-many"}
        # The server wants a longer wait than the client is willing to: it is asked once, and says for how long.
        assert all(error.retry_after >= 1 and error.attempts == 1 for error in errors)
    for key in ["", "k\n", "\u00e9"]:
        with pytest.raises(ValueError, match="printable ASCII"):
            package.Client("http://127.0.0.1:9", key)
    with package.Client("http://127.0.0.1:9", "prk_x", retries=package.Retries(attempts=2, first_wait=0.01)) as client:
        unreachable = refused(client.list_apps)
        assert (unreachable.status, unreachable.kind, unreachable.attempts) == (None, None, 2)
        assert "no answer" in str(unreachable) and "(after 2 attempts)" in str(unreachable)


def quiet(call):
    """Whether a call succeeds."""
    try:
        call()
        return True
    except sys.modules["postrider_client"].PostriderError:
        return False


@pytest.fixture
def proxy(server):
    proxy = FaultyProxy(server.port)
    yield proxy
    proxy.close()


class Caller:
    """A client of either kind, called without waiting."""

    def __init__(self, client):
        self.client = client
        self.loop = asyncio.new_event_loop() if inspect.iscoroutinefunction(client.close) else None

    def __getattr__(self, name):
        def call(*values, **named):
            value = getattr(self.client, name)(*values, **named)
            return self.loop.run_until_complete(value) if self.loop else value
        return call


@pytest.fixture(params=["Client", "AsyncClient"])
def caller(request, package, server, proxy):
    make = getattr(package, request.param)
    caller = Caller(make(proxy.url, server.key, retries=package.Retries(attempts=6, first_wait=0.05), timeout=2.0))
    yield caller
    caller.close()


def test_a_retried_push_is_sent_once(caller, proxy, server, emulator):
    caller.create_app({"name": "shop", "contract": "amba"})
    caller.put_credentials("shop", credentials(emulator))
    token = "c7" * 32
    with proxy.failing("reset", "refuse", "drop", "cut", "gateway") as requests:
        device = caller.register_device("shop", {"type": "ios", "token": token, "name": "phone", "user": "ann"})
    assert [fault for *_, fault, _ in requests] == ["reset", "refuse", "drop", "cut", "gateway", "pass"]
    assert len({key for _, _, key, _, _ in requests}) == 1 and requests[0][2]
    # The proxy asked for a second after its 503.
    assert requests[2][4] - requests[1][4] >= 1.0

    body = {"message": {"title": "Once", "body": "only"}, "to": {"users": ["ann"]}, "campaign": "once"}
    with proxy.failing("drop", "cut", "refuse", "reset", "stall"):
        push = caller.create_push("shop", body)
    assert push.replayed is True
    with proxy.failing("drop", "drop"):
        made = caller.create_key({"name": "billing", "scopes": ["send"]})
    with proxy.failing("cut"):
        hook = caller.create_webhook("shop", {"url": "https://example.com/hooks", "types": ["push.finished"]})
    with proxy.failing("drop"):
        caller.create_segment("shop", {"name": "beta", "filter": {"field": "tags", "op": "contains", "value": "beta"}})
    with proxy.failing("drop", "refuse"):
        schedule = caller.create_schedule("shop", {**body, "repeat": {
            "every": "day", "start": "2030-01-01T09:00:00", "timezone": "UTC"}})

    # The server has one of each, and the secrets of the repeated answers are the right ones.
    done = lambda path: server.done("GET", f"/v1/apps/shop/{path}")  # noqa: E731
    assert [row["id"] for row in done("devices")["devices"]] == [device.id]
    assert [row["id"] for row in done("pushes")["pushes"]] == [push.id]
    assert [row["id"] for row in done("webhooks")["webhooks"]] == [hook.id] and hook.secret.startswith("whs_")
    assert [row["id"] for row in done("schedules")["schedules"]] == [schedule.id]
    assert [row["name"] for row in done("segments")["segments"] if not row["system"]] == ["beta"]
    assert [row["name"] for row in server.done("GET", "/v1/keys")["keys"]].count("billing") == 1
    assert server.ask("GET", "/v1/apps/shop", key=made.key).status == 200
    wait(lambda: done(f"pushes/{push.id}").get("finished_at"), "the push is finished")
    assert len(emulator.pushes("apns", token)) == 1


def test_retries_only_what_may_be_repeated(caller, proxy, server):
    caller.create_app({"name": "shop"})
    # A PATCH has no key: what may have been done is not done again …
    for fault in ("drop", "cut", "stall"):
        with proxy.failing(fault) as requests:
            error = refused(caller.update_app, "shop", {"title": fault})
        assert (error.status, error.attempts, len(requests)) == (None, 1, 1)
        assert server.done("GET", "/v1/apps/shop")["title"] == fault
    for fault, status in (("refuse", 503), ("gateway", 502)):
        with proxy.failing(fault) as requests:
            error = refused(caller.update_app, "shop", {"title": fault})
        assert (error.status, error.kind, len(requests)) == (status, None, 1)
    # … but when Postrider itself says that it has changed nothing, it is.
    with proxy.failing("busy") as requests:
        assert caller.update_app("shop", {"title": "changed"}).title == "changed"
    assert len(requests) == 2 and requests[1][4] - requests[0][4] >= 1.0
    # What reads, replaces or deletes may be repeated, whatever happened to the answer.
    with proxy.failing("drop", "cut", "gateway", "reset"):
        assert caller.get_app("shop").title == "changed"
    with proxy.failing("drop", "cut"):
        assert caller.put_retention({"deliveries_days": 30}).deliveries_days == 30
    device = caller.register_device("shop", {"type": "ios", "token": "d0" * 32})
    with proxy.failing("reset", "refuse"):
        caller.delete_device("shop", device.id)
    gone = caller.register_device("shop", {"type": "ios", "token": "d1" * 32})
    with proxy.failing("drop"):
        error = refused(caller.delete_device, "shop", gone.id)
    assert (error.status, error.attempts) == (404, 2)
    # A file that is at hand as bytes is sent again; one that is read as it goes is not.
    line = b'{"type":"ios","token":"%s"}\n' % (b"d2" * 32)
    with proxy.failing("drop"):
        assert caller.import_devices("shop", line).updated == 1


def test_waits_are_bounded(package, proxy, server):
    quick = package.Retries(attempts=3, first_wait=0.02)
    with package.Client(proxy.url, server.key, retries=quick) as client:
        with proxy.failing("gateway", "gateway", "gateway") as requests:
            error = refused(client.list_apps)
        assert (error.status, error.attempts, len(requests)) == (502, 3, 3)
        # An hour is longer than the longest wait.
        proxy.retry_after = "3600"
        with proxy.failing("refuse") as requests:
            error = refused(client.list_apps)
        assert (error.retry_after, error.attempts) == (3600, 1)
        # A date is as good as a number.
        proxy.retry_after = email.utils.formatdate(time.time() + 2, usegmt=True)
        began = time.monotonic()
        with proxy.failing("refuse"):
            client.list_apps()
        assert 0.9 <= time.monotonic() - began < 10
        with proxy.failing("page"):
            error = refused(client.list_apps)
        assert (error.status, error.kind) == (200, None) and "HTML" in error.detail
    with package.Client(proxy.url, server.key, retries=package.Retries(attempts=1)) as client:
        with proxy.failing("refuse") as requests:
            assert refused(client.list_apps).attempts == 1
        assert len(requests) == 1


def test_broken_streams_are_seen(package, proxy, server):
    lines = [{"type": "android", "token": f"token-{index}:APA91b", "user": "a\u2028b\u0085c"} for index in range(300)]
    with package.Client(server.origin, server.key) as client:
        client.create_app({"name": "shop"})
        assert client.import_devices("shop", iter(lines)).created == 300
    with package.Client(proxy.url, server.key) as client:
        # Characters that end a line elsewhere are part of a text in JSON.
        assert {device.user for device in client.stream_devices("shop")} == {"a\u2028b\u0085c"}
        read = []
        with proxy.failing("cut"):
            error = refused(lambda: read.extend(client.stream_devices("shop")))
        assert error.status is None


def test_is_typed_and_its_example_works(client_environment, server, emulator):
    """mypy --strict passes on the package and on the example, which runs as README has it."""
    python = str(client_environment / "bin" / "python")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", python,
            "--cache-dir", str(client_environment / "mypy")]
    example = PYTHON / "examples" / "send.py"
    def found(*target):
        run = subprocess.run([*mypy, *target], capture_output=True, text=True, timeout=300, cwd=client_environment)
        return run.returncode, [tuple(line.split(":")[:2]) for line in run.stdout.splitlines() if ": error:" in line], run.stdout

    status, errors, said = found("-p", "postrider_client")
    assert (status, errors) == (0, []), said
    # A mistake in a choice, in a request's member and in the name of an answer's is found without running it.
    (client_environment / "wrong.py").write_text(
        "import postrider_client as p\nfrom postrider_client.models import RegisterDeviceBody\n"
        "c = p.Client('http://x', 'y')\nc.list_devices('a', state='dead')\n"
        "RegisterDeviceBody(type_='ios', token=7)\nc.get_app('a').nme\n")
    status, errors, said = found("wrong.py", str(example))
    assert (status, errors) == (1, [("wrong.py", "4"), ("wrong.py", "5"), ("wrong.py", "6")]), said

    server.done("POST", "/v1/apps", {"name": "demo", "contract": "amba"})
    server.done("PUT", "/v1/apps/demo/credentials", credentials(emulator))
    server.done("POST", "/v1/apps/demo/devices", {"type": "ios", "token": "e0" * 32})
    run = subprocess.run([python, str(example), server.origin, server.key, "demo"], capture_output=True, text=True,
                         timeout=60)
    assert run.returncode == 0 and "1 accepted" in run.stdout, run.stdout + run.stderr


def test_readme_begins_with_lines_that_work(client_environment, server, emulator):
    server.done("POST", "/v1/apps", {"name": "demo", "contract": "amba"})
    server.done("PUT", "/v1/apps/demo/credentials", credentials(emulator))
    [lines] = re.findall(r"```python\n(.*?)```", (PYTHON / "README.md").read_text().split("##")[0], re.DOTALL)
    assert len(lines.splitlines()) <= 6
    lines = lines.replace("http://127.0.0.1:8787", server.origin).replace("prk_…", server.key)
    run = subprocess.run([str(client_environment / "bin" / "python"), "-c", lines], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0 and "targeted=0" in run.stdout, run.stdout + run.stderr


def test_the_same_document_gives_the_same_bytes(client_environment, tmp_path):
    """Another folder, umask and time: the wheel is the one that was installed, byte for byte."""
    [first] = (ROOT / "dist").glob("postrider_client-*.whl")
    before = first.read_bytes()
    run = subprocess.run(["sh", "-c", f"umask 077; exec {ROOT}/script/packages"], capture_output=True, text=True, timeout=300,
                         env={**os.environ, "POSTRIDER": command(), "TMPDIR": str(tmp_path), "TZ": "Asia/Tokyo"})
    assert run.returncode == 0, run.stdout + run.stderr
    assert first.read_bytes() == before


def test_the_document_gives_clients_in_other_languages(server, tmp_path):
    """The command of docs/clients.md, with Java and a generator of PyPI: every operation is in what it writes."""
    [command_line] = re.findall(r"^(openapi-generator-cli generate .*)$", (ROOT / "docs" / "clients.md").read_text(), re.MULTILINE)
    wanted = re.search(r"^pip install (openapi-generator-cli==.*)$", (ROOT / "docs" / "clients.md").read_text(), re.MULTILINE)[1]
    assert wanted in (ROOT / "Tests" / "Interop" / "requirements.txt").read_text().splitlines()
    words = command_line.replace("http://127.0.0.1:8787", server.origin).split()
    run = subprocess.run([str(pathlib.Path(sys.executable).parent / words[0]), *words[1:]], capture_output=True, text=True,
                         timeout=300, cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    written = (tmp_path / words[-1] / "apis" / "DefaultApi.ts").read_text()
    names = {operation["operationId"] for item in document_of(server)["paths"].values() for operation in item.values()}
    assert [name for name in names if f"async {name}(" not in written] == []
