"""The corpus as requests to the core (`Packages/core/include/postrider.h`), for the packages of every language.

A package runs them in a small program of its own that reads one request from each line of its input,
`{"operation", "input", "options"}`, and writes the core's answer to a line of its output.
"""

import json
import pathlib

import pytest

from conftest import ROOT
from test_vectors import CORPUS, Members, comparable, minified, paths, read

DIST = ROOT / "dist"
# Vectors of rules that the checker only finds when it is told what the document is; `check` recognizes it.
UNRECOGNIZED = {
    "apns-aps-missing breaks": "a document without a member that is known",
    "apns-broadcast-channel-missing breaks": "a broadcast without its channel is a request to a device",
    "apns-payload-empty breaks": "nothing at all is no JSON",
    "fcm-legacy-request breaks": "a document without a member that is known",
}


def built(name):
    """A file of dist/, or the folder of it."""
    path = DIST / name
    if not path.exists():
        pytest.exit(f"{path} is not there; run: script/core", returncode=2)
    return path


class Request:
    """A request to the core, and what its answer must be."""

    def __init__(self, name, operation, text, options, expected):
        self.name, self.operation, self.text, self.options, self.expected = name, operation, text, options, expected

    @property
    def line(self):
        options = json.dumps(self.options, ensure_ascii=False)
        return json.dumps({"operation": self.operation, "input": self.text, "options": options}, ensure_ascii=False)

    def found(self, answer):
        """The part of an answer that vectors speak of."""
        result = read(answer)
        if self.operation == "check":
            findings = result.get("findings") or []
            return minified([Members((key, finding.get(key)) for key in ("rule", "severity", "field")) for finding in findings])
        return comparable(result)


def _reading(vector):
    options = {"platform": vector.get("platform"), "contract": vector.get("contract")}
    if vector.has("context"):
        options["badge"] = int(vector.get("context").get("badge"))
    return {name: value for name, value in options.items() if value is not None}


def _writing(vector):
    options = {"contract": vector.get("contract"), "no_provider_rules": True}
    if vector.has("platform"):
        options["platform"] = vector.get("platform")
    for key, value in vector.get("context") or Members():
        options[key] = int(value) if key == "now" else list(value) if key == "options" else str(value)
    return options


def _contracts():
    for path in paths():
        vector, name = read(path.read_text(encoding="utf-8")), f"{path.parent.name}/{path.stem}"
        expected = comparable(vector.get("expect"))
        if vector.has("raw") or vector.has("raw_text"):
            text = vector.get("raw_text") if vector.has("raw_text") else minified(vector.get("raw"))
            yield Request(name, "parse", text, _reading(vector), expected)
        else:
            yield Request(name, "render", minified(vector.get("message")), _writing(vector), expected)


def _rules():
    names = {"rules": "rules", "authentication": "apns_auth", "channel_storage": "channel_storage"}
    for path in sorted((CORPUS / "rules").glob("*.json")):
        # The WebAssembly module does not judge requests to Push Kit.
        if path.name.startswith("hms-"):
            continue
        vector = read(path.read_text(encoding="utf-8"))
        for side in ("breaks", "inside"):
            case, name = vector.get(side), f"{path.stem} {side}"
            if name in UNRECOGNIZED:
                continue
            options = {names[key]: value for key, value in case.get("settings") or []}
            if "channel_storage" in options:
                options["channel_storage"] = int(options["channel_storage"])
            text = case.get("text") if case.has("text") else minified(case.get("input"))
            yield Request(f"rules/{name}", "check", text, options, minified(case.get("expect")))


REQUESTS = [*_contracts(), *_rules()]


def check(output):
    """Compares the answers of a package, a line each, with the corpus; returns them by name."""
    answers = output.rstrip("\n").split("\n")
    assert len(answers) == len(REQUESTS)
    wrong = [request.name for request, answer in zip(REQUESTS, answers) if request.found(answer) != request.expected]
    assert not wrong, f"{len(wrong)} of {len(REQUESTS)}: {wrong[:20]}"
    return {request.name: answer for request, answer in zip(REQUESTS, answers)}


def write_requests(folder):
    """The requests as a file, a line each."""
    path = pathlib.Path(folder) / "requests.jsonl"
    path.write_text("".join(request.line + "\n" for request in REQUESTS), encoding="utf-8")
    return path
