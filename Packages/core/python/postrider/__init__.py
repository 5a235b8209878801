"""Reads, writes, checks, explains and previews push payloads of APNs and FCM, as the command `postrider` does.

>>> import postrider
>>> postrider.parse('{"aps":{"alert":"Hi"},"deep_link":"/home"}')["notification"]["body"]
'Hi'

Every function answers with the JSON document of the command of the same name, as a dict or list. ``postrider.typed`` has
the same functions with dataclasses for answers. A mistake in options, or an input that is not JSON, is a
``PostriderError``; what is wrong with a payload or a message is in the answer's ``report``.
"""

from __future__ import annotations

import json
import time
from typing import Any, Iterable, Literal, Mapping, Sequence, Union

from . import _module
from ._errors import PostriderError

__all__ = [
    "INTERFACE_VERSION", "PostriderError", "check", "contract_table", "contracts", "diff", "explain", "parse", "preview",
    "render",
]
__version__ = "0.1.0"

INTERFACE_VERSION = _module.INTERFACE_VERSION

Document = Union[bytes, bytearray, memoryview, str, Mapping[str, Any]]
Platform = Literal["ios", "android"]
Now = Union[int, None, Literal["clock"]]


def parse(
    payload: Document, platform: Platform | None = None, contract: str | None = None, *, push_type: str | None = None,
    badge: int | None = None,
) -> dict[str, Any]:
    """Reads a raw payload back into typed properties, and names its contract.

    ``payload`` is what the device received: for iOS the APNs payload; for Android the FCM message, or the flat map of
    strings that the app is handed. Without ``platform`` and ``contract`` its members say what it is. ``badge`` is the number
    on the app's icon before; the answer then has ``behavior``.
    """
    options = {"platform": platform, "contract": contract, "push_type": push_type, "badge": badge}
    return _object("parse", _content(payload), options)


def render(
    message: Document, contract: str, platform: Platform | None = None, *, topic: str | None = None,
    token: str | None = None, fid: str | None = None, fcm_topic: str | None = None, condition: str | None = None,
    apns_id: str | None = None, now: Now = "clock", language: str | None = None, campaign: str | None = None,
    options: Sequence[str] = (), provider_rules: bool = True,
) -> dict[str, Any]:
    """Writes a message in a contract: the exact APNs and FCM requests, and a report.

    ``now`` is the time in seconds since 1970, or None for no time at all. Nothing may be sent when the report has an error.
    """
    given = {
        "contract": contract, "platform": platform, "topic": topic, "token": token, "fid": fid, "fcm_topic": fcm_topic,
        "condition": condition, "apns_id": apns_id, "now": _seconds(now), "language": language, "campaign": campaign,
        "options": list(options) or None, "no_provider_rules": True if not provider_rules else None,
    }
    return _object("render", _content(message), given)


def check(
    document: Document, contract: str | None = None, platform: Platform | None = None, *, options: Sequence[str] = (),
    push_type: str | None = None, topic: str | None = None, rules: Iterable[str] = (), apns_auth: str | None = None,
    channel_storage: int | None = None, fcm_topic_bytes: int | None = None, as_sent: bool = False, now: Now = "clock",
    file: str | None = None,
) -> dict[str, Any]:
    """Checks a payload or request, or with ``contract`` a message, against the providers' rules.

    Findings have positions in ``document``: give bytes or text where they matter. ``rules`` are applied differently, such as
    ``"apns-unknown-key=off"``.
    """
    given = {
        "contract": contract, "platform": platform, "options": list(options) or None, "push_type": push_type,
        "topic": topic, "rules": list(rules) or None, "apns_auth": apns_auth, "channel_storage": channel_storage,
        "fcm_topic_bytes": fcm_topic_bytes, "as_sent": True if as_sent else None, "now": _seconds(now), "file": file,
    }
    return _object("check", _content(document), given)


