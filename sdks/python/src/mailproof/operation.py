"""A request as a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import httpx

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Operation(Generic[Answer]):
    """A request of the API, made by a function of `mailproof.api`; `send` of either client sends it.

    An operation that can charge has a random `Idempotency-Key` from its creation on, so that sending the same value
    twice charges once.
    """

    method: str
    path: str
    parse: Callable[[httpx.Response], Answer]
    headers: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    content: bytes | None = None

    def page(self, cursor: str) -> Operation[Answer]:
        """Returns the same request for the page at the cursor."""
        return replace(self, params={**self.params, "cursor": cursor})


def key_header(api_key: str) -> dict[str, str]:
    """Returns the header with the key, without the line break that files end with.

    The errors of the HTTP client about such values contain them, and errors are logged.
    """
    key = api_key.strip()
    if not all("!" <= character <= "~" for character in key):
        raise ValueError("The API key contains a character that no key has. Copy the whole key again.")
    return {"X-Api-Key": key}
