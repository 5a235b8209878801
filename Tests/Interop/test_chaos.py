"""The cluster as its page shows it, and some minutes of chaos: nodes, primary and network break under load, and every promise is kept.

`CHAOS_MINUTES` (5 unless given) and `CHAOS_SEED` choose how long and in which order; script/test sets the former, and runs this
beside the attack.
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import urllib.request

import pytest

import pages
from conftest import ROOT, command

MINUTES, SEED = os.environ.get("CHAOS_MINUTES", "5"), os.environ.get("CHAOS_SEED", "1")
FOLDER, ORIGIN = "/tmp/postrider-cluster", "http://127.0.0.1:8787"
HAS_POSTGRES = any(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))


@pytest.fixture(autouse=True)
def database():
    """Where it cannot run is no reason to leave it out of a run that decides about a change."""
    if not HAS_POSTGRES:
        if "CHAOS_MINUTES" in os.environ:
            pytest.fail("PostgreSQL is not installed: script/bootstrap --interop")
        pytest.skip("PostgreSQL is not installed")


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def environment():
    return {**os.environ, "POSTRIDER": str(pathlib.Path(command()).resolve()),
            "PATH": f"{pathlib.Path(command()).resolve().parent}:{os.environ['PATH']}"}


@contextlib.contextmanager
def open_folder_of():
    """A folder that PostgreSQL's user may pass through, which those of pytest are not."""
    with tempfile.TemporaryDirectory(prefix="postrider-test-") as name:
        pathlib.Path(name).chmod(0o755)
        yield pathlib.Path(name)


@pytest.fixture
def open_folder():
    with open_folder_of() as folder:
        yield folder


def commands(shell):
    """The lines of a shell, without comments."""
    return [line for line in (re.sub(r"(^|\s+)#.*", "", line).strip() for line in shell.splitlines()) if line]


