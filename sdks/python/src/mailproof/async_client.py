"""The client for asyncio and Trio."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any, Self, TypeVar
from uuid import uuid4

import anyio
import httpx

from . import lists
from .attempts import DEFAULT_POLICY, SILENCE_MAX, Attempts, RetryPolicy, is_final, may_pass, polls
from .errors import MailproofError
from .generated import api, models
from .operation import Answer, Operation, key_header

State = TypeVar("State")


class AsyncMailproof:
    """A client of the Mailproof API. Use it in a `async with` statement, or call `aclose`; tasks can share it.

    `base_url` is the URL of the installation, without `/api/v1`; `http_client` replaces the HTTP client, and stays open.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        retries: RetryPolicy = DEFAULT_POLICY,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._root = base_url.rstrip("/") + "/api/v1"
        self._key = key_header(api_key)
        self._retries = retries
        self._owns_http = http_client is None
        self._http = http_client or httpx.AsyncClient()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        if self._owns_http:
            await self._http.aclose()

    async def send(self, operation: Operation[Answer]) -> Answer:
        """Sends a request and returns its answer; raises MailproofError."""
        return lists.parsed(operation, await self.send_raw(operation))

    async def send_raw(self, operation: Operation[Any]) -> httpx.Response:
        """Sends a request and returns the response, which has the headers too; `operation.parse` reads it."""
        return await self._exchange(
            lambda: self._http.build_request(
                operation.method,
                self._root + operation.path,
                headers={**self._key, **operation.headers},
                params=operation.params,
                json=operation.json,
                content=operation.content,
            )
        )

    async def pages(self, operation: Operation[Answer]) -> AsyncIterator[Answer]:
        """Yields the pages of a list, from the operation's cursor or the first one on, each when it is needed."""
        while True:
            page = await self.send(operation)
            yield page
            cursor = getattr(page, "next_cursor", None)
            if not cursor:
                return
            operation = operation.page(cursor)

    async def wait(
        self,
        operation: Operation[State],
        *,
        deadline: float = 1800.0,
        on_progress: Callable[[State], None] | None = None,
    ) -> State:
        """Reads a job, a run, an export or an import until its `state` or `status` is final, and returns it.

        Look there: the work can also have `failed` or been `cancelled`. Once it has been read, an installation that does
        not answer for ten minutes, such as during an update, does not end the wait. Raises TimeoutError after `deadline`
        seconds; the work itself continues.
        """
        pauses = polls(deadline, operation.path)
        tolerated_until = -math.inf
        while True:
            try:
                answer = await self.send(operation)
            except MailproofError as error:
                if time.monotonic() >= tolerated_until or not may_pass(error):
                    raise
            else:
                tolerated_until = time.monotonic() + SILENCE_MAX
                if on_progress:
                    on_progress(answer)
                if is_final(answer):
                    return answer
            await anyio.sleep(next(pauses))

    async def upload_list(
        self,
        file: lists.ListFile | None = None,
        *,
        addresses: Iterable[str] | None = None,
        rows: Iterable[lists.Row] | AsyncIterable[lists.Row] | None = None,
        name: str | None = None,
        delimiter: str | None = None,
        encoding: str | None = None,
        has_header: bool | None = None,
        sheet: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ValidationJob:
        """Uploads a file with a column of addresses, addresses, or rows, which are read while they are sent.

        Nothing is charged: the answer says what the job contains and what it costs at most. With the same
        `idempotency_key`, the same upload returns the job of the first one; without one, a random key is sent.
        """
        upload = lists.list_of(file, addresses, rows)
        headers = {
            **self._key,
            "Content-Type": upload.media_type,
            "Idempotency-Key": idempotency_key or str(uuid4()),
        }
        params = {
            **upload.params,
            **lists.query(
                {
                    "name": name,
                    "delimiter": delimiter,
                    "encoding": encoding,
                    "has_header": has_header,
                    "sheet": sheet,
                }
            ),
        }
        response = await self._exchange(
            lambda: self._http.build_request(
                "POST",
                self._root + "/validation-jobs",
                headers=headers,
                params=params,
                content=upload.octets_async(),
            ),
            upload.policy,
        )
        return lists.job_of(response)

    async def validate_list(
        self,
        file: lists.ListFile | None = None,
        *,
        addresses: Iterable[str] | None = None,
        rows: Iterable[lists.Row] | AsyncIterable[lists.Row] | None = None,
        name: str | None = None,
        delimiter: str | None = None,
        encoding: str | None = None,
        has_header: bool | None = None,
        sheet: str | None = None,
        idempotency_key: str | None = None,
        deadline: float = lists.DEADLINE,
        on_progress: Callable[[models.ValidationJob], None] | None = None,
    ) -> models.ValidationJob:
        """Uploads a list, starts the job and waits until it has ended; it charges at most the job's `cost_max`.

        `on_progress` gets the uploaded job first, before it is started. Raises MailproofError, also after `deadline`
        seconds. Once the list is uploaded, the error has the `job_id`: `wait` for that job, because a second call
        uploads and charges the list again, unless both have the same `idempotency_key`.
        """
        uploaded = await self.upload_list(
            file,
            addresses=addresses,
            rows=rows,
            name=name,
            delimiter=delimiter,
            encoding=encoding,
            has_header=has_header,
            sheet=sheet,
            idempotency_key=idempotency_key,
        )
        if on_progress:
            on_progress(uploaded)
        with lists.errors_of(uploaded.job_id):
            await self.send(lists.start_of(uploaded.job_id, idempotency_key))
            job = api.get_validation_job(uploaded.job_id)
            return await self.wait(job, deadline=deadline, on_progress=on_progress)

    @asynccontextmanager
    async def download(
        self, source: lists.Source, *, file_format: lists.FileFormat = "csv", deadline: float = 1800.0
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        """Exports rows to a file and gives its octets, piece by piece.

        `as_uploaded` writes a list in the form in which it came in.
        """
        started = await self.send(api.create_export(body=lists.export_of(source, file_format)))
        made = lists.made(await self.wait(api.get_export(started.export_id), deadline=deadline))
        async with self.stream(f"/exports/{made.export_id}/file") as chunks:
            yield chunks

    @asynccontextmanager
    async def stream(self, path: str) -> AsyncIterator[AsyncIterator[bytes]]:
        """Gives the octets of a file or of an event stream of the API, such as `/statement.csv`."""
        response = await self._exchange(
            lambda: self._http.build_request("GET", self._root + path, headers=self._key), is_stream=True
        )
        try:
            yield response.aiter_bytes()
        finally:
            await response.aclose()

    async def _exchange(
        self,
        make: Callable[[], httpx.Request],
        policy: RetryPolicy | None = None,
        *,
        is_stream: bool = False,
    ) -> httpx.Response:
        attempts = Attempts(policy or self._retries)
        while True:
            request = make()
            try:
                return await self._attempt(request, attempts, is_stream)
            except MailproofError as error:
                await anyio.sleep(attempts.wait_after(request, error))

    async def _attempt(self, request: httpx.Request, attempts: Attempts, is_stream: bool) -> httpx.Response:
        request.extensions = {**request.extensions, "timeout": httpx.Timeout(attempts.time_left()).as_dict()}
        try:
            with anyio.fail_after(attempts.time_left()):
                response = await self._http.send(request, stream=True, follow_redirects=False)
                if is_stream and response.is_success:
                    return response
                try:
                    chunks = [chunk async for chunk in response.aiter_bytes()]
                finally:
                    await response.aclose()
        except (httpx.TransportError, TimeoutError) as error:
            raise MailproofError(f"no response: {error!r}") from error
        read = lists.whole(response, chunks)
        if not read.is_success:
            raise MailproofError(response=read)
        return read
