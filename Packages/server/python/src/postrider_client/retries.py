"""When a request is sent again, and after how long."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass
from typing import Any

import httpx

from .problems import PREFIX, PostriderError, problem_of, refusal, retry_after

#: Methods that have the same effect once and several times (RFC 9110, 9.2.2).
IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})
#: The server, or what is in front of it, could not do it now.
PASSING = frozenset({429, 502, 503, 504})
#: Problems after which Postrider has changed nothing: repeating them is safe for every method.
UNCHANGED = frozenset({PREFIX + "too-many", PREFIX + "busy", PREFIX + "store-failed"})
#: Failures before the first byte was sent.
UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@dataclass(frozen=True)
class Retries:
    """How often and how patiently a request is repeated; `Retries(attempts=1)` repeats none."""

    #: Attempts in all, the first one included.
    attempts: int = 5
    #: The wait after the first attempt, in seconds; it doubles each time, and half of it is random.
    first_wait: float = 0.5
    #: The longest wait; when the server wants a longer one, its answer is raised instead.
    longest_wait: float = 30.0

    def wait(self, attempt: int, response: httpx.Response | None) -> float | None:
        """The seconds to wait after an attempt, counted from 1; None when another one is not made."""
        if attempt >= self.attempts:
            return None
        # A bounded exponent: the power of a great number would take long and be of no use.
        longest = min(self.longest_wait, self.first_wait * 2.0 ** min(attempt - 1, 60))
        wait = longest * random.uniform(0.5, 1.0)
        wanted = None if response is None else retry_after(response)
        if wanted is None:
            return wait
        if wanted > self.longest_wait:
            return None
        # Not sooner than the server wants, and not all clients at once.
        return wanted + min(wait, 1.0)


def is_repeatable(request: httpx.Request) -> bool:
    """Whether a request has its effect once however often it arrives."""
    return request.method in IDEMPOTENT or "Idempotency-Key" in request.headers


def can_repeat(request: httpx.Request, outcome: httpx.Response | httpx.TransportError) -> bool:
    """Whether another attempt is safe and may help."""
    # A body that arrives bit by bit is gone once it was read.
    if not isinstance(request.stream, httpx.ByteStream):
        return False
    if isinstance(outcome, httpx.TransportError):
        # An address that no transport understands is not understood later either.
        if isinstance(outcome, httpx.UnsupportedProtocol | httpx.LocalProtocolError):
            return False
        return isinstance(outcome, UNSENT) or is_repeatable(request)
    if outcome.status_code not in PASSING:
        return False
    if is_repeatable(request):
        return True
    problem = problem_of(outcome)
    return problem is not None and problem.type_ in UNCHANGED


def no_answer(request: httpx.Request, error: httpx.TransportError, attempts: int) -> PostriderError:
    detail = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return PostriderError(detail, request=request, attempts=attempts)


class RetryingClient(httpx.Client):
    """An HTTP client that repeats what may be repeated, and raises what is not a success."""

    def __init__(self, retries: Retries, **options: Any) -> None:
        super().__init__(**options)
        self.retries = retries

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        attempt = 0
        while True:
            attempt += 1
            response: httpx.Response | None = None
            try:
                response = super().send(request, **options)
                if response.is_success and options.get("stream"):
                    return response
                response.read()
                error = refusal(request, response, attempt)
                if error is None:
                    return response
                repeat = can_repeat(request, response)
            except httpx.TransportError as failure:
                if response is not None:
                    response.close()
                response = None
                error = no_answer(request, failure, attempt)
                error.__cause__ = failure
                repeat = can_repeat(request, failure)
            wait = self.retries.wait(attempt, response) if repeat else None
            if wait is None:
                raise error
            time.sleep(wait)


class AsyncRetryingClient(httpx.AsyncClient):
    """The same for asyncio."""

    def __init__(self, retries: Retries, **options: Any) -> None:
        super().__init__(**options)
        self.retries = retries

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        attempt = 0
        while True:
            attempt += 1
            response: httpx.Response | None = None
            try:
                response = await super().send(request, **options)
                if response.is_success and options.get("stream"):
                    return response
                await response.aread()
                error = refusal(request, response, attempt)
                if error is None:
                    return response
                repeat = can_repeat(request, response)
            except httpx.TransportError as failure:
                if response is not None:
                    await response.aclose()
                response = None
                error = no_answer(request, failure, attempt)
                error.__cause__ = failure
                repeat = can_repeat(request, failure)
            wait = self.retries.wait(attempt, response) if repeat else None
            if wait is None:
                raise error
            await asyncio.sleep(wait)
