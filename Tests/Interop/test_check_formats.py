"""What `postrider check` prints for other programs: SARIF 2.1.0 against a closed schema of the objects it writes (by PyPI
jsonschema), against the object model that PyPI sarif-om generates from the standard's schema and against PyPI
sarif-pydantic; JUnit against a parser; and both against the JSON format's counts."""

import json
import os
import pathlib
import random
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import attr
import jsonschema
import pytest
import sarif_om
from sarif_pydantic import Sarif

from conftest import ROOT, command

FORMATS = jsonschema.Draft7Validator.FORMAT_CHECKER
SCHEMA = json.loads((pathlib.Path(__file__).parent / "sarif-emitted.schema.json").read_text(encoding="utf-8"))
jsonschema.Draft7Validator.check_schema(SCHEMA)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA, format_checker=FORMATS)

# Which class of the model stands at a property; every other property holds a plain value.
CLASSES = {
    "runs": sarif_om.Run, "tool": sarif_om.Tool, "driver": sarif_om.ToolComponent, "rules": sarif_om.ReportingDescriptor,
    "shortDescription": sarif_om.MultiformatMessageString, "help": sarif_om.MultiformatMessageString,
    "defaultConfiguration": sarif_om.ReportingConfiguration, "invocations": sarif_om.Invocation,
    "toolExecutionNotifications": sarif_om.Notification, "results": sarif_om.Result, "message": sarif_om.Message,
    "locations": sarif_om.Location, "physicalLocation": sarif_om.PhysicalLocation,
    "artifactLocation": sarif_om.ArtifactLocation, "region": sarif_om.Region, "logicalLocations": sarif_om.LogicalLocation,
}
# Plain values whose schema says more than their type.
VALUES = {
    "version": lambda v: isinstance(v, str), "level": lambda v: v in ("none", "note", "warning", "error"),
    "columnKind": lambda v: v in ("utf16CodeUnits", "unicodeCodePoints"), "uri": lambda v: re.fullmatch(r"[!#$%&'()*+,/:;=?@\[\]A-Za-z0-9._~-]+", v),
    "startLine": lambda v: type(v) is int and v >= 1, "startColumn": lambda v: type(v) is int and v >= 1,
    "ruleIndex": lambda v: type(v) is int and v >= -1, "executionSuccessful": lambda v: type(v) is bool,
    "text": lambda v: isinstance(v, str) and v, "id": lambda v: isinstance(v, str) and v,
    "ruleId": lambda v: isinstance(v, str) and v, "name": lambda v: isinstance(v, str) and v,
    "enabled": lambda v: type(v) is bool, "fullyQualifiedName": lambda v: isinstance(v, str) and v, "kind": lambda v: isinstance(v, str) and v,
    "$schema": lambda v: v.endswith("/sarif-schema-2.1.0.json"),
}


def problems(value, model, path="$"):
    """Properties that the schema does not have, lacks, or has with other values."""
    if not isinstance(value, dict):
        return [f"{path} is no object"]
    known = {a.metadata["schema_property_name"]: a for a in attr.fields(model)}
    found = [f"{path} lacks {n}" for n, a in known.items() if a.default is attr.NOTHING and n not in value]
    for name, inner in value.items():
        place = f"{path}.{name}"
        if name not in known:
            found.append(f"{place} is not in the schema")
        elif name in CLASSES:
            for index, element in enumerate(inner if isinstance(inner, list) else [inner]):
                found += problems(element, CLASSES[name], f"{place}[{index}]")
        elif name not in VALUES or not VALUES[name](inner):
            found.append(f"{place} = {inner!r}")
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Documents that break each rule, one legal one, one that is no JSON; names that need escaping."""
    folder = tmp_path_factory.mktemp("documents") / "käse & <co> 100%"
    folder.mkdir()
    for path in sorted((ROOT / "Vectors" / "rules").glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))["breaks"]
        text = case["text"] if "text" in case else json.dumps(case["input"], ensure_ascii=False, indent=1)
        (folder / path.name).write_text(text, encoding="utf-8")
    (folder / "legal.json").write_text('{"aps":{"alert":"x"}}')
    (folder / "not json.json").write_text('{"aps":')
    (folder / "braces.json").write_text('{"aps":{"alert":"x","{0}":1,"\\u0007\\u202e":2}}')
    (folder / "unreadable.json").symlink_to(folder / "unreadable.json.d")
    (folder / "unreadable.json.d").mkdir()
    return folder


def run(folder, form):
    operands = [str(folder), str(folder / "nothing-there.json")]
    done = subprocess.run([command(), "check", "--format", form, *operands], capture_output=True, timeout=60)
    assert done.returncode == 3, done.stderr.decode()
    return done.stdout


def unmodelled(model, path="$"):
    """Members that sarif-pydantic, which lets them pass, has no field for."""
    found = [f"{path}.{name}" for name in (getattr(model, "model_extra", None) or {})]
    for name in type(model).model_fields if hasattr(type(model), "model_fields") else ():
        inner = getattr(model, name)
        for index, element in enumerate(inner if isinstance(inner, list) else [inner]):
            if hasattr(type(element), "model_fields"):
                found += unmodelled(element, f"{path}.{name}[{index}]")
    return found


# What sarif-pydantic 0.6.2 has not, and the standard has (3.14.27, 3.20.21).
UNMODELLED = {"columnKind", "toolExecutionNotifications"}


def refusals(log):
    """What anybody has to say against a log: the closed schema, both models, and the standard's words beyond its schema."""
    found = [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(log)]
    found += problems(log, sarif_om.SarifLog)
    found += [f"{place} is not in the model" for place in unmodelled(Sarif.model_validate(log)) if place.split(".")[-1] not in UNMODELLED]
    (result,) = log["runs"]
    ids = [rule["id"] for rule in result["tool"]["driver"]["rules"]]
    found += [] if len(ids) == len(set(ids)) else ["a rule occurs twice"]
    found += [f"{r['ruleId']} is not rule {r['ruleIndex']}" for r in result["results"] if ids[r["ruleIndex"]] != r["ruleId"]]
    return found


