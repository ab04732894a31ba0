"""Both clients against an HTTP server on loopback that answers each request with the next step."""

from __future__ import annotations

import io
import json
import socket
import tempfile
import threading
import time
import unittest
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import patch

import anyio
import httpx

from mailproof import AsyncMailproof, File, Mailproof, MailproofError, RetryPolicy, api, models

BUSY = {"code": "service_unavailable", "status": 503, "title": "Busy", "remedy": "Wait."}
LIMITED = {"code": "rate_limited", "status": 429, "title": "Too many requests"}
VERDICT = {"email": "ada@ordinary.example", "valid": True, "result": "a_new_result", "credits_consumed": True}

ZERO = "price cost_max reserved spent_so_far done rows_open waiting progress version addresses address_column"
NONE = "file spent returned per_second seconds_left failure started_at ended_at"
READY: dict[str, Any] = {
    **dict.fromkeys(ZERO.split(), 0),
    **dict.fromkeys(NONE.split()),
    "job_id": "vjob_1",
    "name": "Two",
    "origin": "api",
    "state": "ready",
    "test": False,
    "columns": [],
    "rows": dict.fromkeys(("total", "valid", "broken", "blank", "duplicate"), 0),
    "results": dict.fromkeys(("ok", "catch_all_validated", "catch_all", "invalid", "unknown"), 0),
    "waiting_for": [],
    "receipt_id": "r",
    "created_by": "u",
    "created_at": "2026-01-01T00:00:00Z",
    "deleted_at": "2026-02-01T00:00:00Z",
}


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *steps: Callable[[Handler], None]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.steps = steps
        self.seen: list[tuple[str, dict[str, str], bytes]] = []
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def handle_error(self, *_: object) -> None:
        """A client that gives up closes its connection."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.headers.get("transfer-encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        step = self.server.steps[min(len(self.server.seen), len(self.server.steps) - 1)]
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.seen.append((f"{self.command} {self.path}", headers, body))
        step(self)

    do_GET = do_POST = answer

    def log_message(self, *_: object) -> None:
        pass


def answer(status: int, body: object, **headers: str) -> Callable[[Handler], None]:
    def step(handler: Handler) -> None:
        octets = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(octets)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(octets)

    return step


def broken_connection(handler: Handler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def broken_body(handler: Handler) -> None:
    answer(200, b'{"email":', Content_Length="100")(handler)
    broken_connection(handler)


def slow_body(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "15")
    handler.end_headers()
    for _ in range(15):
        handler.wfile.write(b" ")
        time.sleep(0.1)


class Clients(unittest.TestCase):
    """Each test runs with both clients."""

    is_async = False

    def run_with(
        self,
        server: Server,
        method: str,
        *args: Any,
        retries: RetryPolicy | None = None,
        follow_redirects: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Calls a method of the client, and collects what it yields."""
        policy = retries or RetryPolicy()
        if not self.is_async:
            with (
                httpx.Client(follow_redirects=True) if follow_redirects else nullcontext() as http,
                Mailproof(server.url, "mp_live_key", retries=policy, http_client=http) as client,
            ):
                returned = getattr(client, method)(*args, **kwargs)
                if method == "stream":
                    with returned as chunks:
                        return b"".join(chunks)
                return list(returned) if method == "pages" else returned

        async def main() -> Any:
            async with (
                httpx.AsyncClient(follow_redirects=True) if follow_redirects else nullcontext() as http,
                AsyncMailproof(server.url, "mp_live_key", retries=policy, http_client=http) as client,
            ):
                returned = getattr(client, method)(*args, **kwargs)
                if method == "stream":
                    async with returned as chunks:
                        return b"".join([chunk async for chunk in chunks])
                return [page async for page in returned] if method == "pages" else await returned

        return anyio.run(main)

    def serve(self, *steps: Callable[[Handler], None]) -> Server:
        server = Server(*steps)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def question(self) -> Any:
        return api.validate_single_email(body=models.EmailValidationRequest(email="ada@ordinary.example"))

    def test_repeats_with_the_same_key_until_it_has_the_whole_answer(self) -> None:
        server = self.serve(broken_connection, broken_body, answer(503, BUSY), answer(200, VERDICT))
        verdict = self.run_with(server, "send", self.question())
        # A value that this version does not know is passed on.
        self.assertEqual(verdict.result, "a_new_result")
        self.assertEqual(len(server.seen), 4)
        self.assertEqual(len({headers["idempotency-key"] for _, headers, _ in server.seen}), 1)
        for line, headers, body in server.seen:
            self.assertEqual(line.split("?")[0], "POST /api/v1/validate-single-email")
            self.assertEqual(headers["x-api-key"], "mp_live_key")
            self.assertEqual(json.loads(body), {"email": "ada@ordinary.example"})

    def test_waits_as_long_as_retry_after_says(self) -> None:
        server = self.serve(answer(429, LIMITED, Retry_After="1"), answer(200, {"credits": 3}))
        started = time.monotonic()
        self.assertEqual(self.run_with(server, "send", api.get_me()).credits_, 3)
        self.assertGreaterEqual(time.monotonic() - started, 1)

    def test_sends_once_what_is_not_safe_to_repeat(self) -> None:
        count = api.count_people(
            body=models.PeopleCountRequest(filters=models.PeopleFilters(countries=["DE"]))
        )
        server = self.serve(answer(503, BUSY))
        with self.assertRaisesRegex(MailproofError, r"503 service_unavailable: Busy\. Wait\."):
            self.run_with(server, "send", count)
        self.assertEqual(len(server.seen), 1)

    def test_ends_after_its_attempts_and_at_its_deadline(self) -> None:
        server = self.serve(broken_connection)
        with self.assertRaisesRegex(MailproofError, "no response"):
            self.run_with(server, "send", api.get_me(), retries=RetryPolicy(attempts_max=3))
        self.assertEqual(len(server.seen), 3)
        server = self.serve(answer(429, LIMITED, Retry_After="3600"))
        with self.assertRaises(MailproofError) as raised:
            self.run_with(server, "send", api.get_me())
        self.assertEqual((raised.exception.status, raised.exception.retry_after), (429, 3600.0))
        self.assertEqual(len(server.seen), 1)

    def test_an_answer_that_drips_ends_at_the_deadline(self) -> None:
        server = self.serve(slow_body)
        started = time.monotonic()
        with self.assertRaisesRegex(MailproofError, "no response"):
            self.run_with(server, "send", api.get_me(), retries=RetryPolicy(deadline=0.5))
        self.assertLess(time.monotonic() - started, 1.4)

    def test_an_error_carries_the_problem(self) -> None:
        problem = {
            "type": "https://mailproof.example/docs/errors/credits_exhausted",
            "title": "No credits",
            "status": 402,
            "code": "credits_exhausted",
            "detail": "1 credit is needed.",
            "remedy": "Add credits.",
            "requestId": "req_1",
        }
        with self.assertRaises(MailproofError) as raised:
            self.run_with(self.serve(answer(402, problem)), "send", self.question())
        error = raised.exception
        self.assertEqual((error.type, error.title, error.status), (problem["type"], "No credits", 402))
        self.assertEqual((error.detail, error.request_id), ("1 credit is needed.", "req_1"))
        self.assertEqual(error.problem, problem)
        self.assertEqual(error.remedy, "Add credits.")
        self.assertEqual(str(error), "402 credits_exhausted: 1 credit is needed. Add credits.")
        with self.assertRaises(MailproofError) as raised:
            self.run_with(self.serve(answer(413, b"<html>")), "send", api.get_me())
        self.assertEqual((raised.exception.status, raised.exception.code), (413, None))
        with self.assertRaisesRegex(MailproofError, "not JSON"):
            self.run_with(self.serve(answer(200, b"<html>")), "send", api.get_me())

    def test_follows_no_redirect_so_that_no_other_host_gets_the_key(self) -> None:
        for status in (301, 302, 303, 307, 308):
            other = self.serve(answer(200, VERDICT))
            target = f"{other.url}api/v1/me"
            server = self.serve(answer(status, b"", Location=target))
            for call in (
                ("send", self.question()),
                ("upload_list", b"email\n"),
                ("stream", "/statement.csv"),
            ):
                with self.subTest(status=status, call=call[0]):
                    with self.assertRaises(MailproofError) as raised:
                        self.run_with(server, *call, follow_redirects=True)
                    self.assertEqual(raised.exception.status, status)
                    self.assertEqual(
                        str(raised.exception),
                        f"The base URL redirects to {target}. Redirects are not followed: use the final URL.",
                    )
            self.assertEqual((len(server.seen), other.seen), (3, []))

    def test_pages_follow_the_cursor_and_keep_the_filters(self) -> None:
        server = self.serve(answer(200, {"entries": [], "next_cursor": "a b"}), answer(200, {"entries": []}))
        self.assertEqual(len(self.run_with(server, "pages", api.view_statement(limit=1))), 2)
        self.assertEqual(
            [line for line, _, _ in server.seen],
            ["GET /api/v1/statement?limit=1", "GET /api/v1/statement?limit=1&cursor=a+b"],
        )

    def test_waits_until_the_state_is_final_or_its_deadline(self) -> None:
        run = api.get_discovery_run("run_1")
        state = {"run_id": "run_1", "search_id": "s", "kind": "people", "cancel_requested": False}
        rest = {name: 0 for name in ("requested", "delivered", "price", "reserved", "progress", "version")}
        rest |= {name: None for name in ("list_id", "spent", "returned", "seconds_left", "failure")}
        rest |= {"receipt_id": "r", "created_by": "u", "created_at": "2026-01-01T00:00:00Z"}
        rest |= {"started_at": None, "ended_at": None, "per_second": None, "has_more": None}
        running, succeeded = ({**state, **rest, "state": each} for each in ("running", "succeeded"))
        seen: list[str] = []
        server = self.serve(answer(200, running), answer(200, succeeded))
        self.run_with(server, "wait", run, on_progress=lambda each: seen.append(each.state))
        self.assertEqual(seen, ["running", "succeeded"])
        with self.assertRaisesRegex(TimeoutError, "/discovery-runs/run_1"):
            self.run_with(self.serve(answer(200, running)), "wait", run, deadline=0.1)

        once = {"retries": RetryPolicy(attempts_max=1)}
        server = self.serve(
            answer(200, running), broken_connection, answer(503, BUSY), answer(200, succeeded)
        )
        self.assertEqual(self.run_with(server, "wait", run, **once).state, "succeeded")
        refused = {"code": "revoked_api_key", "status": 401, "title": "Revoked"}
        for steps in ([broken_connection], [answer(200, running), answer(401, refused)]):
            server = self.serve(*steps, answer(200, succeeded))
            with self.assertRaises(MailproofError):
                self.run_with(server, "wait", run, **once)
            self.assertEqual(len(server.seen), len(steps))

    def test_takes_a_key_with_a_line_break_at_its_end_and_repeats_no_other(self) -> None:
        client = AsyncMailproof if self.is_async else Mailproof
        client("http://127.0.0.1:1", "mp_live_key\r\n")
        for key in ("mp_live_one\nmp_live_two", "mp_live_7Hbx…"):
            with self.assertRaises(ValueError) as raised:
                client("http://127.0.0.1:1", key)
            self.assertNotIn("mp_live", str(raised.exception))

    def test_uploads_addresses_and_files(self) -> None:
        server = self.serve(answer(400, {"code": "invalid_request", "status": 400}))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "list.csv")
            path.write_bytes(b"email\n" + b"a@b.example\n" * 10_000)
            for given in ({"addresses": ["a@b.example", '"a,b"@b.example']}, {"file": path}):
                with self.assertRaisesRegex(MailproofError, "invalid_request"):
                    self.run_with(server, "upload_list", name="Two", **given)
            (first, headers, body), (second, _, octets) = server.seen
            self.assertEqual(octets, path.read_bytes())
        self.assertIn("delimiter=%2C&encoding=utf-8&has_header=true&name=Two", first)
        self.assertEqual(second, "POST /api/v1/validation-jobs?name=Two")
        self.assertEqual(headers["content-type"], "text/csv")
        self.assertEqual(body, b'"email"\r\n"a@b.example"\r\n"""a,b""@b.example"\r\n')

    def test_validates_a_list_that_is_read_as_the_caller_says(self) -> None:
        ended = {**READY, "state": "succeeded"}
        server = self.serve(answer(201, READY), answer(202, READY), answer(200, ended))
        reading = {"delimiter": ";", "encoding": "windows-1252", "has_header": False, "sheet": "People"}
        seen: list[str] = []
        job = self.run_with(
            server, "validate_list", b"a;b", **reading, on_progress=lambda each: seen.append(each.state)
        )
        self.assertEqual((job.state, seen), ("succeeded", ["ready", "succeeded"]))
        self.assertEqual(
            [line for line, _, _ in server.seen],
            [
                "POST /api/v1/validation-jobs?delimiter=%3B&encoding=windows-1252&has_header=false&sheet=People",
                "POST /api/v1/validation-jobs/vjob_1/start",
                "GET /api/v1/validation-jobs/vjob_1",
            ],
        )

    def test_uploads_again_with_the_same_key(self) -> None:
        in_use = answer(409, {**BUSY, "status": 409, "code": "idempotency_key_in_use"})
        server = self.serve(broken_connection, answer(503, BUSY), in_use, answer(201, READY))
        self.assertEqual(self.run_with(server, "upload_list", addresses=["a@b.example"]).job_id, "vjob_1")
        self.assertEqual(len(server.seen), 4)
        self.assertEqual(len({headers["idempotency-key"] for _, headers, _ in server.seen}), 1)

    def test_uploads_and_starts_with_the_key_of_the_caller(self) -> None:
        ended = answer(200, {**READY, "state": "succeeded"})
        for given in ({"idempotency_key": "mine"}, {}):
            server = self.serve(answer(201, READY), answer(202, READY), ended)
            self.run_with(server, "validate_list", addresses=["a@b.example"], **given)
            uploaded, started = (headers["idempotency-key"] for _, headers, _ in server.seen[:2])
            self.assertEqual((uploaded, started) == ("mine", "mine"), bool(given))
            self.assertTrue(uploaded and started)

    def test_an_error_has_the_job_of_a_list_that_is_uploaded(self) -> None:
        running = answer(200, {**READY, "state": "running"})
        for steps, deadline, said in (
            ([answer(503, BUSY)], 1.0, "503 service_unavailable"),
            ([answer(202, READY), broken_connection], 1.0, "no response"),
            ([answer(202, READY), running], 0.1, "Not finished after 0.1 s: /validation-jobs/vjob_1"),
        ):
            with self.subTest(said):
                server = self.serve(answer(201, READY), *steps)
                with self.assertRaisesRegex(MailproofError, said) as raised:
                    once = RetryPolicy(attempts_max=1)
                    self.run_with(server, "validate_list", b"a", deadline=deadline, retries=once)
                self.assertEqual(raised.exception.job_id, "vjob_1")
                # Shown by a traceback, in a program that handles no error.
                notes = getattr(raised.exception, "__notes__", [])
                self.assertIn("vjob_1", " ".join([str(raised.exception), *notes]))

    def test_a_list_has_a_day_because_greylisting_alone_can_take_hours(self) -> None:
        running = answer(200, {**READY, "state": "running"})
        ended = answer(200, {**READY, "state": "succeeded"})
        server = self.serve(answer(201, READY), answer(202, READY), running, ended)
        waits: list[float] = []

        def polls(deadline: float, _: str) -> Iterator[float]:
            waits.append(deadline)
            yield 0.0

        module = "async_client" if self.is_async else "client"
        with patch(f"mailproof.{module}.polls", polls):
            self.run_with(server, "validate_list", b"a")
        self.assertEqual(waits, [24 * 3600.0])

    def test_uploads_rows_while_they_are_read(self) -> None:
        limited = answer(429, LIMITED, Retry_After="0")
        server = self.serve(limited, answer(400, {"code": "invalid_request", "status": 400}))
        rows = ["a@b.example", {"email": "c@b.example", "name": 'Ç "d"\n', "id": 7, "none": None}]
        lines = '"a@b.example"\n{"email":"c@b.example","name":"Ç \\"d\\"\\n","id":7,"none":null}\n'
        with self.assertRaisesRegex(MailproofError, "invalid_request"):
            self.run_with(server, "upload_list", rows=rows, name="Two")
        self.assertEqual([body for _, _, body in server.seen], [lines.encode()] * 2)
        request, headers, _ = server.seen[0]
        self.assertEqual(request, "POST /api/v1/validation-jobs?name=Two")
        self.assertEqual(headers["content-type"], "application/x-ndjson")

        once = self.serve(limited)
        many = ({"email": f"p{at}@b.example"} for at in range(50_000))
        with self.assertRaisesRegex(MailproofError, "rate_limited"):
            self.run_with(once, "upload_list", rows=many)
        ((_, headers, body),) = once.seen
        self.assertEqual(headers["transfer-encoding"], "chunked")
        self.assertEqual(body.count(b"\n"), 50_000)

        for given in ({}, {"rows": [], "addresses": []}):
            with self.assertRaisesRegex(TypeError, "either"):
                self.run_with(once, "upload_list", **given)
        with self.assertRaises(ValueError):
            self.run_with(once, "upload_list", rows=[{"email": "a@b.example", "score": float("nan")}])

    def test_uploads_asynchronous_rows(self) -> None:
        async def rows() -> AsyncIterator[str]:
            for at in range(20_000):
                yield f"p{at}@b.example"

        server = self.serve(answer(400, {"code": "invalid_request", "status": 400}))
        expected = (MailproofError, "invalid_request") if self.is_async else (TypeError, "asynchronous")
        with self.assertRaisesRegex(*expected):
            self.run_with(server, "upload_list", rows=rows())
        if self.is_async:
            self.assertEqual(server.seen[0][2].count(b"\n"), 20_000)

    def test_repeats_a_body_of_octets(self) -> None:
        limited = answer(429, LIMITED, Retry_After="0")
        server = self.serve(limited, answer(200, {"accepted": 1, "rejected": 0, "errors": []}))
        outcomes = File(payload=io.BytesIO(b"email,outcome\n"))
        self.run_with(server, "send_raw", api.upload_outcomes(body=outcomes))
        self.assertEqual([body for _, _, body in server.seen], [b"email,outcome\n"] * 2)
        self.assertEqual(server.seen[1][1]["content-type"], "text/csv")

    def test_a_stream_outlives_the_deadline_of_its_request(self) -> None:
        server = self.serve(slow_body)
        self.assertEqual(
            self.run_with(server, "stream", "/statement.csv", retries=RetryPolicy(deadline=0.8)), b" " * 15
        )


class AsyncClients(Clients):
    is_async = True


if __name__ == "__main__":
    unittest.main()
