"""Google's discovery document, as PyPI google-api-python-client ships it: every field, type and enumeration is known.

For each field of each schema a message is written that has it, in both spellings; none may be unknown to us, and each must
be refused with a value of another type. `FCMSchemaTests` compares the tables; this goes through the command.
"""

import importlib.resources
import json
import re

import pytest

from checking import check, errors

DOCUMENT = json.loads(
    importlib.resources.files("googleapiclient").joinpath("discovery_cache/documents/fcm.v1.json").read_text())
SCHEMAS = DOCUMENT["schemas"]
# What says that a field, its type or its value is none of ours.
UNKNOWN = {"fcm-unknown-field", "fcm-field-type", "fcm-enum-unknown", "fcm-data-not-string", "apns-field-type"}
# A right and a wrong value for each type and format.
VALUES = {
    ("string", None): ("x", 5),
    ("string", "google-duration"): ("3.5s", "3.5"),
    ("string", "google-datetime"): ("2026-01-31T09:00:00Z", "yesterday"),
    ("boolean", None): (True, "yes"),
    ("integer", "int32"): (3, 1.5),
    ("number", "float"): (0.5, "much"),
}


def snake(name):
    return re.sub("([A-Z])", lambda match: "_" + match.group(1).lower(), name)


def values(description):
    """A right and a wrong value for a property that is no object of its own."""
    if "enum" in description:
        return description["enum"][-1], "NO_SUCH_VALUE"
    if description["type"] == "array":
        right, wrong = values(description["items"])
        return [right, right], [right, wrong]
    if "additionalProperties" in description:
        if description["additionalProperties"]["type"] == "any":
            return {"x": {"y": [1, None]}}, ["x"]
        return {"x": "y"}, {"x": 5}
    return VALUES[description["type"], description.get("format")]


def fields(schema, path=()):
    """Every property below a schema: its path, and its description."""
    for name, description in SCHEMAS[schema]["properties"].items():
        place = (*path, name)
        yield place, description
        if "$ref" in description:
            yield from fields(description["$ref"], place)


def document(path, value):
    for name in reversed(path):
        value = {name: value}
    return value


def problems(findings, path):
    """The findings of these rules that stand at the field or below it."""
    pointer = "/" + "/".join(path)
    return [f["rule"] for f in findings if f["rule"] in UNKNOWN and (f["pointer"] + "/").startswith(pointer + "/")]


FIELDS = list(fields("SendMessageRequest"))


def test_the_document_is_the_one_that_the_vectors_were_taken_from():
    assert len(FIELDS) > 100
    assert DOCUMENT["revision"] == "20261023", "a new revision: bring Vectors/fcm-v1/fields.json and the models up to it"


@pytest.mark.parametrize("spelling", [str, snake], ids=["camel", "snake"])
def test_every_field_is_known_and_holds_its_type(tmp_path, spelling):
    rows, documents = [], []
    for path, description in FIELDS:
        right, wrong = ({}, []) if "$ref" in description else values(description)
        path = tuple(spelling(name) for name in path)
        if path == (spelling("validateOnly"),):
            rest = {"message": {"token": "t"}}
        else:
            rest = {}
        for value, is_right in ((right, True), (wrong, False)):
            rows.append((path, value, is_right))
            documents.append({**document(path, value), **rest})
    for (path, value, is_right), findings in zip(rows, check(tmp_path / "d", documents, "--platform", "android")):
        found = problems(findings, path)
        if is_right:
            assert not found, f"{'.'.join(path)} = {value!r}: {found}"
        else:
            assert found, f"{'.'.join(path)} = {value!r} passes: {findings}"


def test_every_value_of_every_enumeration_is_known(tmp_path):
    rows = [(path, value) for path, description in FIELDS for value in description.get("enum", [])]
    assert len(rows) > 20
    documents = [document(path, value) for path, value in rows]
    for (path, value), findings in zip(rows, check(tmp_path / "d", documents, "--platform", "android")):
        assert not problems(findings, path), f"{'.'.join(path)} = {value}: {findings}"


def test_a_field_that_google_does_not_have_is_reported(tmp_path):
    owners = [path for path, description in FIELDS if "$ref" in description]
    documents = [document((*path, "noSuchField"), "x") for path in owners]
    for path, findings in zip(owners, check(tmp_path / "d", documents, "--platform", "android")):
        assert "fcm-unknown-field" in [f["rule"] for f in errors(findings)], f"{'.'.join(path)}: {findings}"
