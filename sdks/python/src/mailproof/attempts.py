"""When a request is sent again, and when a state is read again."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

import httpx

from .errors import MailproofError

FINAL_STATES = frozenset({"succeeded", "failed", "cancelled"})

# How long a wait goes without an answer, in seconds.
SILENCE_MAX = 600.0

_FIRST_WAIT = 0.5
_WAIT_MAX = 10.0
_IDEMPOTENT_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})
# These say nothing about the request, only that it was not served.
_PASSING_STATUSES = frozenset({429, 500, 502, 503, 504})


@dataclass(frozen=True)
class RetryPolicy:
    """How long and how often a request is tried."""

    attempts_max: int = 5
    """Attempts in all, the first included."""
    deadline: float = 60.0
    """Seconds for all attempts together, waits included."""


DEFAULT_POLICY = RetryPolicy()


class Attempts:
    """The attempts of one request.

    Only a request that can be repeated safely is: one with an idempotent method or an `Idempotency-Key`. A 429 comes
    before the request is looked at, so any request is repeated after it.
    """

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self._made = 0
        self._ends_at = time.monotonic() + policy.deadline

    def time_left(self) -> float:
        """Seconds for the next attempt; never so few that it cannot begin."""
        return max(0.001, self._ends_at - time.monotonic())

    def check_time(self) -> None:
        """Raises an error if an answer that arrives slowly takes too long."""
        if time.monotonic() >= self._ends_at:
            raise MailproofError("no response: its body took too long")

    def wait_after(self, request: httpx.Request, error: MailproofError) -> float:
        """Returns the seconds to wait before the next attempt, or raises the error if there is none."""
        self._made += 1
        if error.retry_after is None:
            wait = random.uniform(0, min(_WAIT_MAX, _FIRST_WAIT * 2 ** (self._made - 1)))
        else:
            # An earlier attempt than the server asks for would be refused.
            wait = error.retry_after * random.uniform(1, 1.25)
        is_last = self._made >= self._policy.attempts_max or time.monotonic() + wait >= self._ends_at
        if is_last or not _may_repeat(request, error):
            raise error
        return wait


def _may_repeat(request: httpx.Request, error: MailproofError) -> bool:
    if error.status == 429:
        return True
    if request.method not in _IDEMPOTENT_METHODS and "Idempotency-Key" not in request.headers:
        return False
    return may_pass(error) or error.code == "idempotency_key_in_use"


def may_pass(error: MailproofError) -> bool:
    """Whether the same request may succeed later."""
    return error.status is None or error.status in _PASSING_STATUSES


def is_final(answer: object) -> bool:
    """Whether the state of a job, a run, an export or an import does not change any more."""
    return state_of(answer) in FINAL_STATES


def state_of(answer: object) -> object:
    return getattr(answer, "state", None) or getattr(answer, "status", None)


def polls(deadline: float, what: str) -> Iterator[float]:
    """Yields the seconds to wait before each poll, less and less often; raises TimeoutError at the deadline."""
    ends_at = time.monotonic() + deadline
    wait = _FIRST_WAIT
    while (left := ends_at - time.monotonic()) > 0:
        yield min(left, wait * random.uniform(0.75, 1.25))
        wait = min(_WAIT_MAX, wait * 1.5)
    raise TimeoutError(f"Not finished after {deadline:g} s: {what}")
