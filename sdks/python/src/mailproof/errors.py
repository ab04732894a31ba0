"""What a failed request raises."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx


class MailproofError(Exception):
    """A request that failed: refused by Mailproof, refused by a proxy in between, or without a response.

    The fields are those of the problem document (RFC 9457). All are None if there was no response; all but `status`
    are None if a proxy answered with something else.
    """

    def __init__(
        self, message: str = "", response: httpx.Response | None = None, *, job_id: str | None = None
    ) -> None:
        problem = _problem_of(response)
        self.problem = problem
        """The whole document, with `errors` for invalid fields and `required` and `available` credits."""
        self.status: int | None = response.status_code if response is not None else None
        """HTTP status."""
        self.code: str | None = problem.get("code")
        """Stable code for programs, such as `credits_exhausted`."""
        self.type: str | None = problem.get("type")
        """URL of the page that explains the code."""
        self.title: str | None = problem.get("title")
        self.detail: str | None = problem.get("detail")
        """What is wrong with this request."""
        self.remedy: str | None = problem.get("remedy")
        """What to do about it."""
        self.request_id: str | None = problem.get("requestId")
        """Quote this id when you ask the operator for help."""
        self.retry_after: float | None = _retry_after_of(response)
        """How long the server asks to wait before the next attempt, in seconds."""
        self.job_id = job_id
        """The job that `validate_list` had uploaded: it continues on the server if it was started."""
        first = f"{self.status} {self.code or ''}".strip() if response is not None else message
        if response is not None and response.has_redirect_location:
            target = response.headers["Location"]
            first = f"The base URL redirects to {target}. Redirects are not followed: use the final URL."
        what = self.detail or self.title
        if what and not what.endswith((".", "?", "!")):
            what += "."
        said = ": ".join(part for part in (first, what) if part)
        super().__init__(" ".join(part for part in (said, self.remedy) if part))


def _problem_of(response: httpx.Response | None) -> dict[str, Any]:
    if response is None:
        return {}
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) and "code" in body and "status" in body else {}


def _retry_after_of(response: httpx.Response | None) -> float | None:
    """Seconds or a date (RFC 9110, section 10.2.3)."""
    value = response.headers.get("Retry-After") if response is not None else None
    if value is None:
        return None
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
