from __future__ import annotations

from typing import Any, Mapping


class PostriderError(ValueError):
    """An option that is wrong, or an input that cannot be read.

    ``kind`` is ``usage``, ``unreadable`` or ``unknown``; ``what`` is one sentence, ``where`` the option or the position in
    the input, and ``fix`` what to do. ``line``, ``column``, ``byte`` and ``pointer`` are those of a text that is not JSON.
    """

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(f"{error['what']} ({error['fix']})")
        self.kind: str = error["kind"]
        self.what: str = error["what"]
        self.where: str = error["where"]
        self.fix: str = error["fix"]
        self.line: int | None = error.get("line")
        self.column: int | None = error.get("column")
        self.byte: int | None = error.get("byte")
        self.pointer: str | None = error.get("pointer")
