"""The two clients: the generated operations, over HTTP that retries, with files and streams."""

from __future__ import annotations

import importlib.metadata
import json
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import quote

import httpx

from .api import AsyncOperations, Operations
from .client import AuthenticatedClient
from .lines import Devices, async_lines, async_upload, data_of, lines, upload
from .models.delivery import Delivery
from .models.device import Device
from .models.import_result import ImportResult
from .models.push import Push
from .retries import AsyncRetryingClient, Retries, RetryingClient, no_answer

#: Seconds: to connect; and to wait for the next byte, which a stream of progress sends every 15 seconds at least.
TIMEOUT = httpx.Timeout(60.0, connect=10.0)
TYPES = {"ndjson": "application/x-ndjson", "csv": "text/csv"}


def options(
    url: str,
    key: str | None,
    timeout: httpx.Timeout | float,
    verify: ssl.SSLContext | bool,
    headers: Mapping[str, str] | None,
) -> dict[str, Any]:
    version = importlib.metadata.version("postrider-client")
    sent = {"User-Agent": f"postrider-client/{version} httpx/{httpx.__version__}"}
    if key is not None:
        if not (key.isascii() and key.isprintable() and key):
            raise ValueError("a key of Postrider has printable ASCII characters alone; look for a line feed around it")
        sent["Authorization"] = f"Bearer {key}"
    return {
        "base_url": url,
        "timeout": timeout,
        "verify": verify,
        "follow_redirects": False,
        "headers": {**sent, **(headers or {})},
    }


def path(*parts: str) -> str:
    return "/v1/apps/" + "/".join(quote(part, safe="") for part in parts)


class Client(Operations):
    """A client of one server, with one key; safe to use from several threads.

    `verify` is a certificate store for a server with its own authority (`ssl.create_default_context(cafile=…)`).
    Whatever goes wrong with a request is a `PostriderError`; `ValueError` is for a key that no header can have, and for what JSON
    does not have, such as NaN.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        retries: Retries = Retries(),
        timeout: httpx.Timeout | float = TIMEOUT,
        verify: ssl.SSLContext | bool = True,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.http = RetryingClient(retries, **options(url, key, timeout, verify, headers))
        self.generated = AuthenticatedClient(http=self.http)

    def close(self) -> None:
        self.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def import_devices(
        self, app: str, devices: Devices, *, format: Literal["ndjson", "csv"] = "ndjson"
    ) -> ImportResult:
        """Registers devices from a file as it is read: bytes, an open file, or registrations one by one.

        Bytes are sent again after a failure; of an open file or an iterator, what was read is gone.
        """
        answer = self.http.put(
            path(app, "devices", "import"), content=upload(devices), headers={"Content-Type": TYPES[format]}
        )
        return ImportResult.from_dict(answer.json())

    def stream_devices(self, app: str) -> Iterator[Device]:
        """All devices as of one instant (`export_devices`), as they arrive."""
        with self._rows(path(app, "devices", "export")) as rows:
            for row in rows:
                yield Device.from_dict(json.loads(row))

    def stream_deliveries(self, app: str, push: str, **filters: str) -> Iterator[Delivery]:
        """All deliveries of a push as of one instant (`export_deliveries`, with its filters), as they arrive."""
        with self._rows(path(app, "pushes", push, "deliveries", "export"), filters) as rows:
            for row in rows:
                yield Delivery.from_dict(json.loads(row))

    def stream_push(self, app: str, push: str) -> Iterator[Push]:
        """A push whenever it has changed (`watch_push`), until it is finished."""
        with self._rows(path(app, "pushes", push, "progress")) as rows:
            for row in rows:
                if (members := data_of(row)) is not None:
                    yield Push.from_dict(members)

    @contextmanager
    def _rows(self, path: str, query: Mapping[str, str] | None = None) -> Iterator[Iterator[bytes]]:
        request = self.http.build_request("GET", path, params=query)
        response = self.http.send(request, stream=True)
        try:
            yield lines(response.iter_bytes())
        except httpx.TransportError as error:
            # Rows have been handed out: a repetition would begin with the first one.
            raise no_answer(request, error, 1) from error
        finally:
            response.close()


class AsyncClient(AsyncOperations):
    """The same for asyncio."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        retries: Retries = Retries(),
        timeout: httpx.Timeout | float = TIMEOUT,
        verify: ssl.SSLContext | bool = True,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.http = AsyncRetryingClient(retries, **options(url, key, timeout, verify, headers))
        self.generated = AuthenticatedClient(async_http=self.http)

    async def close(self) -> None:
        await self.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def import_devices(
        self, app: str, devices: Devices, *, format: Literal["ndjson", "csv"] = "ndjson"
    ) -> ImportResult:
        """Registers devices from a file as it is read: bytes, an open file, or registrations one by one.

        Bytes are sent again after a failure; of an open file or an iterator, what was read is gone.
        """
        body = upload(devices)
        answer = await self.http.put(
            path(app, "devices", "import"),
            content=body if isinstance(body, bytes) else async_upload(body),
            headers={"Content-Type": TYPES[format]},
        )
        return ImportResult.from_dict(answer.json())

    async def stream_devices(self, app: str) -> AsyncIterator[Device]:
        """All devices as of one instant (`export_devices`), as they arrive."""
        async with self._rows(path(app, "devices", "export")) as rows:
            async for row in rows:
                yield Device.from_dict(json.loads(row))

    async def stream_deliveries(self, app: str, push: str, **filters: str) -> AsyncIterator[Delivery]:
        """All deliveries of a push as of one instant (`export_deliveries`, with its filters), as they arrive."""
        async with self._rows(path(app, "pushes", push, "deliveries", "export"), filters) as rows:
            async for row in rows:
                yield Delivery.from_dict(json.loads(row))

    async def stream_push(self, app: str, push: str) -> AsyncIterator[Push]:
        """A push whenever it has changed (`watch_push`), until it is finished."""
        async with self._rows(path(app, "pushes", push, "progress")) as rows:
            async for row in rows:
                if (members := data_of(row)) is not None:
                    yield Push.from_dict(members)

    @asynccontextmanager
    async def _rows(self, path: str, query: Mapping[str, str] | None = None) -> AsyncIterator[AsyncIterator[bytes]]:
        request = self.http.build_request("GET", path, params=query)
        response = await self.http.send(request, stream=True)
        try:
            yield async_lines(response.aiter_bytes())
        except httpx.TransportError as error:
            # Rows have been handed out: a repetition would begin with the first one.
            raise no_answer(request, error, 1) from error
        finally:
            await response.aclose()
