"""What `postrider check` prints for other programs: SARIF 2.1.0 against the object model that PyPI sarif-om generates from
its schema, JUnit against a parser, and both against the JSON format's counts."""

import json
import pathlib
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import attr
import pytest
import sarif_om

from conftest import ROOT, command

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
    "fullyQualifiedName": lambda v: isinstance(v, str) and v, "kind": lambda v: isinstance(v, str) and v,
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


def test_sarif_is_that_of_the_schema(folder):
    log = json.loads(run(folder, "sarif"))
    assert log["version"] == "2.1.0"
    assert problems(log, sarif_om.SarifLog) == []
    (result,) = log["runs"]
    ids = [rule["id"] for rule in result["tool"]["driver"]["rules"]]
    assert len(ids) == len(set(ids))
    for finding in result["results"]:
        assert ids[finding["ruleIndex"]] == finding["ruleId"]


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
