"""The benchmarks run, and each line has what it is to have; the figures themselves are for `script/bench` on a quiet machine."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

from conftest import ROOT, command

BENCH = pathlib.Path(os.environ.get("POSTRIDER_BENCH", ROOT / ".build" / "release" / "postrider-bench"))
COST = {"what", "count", "seconds", "per_second", "cpu_seconds", "peak_rss_kib"}
needs_bench = pytest.mark.skipif(
    not BENCH.exists(), reason="build it: swift build -c release --product postrider-bench")


def line(*words):
    """The one line of JSON that a subcommand prints."""
    done = subprocess.run([BENCH, *words], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1, done.stdout
    return json.loads(done.stdout)


@needs_bench
@pytest.mark.parametrize("name", ["render", "parse", "json-read", "json-write", "contracts-read", "contracts-write",
                                  "rules-check"])
def test_content_is_measured(name):
    measured = line(name, "--scale", "0.001")
    assert measured["what"] == name
    assert COST | {"per_cpu_second", "allocations_per_op"} <= measured.keys()
    assert any(key.endswith("_bytes") and value > 0 for key, value in measured.items())
    if name in ("render", "parse"):
        contracts = {result["what"].split()[0] for result in measured["results"]}
        assert contracts == {"amba", "imkit", "powerauth", "adobe", "onesignal", "native"}


@needs_bench
def test_rendering_liquid_allocates_nothing():
    done = subprocess.run([BENCH, "liquid", "--scale", "0.01"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    rendered, compiled = (json.loads(text) for text in done.stdout.splitlines())
    assert rendered["allocations_per_op"] == 0 and compiled["allocations_per_op"] > 0, done.stdout


@needs_bench
@pytest.mark.parametrize("name", ["apns", "fcm", "campaign"])
def test_sends_are_measured_against_any_gateway(name, running):
    """The emulator takes only the key and the account that it made."""
    folder = running.folder
    running.scenario(apns={"streams_before_token": 1000})
    authority = ["--ca", str(folder / "ca.pem")]
    apns = ["--key", str(folder / "apns-key.p8"), "--key-id", "EMULATEKEY", "--team", "EMULATETEA", "--topic", "com.example.app"]
    load = ["--connections", "2", "--in-flight", "100", "--body-bytes", "512"]
    words = {
        "apns": ["--host", "127.0.0.1", "--port", str(running.apns_port), "--count", "2000", *apns, *load],
        "fcm": ["--host", "127.0.0.1", "--port", str(running.fcm_port), "--count", "2000", "--key",
                str(folder / "service-account.json"), *load],
        "campaign": ["--gateway", f"127.0.0.1:{running.apns_port}", "--devices", "2000", *apns, *load],
    }[name]
    measured = line(name, *authority, *words)
    assert measured["what"] == name and measured["count"] == 2000 and measured["accepted"] == 2000, measured
    assert COST | {"sends_per_cpu_second", "allocations_per_op", "body_bytes"} <= measured.keys()
    if name == "campaign":
        assert measured["ledger_balances"] is True and measured["devices"] == 2000
    else:
        assert (measured["connections"], measured["in_flight"]) == (2, 100)


@needs_bench
@pytest.mark.parametrize("part", ["content,sends,campaign", "large", "ingest,emulator,check", "liquid,latency,personal", "web,mixed",
                                  "compat"])
def test_script_bench_runs(part):
    """What `script/bench --quick` starts, in six parts."""
    done = subprocess.run(
        [sys.executable, ROOT / "Benchmarks" / "compare.py", BENCH, command(), "--quick", "--only", part],
        capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(": done in ") == len(part.split(","))
    table = done.stdout[done.stdout.index("| --- |"):].splitlines()[1:]
    assert len([row for row in table if row.startswith("| ")]) >= len(part.split(","))


@needs_bench
def test_campaigns_are_compared_with_another_commits():
    done = subprocess.run(
        [sys.executable, ROOT / "Benchmarks" / "compare.py", BENCH, command(), "--quick", "--beside", command()],
        capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    shown = [line.split(":") for line in done.stdout.splitlines()[1:]]
    assert [what.strip() for what, _ in shown] == ["rate", "deliveries per CPU second", "peak memory"], done.stdout
    # A program beside itself.
    assert 0.5 < float(shown[2][1].split()[0]) < 2, done.stdout


def compare():
    """The module of `script/bench`."""
    spec = importlib.util.spec_from_file_location("compare", ROOT / "Benchmarks" / "compare.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_keeps_what_was_not_measured():
    bench = compare()
    page = (ROOT / "docs" / "performance.md").read_text()
    assert set(bench.BEGINNINGS) == set(bench.PARTS)
    # Each row belongs to one part, so that a run of all parts leaves none of an earlier one.
    table = page.partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ") and not line.startswith(("| what |", "| --- |"))]
    assert {bench.part_of(row) for row in rows} >= set(bench.PARTS) - {"liquid"}
    again = bench.renewed(page, {})
    assert sorted(again.splitlines()) == sorted(page.splitlines())
    renewed = bench.renewed(page, {"ingest": ["| API ingest, measured again | 1 |  |  |  |\n"]})
    assert renewed.partition("\n## ")[2] == page.partition("\n## ")[2] != ""
    changed = set(page.splitlines()) ^ set(renewed.splitlines())
    assert {line.partition(",")[0] for line in changed} == {"| API ingest"}
    with pytest.raises(RuntimeError, match="not the row of one part"):
        bench.renewed(page.replace("| API ingest", "| Something"), {})
