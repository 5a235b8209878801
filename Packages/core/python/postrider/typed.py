"""The functions of the package with dataclasses for answers.

>>> from postrider import typed
>>> typed.parse(b'{"aps":{"alert":"Hi","badge":3}}').badge
3
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Callable, Mapping, ParamSpec, TypeVar

import postrider

__all__ = [
    "APNsRequest", "Checked", "Explanation", "Finding", "LocatedFinding", "Parsed", "Previews", "Rendering", "check",
    "explain", "parse", "preview", "render",
]

JSON = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Finding:
    """One thing there is to say about a payload or message."""

    rule: str
    severity: str
    field: str
    message: str

    @classmethod
    def _of(cls, json: Mapping[str, Any]) -> Finding:
        return cls(json["rule"], json["severity"], json["field"], json["message"])


@dataclasses.dataclass(frozen=True)
class LocatedFinding(Finding):
    """A finding, where it is in the document that was checked, and what to do about it."""

    line: int
    column: int
    byte: int
    pointer: str
    fix: str | None

    @classmethod
    def _of(cls, json: Mapping[str, Any]) -> LocatedFinding:
        return cls(
            json["rule"], json["severity"], json["field"], json["message"], json["line"], json["column"], json["byte"],
            json["pointer"], json.get("fix"))


def _report(json: Mapping[str, Any]) -> list[Finding]:
    return [Finding._of(finding) for finding in json["report"]]


def _has_errors(findings: list[Finding]) -> bool:
    return any(finding.severity == "error" for finding in findings)


@dataclasses.dataclass(frozen=True)
class Parsed:
    """A raw payload that was read. Members that every contract shares are attributes; absent ones are None."""

    contract: str
    reason: str
    notification: JSON
    report: list[Finding]
    platform: str | None
    behavior: JSON | None

    @classmethod
    def _of(cls, json: JSON) -> Parsed:
        return cls(
            json["contract"], json["reason"], json["notification"], _report(json), json.get("platform"),
            json.get("behavior"))

    def _text(self, name: str) -> str | None:
        value = self.notification.get(name)
        return value if isinstance(value, str) else None

    @property
    def title(self) -> str | None:
        return self._text("title")

    @property
    def subtitle(self) -> str | None:
        return self._text("subtitle")

    @property
    def body(self) -> str | None:
        return self._text("body")

    @property
    def image(self) -> str | None:
        return self._text("image")

    @property
    def link(self) -> str | None:
        return self._text("link")

    @property
    def category(self) -> str | None:
        return self._text("category")

    @property
    def thread(self) -> str | None:
        return self._text("thread")

    @property
    def badge(self) -> int | None:
        value = self.notification.get("badge")
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    @property
    def actions(self) -> list[JSON]:
        value = self.notification.get("actions")
        return value if isinstance(value, list) else []

    @property
    def data(self) -> JSON:
        value = self.notification.get("data")
        return value if isinstance(value, dict) else {}

    @property
    def is_silent(self) -> bool:
        return self.notification.get("silent") is True

    @property
    def properties(self) -> JSON:
        """The contract's own properties under its own names."""
        value = self.notification.get(self.contract)
        return value if isinstance(value, dict) else {}

    @property
    def has_errors(self) -> bool:
        return _has_errors(self.report)


@dataclasses.dataclass(frozen=True)
class APNsRequest:
    """A request to APNs: its headers and its body."""

    headers: dict[str, str]
    payload: JSON


@dataclasses.dataclass(frozen=True)
class Rendering:
    """What a message becomes: one request for each platform, None where it is not valid."""

    apns: APNsRequest | None
    fcm: JSON | None
    report: list[Finding]

    @classmethod
    def _of(cls, json: JSON) -> Rendering:
        apns = json.get("apns")
        return cls(APNsRequest(apns["headers"], apns["payload"]) if apns else None, json.get("fcm"), _report(json))

    @property
    def has_errors(self) -> bool:
        return _has_errors(self.report)


@dataclasses.dataclass(frozen=True)
class Checked:
    """What the rules say of a document."""

    errors: int
    warnings: int
    notes: int
    findings: list[LocatedFinding]

    @classmethod
    def _of(cls, json: JSON) -> Checked:
        findings = [LocatedFinding._of(finding) for finding in json["findings"]]
        return cls(json["errors"], json["warnings"], json["notes"], findings)

    @property
    def has_errors(self) -> bool:
        return self.errors > 0


@dataclasses.dataclass(frozen=True)
class Explanation:
    """What an answer of a provider means, and what to look at next."""

    service: str
    reason: str
    status: int | None
    meaning: str
    action: str
    next: str


@dataclasses.dataclass(frozen=True)
class Previews:
    """What devices show; docs/preview.md describes each preview."""

    previews: list[JSON]
    report: list[Finding]


_Options = ParamSpec("_Options")
_Answer = TypeVar("_Answer")


def _typed(function: Callable[_Options, JSON], make: Callable[[JSON], _Answer]) -> Callable[_Options, _Answer]:
    """A function with the parameters of another, whose answer is a dataclass."""

    def call(*arguments: _Options.args, **options: _Options.kwargs) -> _Answer:
        return make(function(*arguments, **options))

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = f"``postrider.{function.__name__}`` with a dataclass for an answer."
    call.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return call


def _preview(json: JSON) -> Previews:
    if "previews" not in json:
        raise ValueError('with format="text" there is a text and no dataclass: call postrider.preview')
    return Previews(json["previews"], _report(json))


parse = _typed(postrider.parse, Parsed._of)
render = _typed(postrider.render, Rendering._of)
check = _typed(postrider.check, Checked._of)
preview = _typed(postrider.preview, _preview)


def explain(reason: postrider.Document | int) -> list[Explanation]:
    """``postrider.explain`` with dataclasses."""
    return [
        Explanation(
            json["service"], json["reason"], json.get("status"), json["meaning"], json["action"], json["next"])
        for json in postrider.explain(reason)
    ]