def explain(reason: Document | int) -> list[dict[str, Any]]:
    """Explains an APNs reason, an FCM error code, a status, or the whole body of a provider's answer."""
    return _list("explain", _content(str(reason) if isinstance(reason, int) else reason), {})


def preview(
    document: Document, platform: Platform | None = None, contract: str | None = None, *, locales: Sequence[str] = (),
    strings: Mapping[str, Any] | None = None, development_locale: str | None = None, ios_first: str | None = None,
    ios_missing_argument: str | None = None, app: str | None = None, topic: str | None = None,
    campaign: str | None = None, options: Sequence[str] = (), age: int | None = None, collapse_id: str | None = None,
    push_type: str | None = None, now: Now = "clock", format: Literal["json", "text"] = "json", svg: bool = False,
    appearance: Literal["light", "dark"] | None = None, surfaces: Sequence[str] = (), captions: bool | None = None,
    form: Literal["message", "payload"] | None = None,
) -> dict[str, Any]:
    """Shows what devices make of a raw payload, or with ``contract`` of a message: the text of each surface.

    ``strings`` are the app's string tables, paths in its project and their texts. With ``format="text"`` the answer is
    ``{"text": …}``, for a person. With ``svg`` each preview has a picture of its surfaces, or of some: ``surfaces``.
    ``form`` says what the document is; if absent, its members do.
    """
    given = {
        "platform": platform, "contract": contract, "locales": list(locales) or None,
        "strings": dict(strings) if strings is not None else None, "development_locale": development_locale,
        "ios_first": ios_first, "ios_missing_argument": ios_missing_argument, "app": app, "topic": topic,
        "campaign": campaign, "options": list(options) or None, "age": age, "collapse_id": collapse_id,
        "push_type": push_type, "now": _seconds(now), "format": format if format != "json" else None,
        "svg": svg or None, "appearance": appearance, "surfaces": list(surfaces) or None, "captions": captions, "form": form,
    }
    return _object("preview", _content(document), given)


def contracts() -> list[dict[str, str]]:
    """The payload contracts, each with its name and one sentence."""
    return _list("contracts", b"", {})


def contract_table(name: str) -> dict[str, Any]:
    """Where each field of a contract is in the requests."""
    return _object("contracts", b"", {"show": name})


def diff(
    message: Document, old: str, new: str, *, topic: str | None = None, campaign: str | None = None, now: Now = "clock",
    language: str | None = None, options: Sequence[str] = (),
) -> dict[str, Any]:
    """What changes for a message when its app moves from one contract to another."""
    given = {
        "diff": [old, new], "topic": topic, "campaign": campaign, "now": _seconds(now), "language": language,
        "options": list(options) or None,
    }
    return _object("contracts", _content(message), given)


def answer(operation: str, content: bytes, options: bytes = b"") -> bytes:
    """The answer of the core as it is: JSON in UTF-8, errors included (docs/core.md)."""
    return _module.answer(operation, bytes(content), bytes(options))


def _seconds(now: Now) -> int | None:
    return int(time.time()) if now == "clock" else now


def _content(document: Document) -> bytes:
    if isinstance(document, bytes):
        return document
    if isinstance(document, str):
        # A lone surrogate becomes what no UTF-8 has, and is named in the error.
        return document.encode("utf-8", "surrogatepass")
    if isinstance(document, (bytearray, memoryview)):
        return bytes(document)
    return _json(document)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "surrogatepass")


def _object(operation: str, content: bytes, options: Mapping[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = _answer(operation, content, options)
    return result


def _list(operation: str, content: bytes, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = _answer(operation, content, options)
    return result


def _answer(operation: str, content: bytes, options: Mapping[str, Any]) -> Any:
    given = {name: value for name, value in options.items() if value is not None}
    result = json.loads(_module.answer(operation, content, _json(given) if given else b""))
    if isinstance(result, dict) and "error" in result:
        raise PostriderError(result["error"])
    return result
