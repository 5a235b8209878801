"""A client of Postrider's HTTP API: `Client`, and `AsyncClient` for asyncio.

Each operation of the server's OpenAPI document is a method; `postrider_client.models` has what they take and return.
"""

from .clients import AsyncClient, Client
from .problems import PostriderError
from .retries import Retries
from .types import UNSET, Unset

__all__ = ["UNSET", "AsyncClient", "Client", "PostriderError", "Retries", "Unset"]
