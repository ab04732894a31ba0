"""Verification of webhooks (Standard Webhooks)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from standardwebhooks import Webhook, WebhookVerificationError


def verify_webhook(body: bytes | str, headers: Mapping[str, str], *secrets: str) -> Any:
    """Verifies the signature and the time of a webhook and returns its parsed body.

    `body` is the body as received: parsing and writing it again changes it. A secret begins with `whsec_`; during a
    rotation, give all secrets that are valid. Raises WebhookVerificationError if no secret fits, if the webhook is
    older than five minutes, or if its signature or its body is malformed. Raises ValueError for a malformed secret.
    """
    refusal = WebhookVerificationError("No secret was given.")
    for secret in secrets:
        webhook = Webhook(secret)
        try:
            return webhook.verify(body, dict(headers))
        except WebhookVerificationError as error:
            refusal = error
        except ValueError as error:
            refusal = WebhookVerificationError(f"The signature or the body is malformed: {error}")
    raise refusal
