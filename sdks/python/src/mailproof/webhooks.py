"""Verification of webhooks (Standard Webhooks)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from standardwebhooks import Webhook, WebhookVerificationError

from .generated.webhook_events import EVENTS, WebhookEvent


@dataclass(frozen=True)
class OtherWebhook:
    """Another body that Mailproof has signed.

    It is a row of a push, which has the columns of its source, or an event that this version does not know. Its
    `type_` is None, so that comparing it finds events only.
    """

    body: Any
    type_: None = None


def verify_webhook(
    body: bytes | str, headers: Mapping[str, str], *secrets: str
) -> WebhookEvent | OtherWebhook:
    """Verifies the signature and the time of a webhook and returns it.

    An event has the class of its type: compare its `type_`, and `data` has the fields of this type. Anything else is
    an OtherWebhook, with the parsed body.

    `body` is the body as received: parsing and writing it again changes it. A secret begins with `whsec_`; during a
    rotation, give all secrets that are valid. Raises WebhookVerificationError if no secret fits, if the webhook is
    older than five minutes, or if its signature or its body is malformed. Raises ValueError for a malformed secret.
    """
    refusal = WebhookVerificationError("No secret was given.")
    for secret in secrets:
        webhook = Webhook(secret)
        try:
            verified = webhook.verify(body, dict(headers))
        except WebhookVerificationError as error:
            refusal = error
        except ValueError as error:
            refusal = WebhookVerificationError(f"The signature or the body is malformed: {error}")
        else:
            return _typed(verified)
    raise refusal


def _typed(body: Any) -> WebhookEvent | OtherWebhook:
    """A row can have a column `type` too, so a body whose fields do not fit is not an event."""
    try:
        return EVENTS[body["type"]](body)
    except (AttributeError, KeyError, TypeError, ValueError):
        return OtherWebhook(body)
