"""What both clients send and read in the same way."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Literal

import anyio
import httpx

from .attempts import RetryPolicy
from .errors import MailproofError
from .generated import api, models
from .operation import Answer, Operation

Source = models.ValidationJobSource | models.SavedPeopleSource | models.SavedCompaniesSource
"""The rows of an export."""

ListFile = bytes | PathLike[str]
"""A file with a column of addresses: its octets, or its path."""

Row = str | Mapping[str, str | int | float | bool | None]
"""An address, or a record with an `email`; its other fields become columns of the results."""

FileFormat = Literal["csv", "xlsx", "ndjson", "as_uploaded"]
"""The format of a downloaded file."""

UPLOAD_POLICY = RetryPolicy(deadline=20 * 60.0)
"""The server's own limit for an upload."""

DEADLINE = 24 * 3600.0
"""Seconds for a list: mail hosts that ask for a retry make it wait for hours."""

_ONE_ATTEMPT = RetryPolicy(attempts_max=1, deadline=UPLOAD_POLICY.deadline)

_CHUNK = 65_536


@dataclass(frozen=True)
class Upload:
    """The body of an upload, and how to read it."""

    media_type: str
    octets: Callable[[], bytes | Iterator[bytes]]
    """Called for each attempt."""
    octets_async: Callable[[], bytes | AsyncIterator[bytes]]
    params: dict[str, str]
    policy: RetryPolicy


def list_of(
    file: ListFile | None, addresses: Iterable[str] | None, rows: Iterable[Row] | AsyncIterable[Row] | None
) -> Upload:
    if sum(given is not None for given in (file, addresses, rows)) != 1:
        raise TypeError("Give either a file, addresses or rows.")
    if rows is not None:
        given = rows
        can_repeat = isinstance(given, Iterable) and iter(given) is not given
        return Upload(
            "application/x-ndjson",
            lambda: lines_of(given),
            lambda: lines_of_async(given),
            {},
            UPLOAD_POLICY if can_repeat else _ONE_ATTEMPT,
        )
    if addresses is not None:
        quoted = ('"' + cell.replace('"', '""') + '"\r\n' for cell in ("email", *addresses))
        octets = "".join(quoted).encode()
        reading = {"delimiter": ",", "encoding": "utf-8", "has_header": "true"}
        return Upload("text/csv", lambda: octets, lambda: octets, reading, UPLOAD_POLICY)
    if isinstance(file, bytes):
        return Upload("text/csv", lambda: file, lambda: file, {}, UPLOAD_POLICY)
    path = fspath(file) if file is not None else ""
    return Upload("text/csv", lambda: octets_of(path), lambda: octets_of_async(path), {}, UPLOAD_POLICY)


def _line_of(row: Row) -> bytes:
    # The server refuses NaN and infinite numbers, which are not JSON.
    value = row if isinstance(row, str) else dict(row)
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def lines_of(rows: Iterable[Row] | AsyncIterable[Row]) -> Iterator[bytes]:
    """Writes rows while they are sent."""
    if not isinstance(rows, Iterable):
        raise TypeError("AsyncMailproof sends asynchronous rows.")
    piece = bytearray()
    for row in rows:
        piece += _line_of(row)
        if len(piece) >= _CHUNK:
            yield bytes(piece)
            piece.clear()
    if piece:
        yield bytes(piece)


async def lines_of_async(rows: Iterable[Row] | AsyncIterable[Row]) -> AsyncIterator[bytes]:
    if isinstance(rows, Iterable):
        for chunk in lines_of(rows):
            yield chunk
        return
    piece = bytearray()
    async for row in rows:
        piece += _line_of(row)
        if len(piece) >= _CHUNK:
            yield bytes(piece)
            piece.clear()
    if piece:
        yield bytes(piece)


def start_of(job_id: str, idempotency_key: str | None) -> Operation[models.ValidationJob]:
    if idempotency_key is None:
        return api.start_validation_job(job_id)
    return api.start_validation_job(job_id, idempotency_key=idempotency_key)


def export_of(source: Source, file_format: FileFormat) -> models.NewCsvExport:
    return models.NewCsvExport.from_dict(
        {"target": "csv", "source": source.to_dict(), "options": {"format": file_format}}
    )


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


@contextmanager
def errors_of(job_id: str) -> Iterator[None]:
    """Gives errors the id of the job that they are about; a wait that took too long becomes a MailproofError."""
    try:
        yield
    except MailproofError as error:
        error.job_id = job_id
        error.add_note(f"The job is {job_id}.")
        raise
    except TimeoutError as error:
        raise MailproofError(str(error), job_id=job_id) from error


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
