"""Holds Postrider's device models against Android's own org.json, and the comparison against itself."""

import os
import pathlib
import subprocess
import sys

import pytest

import differential

HERE = pathlib.Path(__file__).resolve().parent
ORG_JSON = pathlib.Path("/usr/share/java/com.android.json.jar")
SEED = int(os.environ.get("POSTRIDER_SEED", "20261122"))
CASES = 12_000


def options(*words):
    return differential.arguments(["--seed", str(SEED), *words])


def words(found):
    return "\n".join(f"{problem}\n    {line}" for problem, line in found[:10])


@pytest.fixture(scope="session")
def android_reader(tmp_path_factory):
    folder = tmp_path_factory.mktemp("android")
    compiled = ["javac", "-Xlint:all", "-Werror", "-cp", ORG_JSON, "-d", folder, HERE / "AndroidReader.java"]
    subprocess.run(compiled, check=True, timeout=120)
    return ["java", "-cp", f"{folder}:{ORG_JSON}", "AndroidReader"]


def test_android_reads_what_our_models_read(android_reader):
    chosen = options("--cases", str(CASES), "--contract", "adobe", "--platform", "android", "--", *android_reader)
    known, found = differential.compare(chosen)
    assert known > CASES / 2, f"seed {SEED}: the program knows {known} of {CASES} payloads"
    assert not found, f"seed {SEED}: {len(found)} differences, such as\n{words(found)}"


def test_the_models_agree_with_themselves():
    chosen = options("--cases", "4000", "--", options("x").models)
    known, found = differential.compare(chosen)
    assert known == 4000 and not found, words(found)


WRONG = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "outcome": "shown", "title": "?"}))
"""


def test_a_program_that_shows_something_else_is_found(capsys):
    status = differential.main(["--seed", str(SEED), "--cases", "2000", "--", sys.executable, "-c", WRONG])
    assert status == 1 and " 0 differences" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "answer, problem",
    [
        ({"id": 0, "outcome": "shown", "title": "T"}, None),
        ({"id": 0, "outcome": "shown"}, None),
        ({"id": 0, "outcome": "unknown"}, None),
        ({"id": 0, "outcome": "fallback"}, "outcome"),
        ({"id": 0, "outcome": "drawn"}, "none of the outcomes"),
        ({"id": 0, "outcome": "shown", "title": "U"}, "title"),
        (None, "no answer"),
    ],
)
def test_what_a_difference_is(answer, problem):
    found = differential.difference({"id": 0, "outcome": "shown", "title": "T", "body": "B"}, answer)
    assert (found is None) == (problem is None) and (problem is None or problem in found)