def sarif(*arguments, text=None):
    done = subprocess.run([command(), "check", "--format", "sarif", *map(str, arguments)], input=text, capture_output=True, timeout=300)
    assert done.returncode in (0, 1, 3), done.stderr.decode()
    return json.loads(done.stdout)


def test_sarif_is_that_of_the_schema(folder):
    log = json.loads(run(folder, "sarif"))
    assert log["version"] == "2.1.0"
    assert refusals(log) == []
    assert len(log["runs"][0]["results"]) > 80


def test_sarif_of_every_contract_is_that_of_the_schema(tmp_path):
    """Messages of every contract, each checked as a message of every contract."""
    folder, count = tmp_path / "messages", 0
    folder.mkdir()
    for path in sorted((ROOT / "Vectors").glob("*/*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        if "message" in case:
            (folder / f"{path.parent.name}-{path.name}").write_text(json.dumps(case["message"], ensure_ascii=False), encoding="utf-8")
            count += 1
    assert count > 500
    rules = set()
    for contract in ("amba", "imkit", "powerauth", "adobe", "onesignal", "native"):
        log = sarif("--contract", contract, folder)
        assert refusals(log) == [], contract
        rules |= {rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]}
    assert len(rules) > 60


def test_sarif_of_random_documents_is_that_of_the_schema(tmp_path):
    """Documents broken by chance, under names that need escaping, at other levels, and from standard input."""
    seed = int(os.environ.get("POSTRIDER_SEED", random.SystemRandom().getrandbits(32)))
    print(f"seed {seed}")
    dice = random.Random(seed)
    sources = [path.read_bytes() for path in sorted((ROOT / "Vectors" / "rules").glob("*.json"))]
    names = ["a b", "ä", "\u202e", "100%", "a:b", "#?&", "{0}", "\\", "'\"", "\n", "\x7f", "😀", "[x]"]
    for turn in range(8):
        folder = tmp_path / f"{turn}{dice.choice(names)}"
        folder.mkdir()
        for index in range(100):
            bytes_ = bytearray(dice.choice(sources))
            for _ in range(dice.randrange(6)):
                place = dice.randrange(len(bytes_))
                bytes_[place:place + dice.randrange(4)] = dice.choice([b"", b"{", b"\xff", b"\\u0000", b'"', b"[1]", b"{}", b",", b"{{x}}"])
            (folder / f"{index}{dice.choice(names)}.json").write_bytes(bytes_)
        (folder / os.fsdecode(b"\xff.json")).write_bytes(b"{}")
        options = dice.choice([[], ["--push-type", "alert"], ["--rule", "json-invalid=note"], ["--contract", "native"],
                               ["--platform", "android"], ["--rule", "fcm-token-deprecated=warning"]])
        log = sarif(*options, folder)
        assert refusals(log) == [], (seed, turn, options)
        # A name that is no text is told, not passed over.
        told = log["runs"][0]["invocations"][0]["toolExecutionNotifications"]
        assert [note for note in told if "the name is not UTF-8" in note["message"]["text"]], (seed, turn, options)
        assert refusals(sarif(*options, text=bytes(bytes_))) == [], (seed, turn, options)


def test_the_schema_refuses_what_the_standard_refuses():
    """Each of these is a log of ours but for one thing that SARIF 2.1.0 does not allow."""
    log = sarif("--rule", "fcm-token-deprecated=warning", text=b'{"aps":{"alert":"x","{0}":1}}')
    assert refusals(log) == []

    def broken(change):
        copy = json.loads(json.dumps(log))
        change(copy["runs"][0])
        return list(VALIDATOR.iter_errors(copy))

    changes = [
        lambda r: r.update(extra=1), lambda r: r.pop("tool"), lambda r: r.update(columnKind="bytes"), lambda r: r.update(results={}),
        lambda r: r["tool"]["driver"].pop("name"), lambda r: r["tool"]["driver"]["rules"].append(r["tool"]["driver"]["rules"][0]),
        lambda r: r["tool"]["driver"]["rules"][0].pop("id"), lambda r: r["tool"]["driver"]["rules"][0]["help"].pop("text"),
        lambda r: r["tool"]["driver"]["rules"][0]["defaultConfiguration"].update(level="fatal"),
        lambda r: r["invocations"][0].pop("executionSuccessful"), lambda r: r["invocations"][0].update(executionSuccessful=1),
        lambda r: r["results"][0].pop("message"), lambda r: r["results"][0].update(level="info"),
        lambda r: r["results"][0].update(ruleIndex="0"), lambda r: r["results"][0].update(ruleIndex=-2),
        lambda r: r["results"][0]["message"].update(text="a {0} b"),
        lambda r: r["results"][0]["locations"][0]["physicalLocation"]["region"].update(startLine=0),
        lambda r: r["results"][0]["locations"][0]["physicalLocation"]["region"].update(startColumn=0),
        lambda r: r["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"].update(uri="a b"),
        lambda r: r["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"].update(uri="%zz"),
        lambda r: r["results"][0]["locations"][0]["logicalLocations"].append(r["results"][0]["locations"][0]["logicalLocations"][0]),
        lambda r: r["results"][0]["locations"][0]["logicalLocations"][0].update(kind=1),
    ]
    for number, change in enumerate(changes):
        assert broken(change), number
    assert list(VALIDATOR.iter_errors({**log, "version": "2.0.0"}))


def test_the_comparison_sees_what_it_should():
    run = {"tool": {"driver": {"name": "x"}}, "results": [{"message": {"text": "t"}}]}
    good = {"version": "2.1.0", "runs": [run]}
    assert problems(good, sarif_om.SarifLog) == []
    for bad in ({**good, "x": 1}, {"version": "2.1.0"}, {**good, "runs": [{"results": []}]},
                {**good, "runs": [{**run, "results": [{"message": {"text": "t"}, "level": "fatal"}]}]}):
        assert problems(bad, sarif_om.SarifLog), bad


def test_every_format_has_the_same_findings(folder):
    document = json.loads(run(folder, "json"))
    (log,) = json.loads(run(folder, "sarif"))["runs"]
    levels = [result["level"] for result in log["results"]]
    assert {name: levels.count(name) for name in ("error", "warning", "note")} == {
        "error": document["errors"], "warning": document["warnings"], "note": document["notes"]}
    assert [(r["ruleId"], r["locations"][0]["physicalLocation"]["region"]) for r in log["results"]] == [
        (f["rule"], {"startLine": f["line"], "startColumn": f["column"]}) for f in document["findings"]]
    assert len(log["invocations"][0]["toolExecutionNotifications"]) == len(document["unreadable"]) == 1
    assert document["errors"] > 50 and document["warnings"] > 20


def test_junit_is_well_formed_and_counts_what_it_holds(folder):
    document = json.loads(run(folder, "json"))
    root = ElementTree.fromstring(run(folder, "junit"))
    (suite,) = root
    cases = list(suite)
    assert root.tag == "testsuites" and suite.tag == "testsuite" and {case.tag for case in cases} == {"testcase"}
    failures = [case for case in cases if case.find("failure") is not None]
    broken = [case for case in cases if case.find("error") is not None]
    for element in (root, suite):
        counts = [int(element.get(name)) for name in ("tests", "failures", "errors")]
        assert counts == [len(cases), len(failures), len(broken)]
    assert len(cases) == document["files"]
    names = [case.get("name") for case in cases]
    assert names == sorted(names[:-1]) + names[-1:] and len(set(names)) == len(names)
    assert {pathlib.Path(case.get("name")).name for case in broken} >= {"not json.json", "nothing-there.json"}
    files = {f["file"] for f in document["findings"] if f["severity"] == "error"}
    assert {case.get("name") for case in failures} == files - {case.get("name") for case in broken}
