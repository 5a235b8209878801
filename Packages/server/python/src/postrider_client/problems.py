"""The one error that calls raise."""

from __future__ import annotations

import datetime
import email.utils
from typing import Any

import httpx

from .models.finding import Finding
from .models.problem import Problem
from .types import Unset

PREFIX = "urn:postrider:problem:"


class PostriderError(Exception):
    """The server refused the request, could not be reached, or what answered is not Postrider.

    The members of the problem document (RFC 9457), and what the client knows besides.
    """

    def __init__(
        self,
        detail: str,
        *,
        request: httpx.Request,
        response: httpx.Response | None = None,
        problem: Problem | None = None,
        attempts: int = 1,
    ) -> None:
        super().__init__(detail)
        self.request = request
        #: None when there was no answer.
        self.response = response
        #: None when the answer is not one of Postrider's problems, such as that of a proxy.
        self.problem = problem
        #: How often the request was sent, or was tried to be sent. After the first, a DELETE may be refused with 404
        #: because an earlier one, whose answer was lost, did its work.
        self.attempts = attempts

    @property
    def status(self) -> int | None:
        """The HTTP status; None when there was no answer."""
        return None if self.response is None else self.response.status_code

    @property
    def type(self) -> str | None:
        """The problem's type, such as `urn:postrider:problem:invalid`."""
        return None if self.problem is None else self.problem.type_

    @property
    def kind(self) -> str | None:
        """The last part of the type: `invalid`, `not-found`, `too-many` … (docs/api.md, Errors)."""
        return None if self.type is None else self.type.removeprefix(PREFIX)

    @property
    def title(self) -> str | None:
        return None if self.problem is None else self.problem.title

    @property
    def detail(self) -> str:
        """What happened, where, and what to do."""
        return str(self.args[0])

    @property
    def request_id(self) -> str | None:
        """What the server's log calls the request."""
        return None if self.problem is None else self.problem.request_id

    @property
    def report(self) -> list[Finding]:
        """What the checks found, finding by finding."""
        if self.problem is None or isinstance(self.problem.report, Unset):
            return []
        return self.problem.report

    @property
    def retry_after(self) -> float | None:
        """In how many seconds the server wants to be asked again."""
        return None if self.response is None else retry_after(self.response)

    @property
    def idempotency_key(self) -> str | None:
        """The key that the request was sent with: the same request with the same key has its effect once."""
        key: str | None = self.request.headers.get("Idempotency-Key")
        return key

    def __str__(self) -> str:
        status = "no answer" if self.status is None else str(self.status)
        again = f" (after {self.attempts} attempts)" if self.attempts > 1 else ""
        return f"{self.request.method} {self.request.url.path}: {status}: {self.detail}{again}"


def problem_of(response: httpx.Response) -> Problem | None:
    """The problem document of an answer whose body has been read; None when it has none."""
    if not response.headers.get("Content-Type", "").startswith("application/problem+json"):
        return None
    try:
        members: Any = response.json()
        return Problem.from_dict(members)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def refusal(request: httpx.Request, response: httpx.Response, attempts: int) -> PostriderError | None:
    """The error that an answer is, once its body has been read; None for a success."""
    if response.is_success:
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            return None
        # A sign-in page of a network or a proxy answers 200; no operation answers HTML.
        return PostriderError(
            "the answer is HTML, which Postrider's API never sends", request=request, response=response, attempts=attempts
        )
    problem = problem_of(response)
    if problem is not None:
        return PostriderError(problem.detail, request=request, response=response, problem=problem, attempts=attempts)
    detail = f"{response.reason_phrase or 'an answer'} that is not one of Postrider's problems"
    return PostriderError(detail, request=request, response=response, attempts=attempts)


def retry_after(response: httpx.Response) -> float | None:
    """The seconds of `Retry-After`: a number, or a date (RFC 9110, 10.2.3)."""
    value = response.headers.get("Retry-After", "").strip()
    if not value:
        return None
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        date = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=datetime.UTC)
    return max(0.0, (date - datetime.datetime.now(datetime.UTC)).total_seconds())