def printed(program):
    """The lines that a program prints."""
    return subprocess.run(["python3", "-B", "-c", program], capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_push_survives_as_the_page_shows(open_folder):
    folder = f"{open_folder}/cluster"
    start, rest = (block.text for block in pages.taken(text("docs/scale.md"), "test_chaos.py")[:2])
    assert start.strip() == "script/cluster"
    log = open(open_folder / "log", "w+b")
    running = subprocess.Popen([str(ROOT / "script/cluster"), "--folder", folder, "--port", "0"], stdout=subprocess.PIPE, stderr=log,
                               cwd=ROOT, env=environment(), text=True)
    try:
        said = ""
        while "status" not in said:
            line = running.stdout.readline()
            assert line, f"the cluster did not start: {said} {(open_folder / 'log').read_text()}"
            said += line
        origin = re.search(r"http://127\.0\.0\.1:\d+", said)[0]
        printed = textwrap.dedent(said.partition("In another terminal:\n")[2])
        page = rest.replace(FOLDER, folder).replace(ORIGIN, origin)
        page = re.sub(r"^(script/cluster [a-z-]+(?: node\d)?)", rf"\1 --folder {folder}", page, flags=re.M)
        assert set(commands(page)) <= set(commands(printed)), printed
        # Half a minute of a node that stands still is a part of chaos.
        done = subprocess.run(["bash", "-euc", printed.replace("sleep 30", "sleep 1")], cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        assert "pg1 is dead, and pg2 is the primary" in done.stdout
        assert re.search(r"^pg1: standby, synchronous", done.stdout, re.M), done.stdout
        key = pathlib.Path(folder, "admin-key").read_text().strip()
        request = urllib.request.Request(f"{origin}/v1/apps/shop/pushes/1", headers={"Authorization": f"Bearer {key}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            counts = json.loads(answer.read())["counts"]
        assert counts["targeted"] == counts["accepted"] == 300, counts
    finally:
        running.send_signal(signal.SIGINT)
        running.wait(120)
        running.stdout.close()
        log.close()
    assert not pathlib.Path(folder).exists()


def test_every_promise_is_kept():
    block = pages.taken(text("docs/scale.md"), "test_chaos.py")[2].text.strip()
    line = block.splitlines()[0].split("#")[0].split()
    assert line[0] == "script/chaos" and line[1::2] == ["--minutes", "--seed"], line
    words = [str(ROOT / "script/chaos"), "--minutes", MINUTES, "--seed", SEED]
    done = subprocess.run(words, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=float(MINUTES) * 60 + 900)
    print(done.stdout)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    sys.path.insert(0, str(ROOT / "Tests/Chaos"))
    from faults import kinds
    counts = re.search(r"^chaos: \d+ faults: (.*)", done.stdout, re.M)[1]
    came = {kind for _, kind in (count.split() for count in counts.split(", "))}
    assert came == set(kinds("no network of its own" not in done.stdout)), counts
    assert int(re.search(r"^chaos: (\d+) of them fell on a campaign to 22000 devices: ", done.stdout, re.M)[1]) >= 3


def test_a_broken_promise_is_found():
    """What the comparison finds when the ledger says something else: a row that no phone received, a push that is gone."""
    judge = pathlib.Path(ROOT / "Tests/Chaos")
    program = f"""
import sys; sys.path.insert(0, {str(judge)!r})
import types
from judge import Judge, Findings
from receiver import Batch
from workload import Promise
work = types.SimpleNamespace(client=None, base="", app="chaos", told=["delivery.accepted", "push.finished"], pushes={{"chaos-000000000001": Promise("chaos-000000000001", "transactional", "7", ["d1"])}}, schedules={{}})
one = Judge(None, work, types.SimpleNamespace(batches={{}}))
one.names = {{"1": "d1"}}
row = {{"id": "8", "device": "1", "state": "accepted", "unknowns": 0, "apns_id": "a"}}
counts = dict(targeted=1, waiting=0, in_flight=0, accepted=1, rejected=0, expired=0, cancelled=0, unknown=0)
push = {{"id": "7", "marker": "chaos-000000000001", "rows": [row], "counts": counts}}
def found(push, ids):
    one.findings = Findings()
    one.check_push(push, {{"1": "t"}}, {{"t": ids}})
    return [finding.split(":")[0] for finding in one.findings]
print(found(push, ["a"]))
print(found(push, []))
print(found(push, ["a", "a"]))
print(found(push, ["b"]))
print(found({{**push, "counts": {{**counts, "accepted": 0}}}}, ["a"]))
print(found({{**push, "rows": [{{**row, "unknowns": 1}}]}}, ["a", "a"]))
print(found({{**push, "rows": [{{**row, "state": "cancelled"}}], "counts": {{**counts, "accepted": 0, "cancelled": 1}}}}, ["a"]))
print(found({{**push, "rows": [row, row], "counts": {{**counts, "targeted": 2, "accepted": 2}}}}, ["a"]))
for phone in ("t", "of another app"):
    received = {{"chaos-000000000001": {{phone: ["a"]}}, "chaos-none": {{"t": ["b"]}}}}
    one.check_push(push, {{"1": "t"}}, received["chaos-000000000001"])
    one.findings = Findings(); one.check_strays({{"chaos-000000000001"}}, received); print([finding.split(":")[0] for finding in one.findings])
one.findings = Findings(); one.check_promised([]); print([finding.split(":")[0] for finding in one.findings])
for dropped in (0, 1, 2):
    one.findings = Findings(); one.check_missing(list(one.unnotified(push, one.notified())), dropped); print([finding.split(":")[0] for finding in one.findings])
for batches in ([("delivery.accepted", "8")], []), ([("delivery.accepted", "8")], [("delivery.accepted", "8")]):
    one.receiver.batches = {{str(number): Batch("7", tuple(notices), b"", number) for number, notices in enumerate(batches)}}
    one.findings = Findings(); one.check_missing(list(one.unnotified(push, one.notified())), 0); print([finding.split(":")[0] for finding in one.findings])
"""
    done = subprocess.run(["python3", "-B", "-c", program], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "[]", "['received']", "['doubled']", "['doubled']", "['law']", "[]", "['reached', 'received']", "['twice']", "['lost']", "['received', 'lost']", "['lost']", "['webhook', 'webhook']", "[]", "['webhook', 'webhook']",
        "[]", "['webhook']"], done.stdout + done.stderr


def test_the_seed_decides_the_faults():
    program = f"""
import sys, types; sys.path.insert(0, {str(ROOT / "Tests/Chaos")!r})
from faults import OF_THE_PROXY, Faults
cluster = types.SimpleNamespace(nodes=[types.SimpleNamespace(name=name) for name in "abc"], direct=["c"], networks=True)
for seed in (1, 1, 2):
    faults = Faults(cluster, None, None, None, seed, None)
    thrown = [faults.next() for _ in range(56)]
    assert not any(kind in OF_THE_PROXY and node.name == "c" for kind, node, *_ in thrown)
    print([(kind, node.name, luck, rest, lead) for kind, node, luck, _, rest, lead in thrown])
"""
    first, again, other = printed(program)
    assert first == again != other


def test_a_kind_of_fault_that_has_met_a_campaign_waits_longer_for_another():
    program = f"""
import sys, types; sys.path.insert(0, {str(ROOT / "Tests/Chaos")!r})
import large
from faults import Faults
cluster = types.SimpleNamespace(nodes=[], direct=[], networks=False, origin="", key="")
audience = large.LargeAudience(cluster, None, 1, "news", minutes=5)
faults = Faults(cluster, None, None, audience, 1, lambda text: None)
faults.kinds = ["kill", "pause"]
for now, kind in ((0, "kill"), (59, "pause"), (61, "kill"), (62, "pause"), (123, "pause"), (183, "pause"), (184, "kill")):
    large.time.monotonic = lambda: now
    faults.meet(kind, 0); print(now, *faults.met.values())
"""
    assert printed(program) == ["0 1", "59 1", "61 1", "62 1 1", "123 1 2", "183 1 2", "184 2 2"]


def test_what_phones_received_is_found_by_its_marker():
    program = f"""
import base64, sys; sys.path.insert(0, {str(ROOT / "Tests/Chaos")!r})
from phones import Phones
def push(name, title):
    return {{"id": name, "payload_base64": base64.b64encode(title.encode()).decode()}}
answers = {{"/devices": [{{"provider": "apns", "token": "t", "kept": 2, "accepted": 2}}, {{"provider": "fcm", "token": "u", "kept": 1, "accepted": 2}}],
           "/devices/apns/t/pushes": [push("a", "news-00000000000a"), push("b", "news-00000000000a")], "/devices/fcm/u/pushes": [push("c", "shop-00000000000b"), push("d", "none")]}}
phones = Phones("http://127.0.0.1:1/control", ("shop", "news"))
phones.get = answers.get
phones.read()
print(phones.of("news"), phones.of("shop"))
print([finding.split(",")[0][:30] for finding in phones.findings])
"""
    assert printed(program) == [
        "{'news-00000000000a': {'t': ('a', 'b')}} {'shop-00000000000b': {'u': ('c',)}}",
        "['received: u kept 1 of 2: the r', 'received: the phone u received']"]


def test_a_batch_that_comes_after_a_later_one_is_counted():
    program = f"""
import json, sys; sys.path.insert(0, {str(ROOT / "Tests/Chaos")!r})
from receiver import Receiver
receiver = Receiver("seed")
receiver.trouble = 0
for number, push in ((1, "7"), (1, "7"), (2, "8"), (1, "7"), (3, "7"), (2, "8"), (1, "7")):
    receiver.take("", {{"Postrider-Batch": str(number)}}, json.dumps({{"push": push, "notices": [{{"type": "push.finished"}}]}}).encode())
    print(receiver.late, receiver.late_of_push)
print(receiver.faults)
receiver.close()
"""
    assert printed(program) == ["0 0", "0 0", "0 0", "1 0", "1 0", "2 0", "3 1", "[]"]
