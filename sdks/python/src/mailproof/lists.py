"""What both clients send and read in the same way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from os import PathLike, fspath

import anyio
import httpx

from .attempts import RetryPolicy
from .errors import MailproofError
from .generated import models
from .operation import Answer, Operation

Source = models.ValidationJobSource | models.SavedPeopleSource | models.SavedCompaniesSource
"""The rows of an export."""

ListFile = bytes | PathLike[str]
"""A file with a column of addresses: its octets, or its path."""

UPLOAD_POLICY = RetryPolicy(deadline=20 * 60.0)
"""The server's own limit for an upload."""

_CHUNK = 65_536


def list_of(file: ListFile | None, addresses: Iterable[str] | None) -> tuple[bytes | str, dict[str, str]]:
    """Returns the octets or the path of a list, and how to read it."""
    if (file is None) == (addresses is None):
        raise TypeError("Give either a file or addresses.")
    if addresses is None:
        return (file if isinstance(file, bytes) else fspath(file)) if file is not None else b"", {}
    quoted = ('"' + cell.replace('"', '""') + '"\r\n' for cell in ("email", *addresses))
    return "".join(quoted).encode(), {"delimiter": ",", "encoding": "utf-8", "has_header": "true"}


def made(export: models.Export) -> models.Export:
    if export.status != "succeeded":
        detail = export.failure.detail if export.failure else ""
        raise MailproofError(f"The export {export.export_id} {export.status}: {detail}")
    return export


def parsed(operation: Operation[Answer], response: httpx.Response) -> Answer:
    try:
        return operation.parse(response)
    except ValueError as error:
        raise MailproofError("The answer is not JSON; is the URL right?") from error


def job_of(response: httpx.Response) -> models.ValidationJob:
    return models.ValidationJob.from_dict(response.json())


def whole(response: httpx.Response, chunks: list[bytes]) -> httpx.Response:
    """Returns a response that has been read; its body is decoded already."""
    decoded = {"content-encoding", "content-length", "transfer-encoding"}
    headers = [(name, value) for name, value in response.headers.multi_items() if name not in decoded]
    return httpx.Response(
        response.status_code, headers=headers, content=b"".join(chunks), request=response.request
    )


def query(params: dict[str, str | bool | None]) -> dict[str, str | bool]:
    return {name: value for name, value in params.items() if value is not None}


def octets_of(path: str) -> Iterator[bytes]:
    """Reads a file while it is sent."""
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


async def octets_of_async(path: str) -> AsyncIterator[bytes]:
    async with await anyio.open_file(path, "rb") as file:
        while chunk := await file.read(_CHUNK):
            yield chunk
