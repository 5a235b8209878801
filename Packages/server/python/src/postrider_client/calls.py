"""What the generated methods need around a call."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from .models.problem import Problem
from .types import Response, Unset

T = TypeVar("T")


class Verbatim:
    """A body that is sent as it was given; the server checks it, and says exactly what is wrong."""

    def __init__(self, members: Mapping[str, Any]) -> None:
        self.members = members

    def to_dict(self) -> dict[str, Any]:
        return dict(self.members)


def body_of(body: T | Mapping[str, Any]) -> T:
    """A model as it is; of a mapping, what the generated code takes for a model: it asks for `to_dict` and nothing else."""
    return cast(T, Verbatim(body)) if isinstance(body, Mapping) else body


def key_of(key: str | Unset) -> str:
    """The caller's idempotency key, or a new one; a retry sends the same request, and so the same key."""
    return str(uuid.uuid4()) if isinstance(key, Unset) else key


def parsed(answer: Response[T | Problem]) -> T:
    """The answer's value; problems were raised when they arrived."""
    assert not isinstance(answer.parsed, Problem)
    return cast(T, answer.parsed)
