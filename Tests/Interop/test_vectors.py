"""Runs the public corpus `Vectors/<contract>/*.json` against the `postrider` command, and nothing else of Postrider.

It is the proof that the vectors are language-neutral: all it takes is a JSON parser that keeps the order of keys and the
text of numbers. `Vectors/README.md` describes the files.
"""

import json
import subprocess

import pytest

from conftest import ROOT, command

CORPUS = ROOT / "Vectors"
# Folders of the corpus that hold other kinds of cases; their own READMEs describe them.
OTHER = {"api", "browser", "devicetext", "fcm-tokens", "fcm-v1", "hms", "liquid", "live", "rules", "wirejson"}

OPTIONS = {
    "topic": "--topic",
    "campaign": "--campaign",
    "token": "--token",
    "fid": "--fid",
    "fcm_topic": "--fcm-topic",
    "condition": "--condition",
    "apns_id": "--apns-id",
    "now": "--now",
    "language": "--language",
}


class Number(str):
    """A number by its text: 1, 1.0 and 1e0 are different on the wire."""


class Members(list):
    """An object as its members in order, repeated names included."""

    def get(self, name):
        return next((value for key, value in self if key == name), None)

    def has(self, name):
        return any(key == name for key, _ in self)


def read(text):
    return json.loads(text, object_pairs_hook=Members, parse_int=Number, parse_float=Number)


def minified(value):
    """The bytes that go on the wire: no spaces, raw UTF-8, keys in their order."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, Members):
        return "{" + ",".join(json.dumps(k, ensure_ascii=False) + ":" + minified(v) for k, v in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(minified(v) for v in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def comparable(result):
    """A result with the findings by rule, severity and field; sentences are for people and may get better."""
    kept = Members()
    for key, value in result:
        if key == "reason":
            continue
        if key == "report":
            value = [Members((k, v) for k, v in finding if k != "message") for finding in value]
        kept.append((key, value))
    return minified(kept)


def invocation(vector):
    """The arguments and the standard input for one vector."""
    contract = vector.get("contract")
    if vector.has("raw") or vector.has("raw_text"):
        arguments = ["parse", "--platform", vector.get("platform")]
        if contract is not None:
            arguments += ["--contract", contract]
        if vector.has("context"):
            arguments += ["--badge", str(vector.get("context").get("badge"))]
        raw = vector.get("raw_text") if vector.has("raw_text") else minified(vector.get("raw"))
        return arguments, raw
    # The vectors hold what the contracts say; what the providers would say of it is another corpus, Vectors/rules.
    arguments = ["render", "--no-provider-rules", "--contract", contract]
    if vector.has("platform"):
        arguments += ["--platform", vector.get("platform")]
    context = vector.get("context") or Members()
    if not context.has("now"):
        arguments += ["--now", "none"]
    for key, value in context:
        if key == "options":
            for option in value:
                arguments += ["--option", option]
        else:
            arguments += [OPTIONS[key], str(value)]
    return arguments, minified(vector.get("message"))


def paths():
    for folder in sorted(p for p in CORPUS.iterdir() if p.is_dir() and p.name not in OTHER):
        yield from sorted(folder.glob("*.json"))


@pytest.mark.parametrize("path", paths(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_vector(path):
    vector = read(path.read_text(encoding="utf-8"))
    arguments, text = invocation(vector)
    run = subprocess.run([command(), *arguments], input=text.encode(), capture_output=True, timeout=60)
    assert run.returncode in (0, 1), run.stderr.decode()
    actual = read(run.stdout.decode())
    expected = vector.get("expect")
    assert comparable(actual) == comparable(expected)
    is_refused = any(finding.get("severity") == "error" for finding in expected.get("report"))
    assert run.returncode == int(is_refused)


def test_every_contract_has_vectors():
    listed = subprocess.run([command(), "contracts", "--format", "json"], capture_output=True, check=True).stdout
    for contract in json.loads(listed):
        assert list((CORPUS / contract["name"]).glob("*.json")), f"no vectors for {contract['name']}"


def test_the_comparison_sees_order_and_number_text():
    assert minified(read('{"b": 1.0, "a": [1, "é\\u0001"]}')) == '{"b":1.0,"a":[1,"é\\u0001"]}'
    assert minified(read('{"a":1,"b":2}')) != minified(read('{"b":2,"a":1}'))
