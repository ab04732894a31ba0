"""Webhooks that arrive, genuine and forged."""

from __future__ import annotations

import json
import unittest
from datetime import UTC, datetime, timedelta
from typing import Any

from standardwebhooks import Webhook

from mailproof import OtherWebhook, WebhookEvent, WebhookVerificationError, models, verify_webhook

SECRET, OTHER = "whsec_" + "A" * 32, "whsec_" + "B" * 32
BODY = '{"email":"ada@ordinary.example"}'


def signed(at: datetime | None = None, signature: str | None = None, body: str = BODY) -> dict[str, str]:
    at = at or datetime.now(UTC)
    return {
        "Webhook-Id": "msg_1",
        "Webhook-Timestamp": str(int(at.timestamp())),
        "Webhook-Signature": signature or Webhook(SECRET).sign("msg_1", at, body),
    }


def received(body: Any) -> WebhookEvent | OtherWebhook:
    text = json.dumps(body)
    return verify_webhook(text, signed(body=text), SECRET)


class Webhooks(unittest.TestCase):
    def test_with_the_right_signature_is_parsed(self) -> None:
        for body in (BODY, BODY.encode()):
            verified = verify_webhook(body, signed(), OTHER, SECRET)
            self.assertEqual(verified, OtherWebhook({"email": "ada@ordinary.example"}))

    def test_of_an_event_has_the_class_of_its_type(self) -> None:
        data = {"account_id": "acct_1", "available": 9, "held": 1, "threshold": 20, "later": True}
        event = received({"type": "credits.low", "timestamp": "2026-11-28T12:00:00.000Z", "data": data})
        assert event.type_ == "credits.low"
        self.assertIsInstance(event, models.CreditsLowEvent)
        self.assertEqual((event.data.available, event.timestamp.year), (9, 2026))
        # A field that this version does not know is kept.
        self.assertEqual(event.data.to_dict(), data)

    def test_of_another_type_or_form_is_no_event(self) -> None:
        for body in (
            {"type": "invented.later", "data": {}},
            {"type": "credits.low", "email": "ada@ordinary.example"},
            {"type": "credits.low", "timestamp": "today", "data": {}},
            {"type": ["credits.low"]},
            [1],
        ):
            with self.subTest(body=body):
                self.assertEqual(received(body), OtherWebhook(body))

    def test_is_refused_with_the_same_error_for_each_fault(self) -> None:
        old = datetime.now(UTC) - timedelta(minutes=10)
        for body, headers, secrets in (
            (BODY, signed(), [OTHER]),
            (BODY + " ", signed(), [SECRET]),
            (BODY, signed(old), [SECRET]),
            (BODY, {}, [SECRET]),
            (BODY, signed(), []),
            (BODY, signed(signature="v1"), [SECRET]),
            (BODY, signed(signature="v1,abc"), [SECRET]),
            (BODY, signed(signature="v1,\u00e9"), [OTHER, SECRET]),
            (b"\xff", signed(), [SECRET]),
        ):
            with self.subTest(body=body, headers=headers), self.assertRaises(WebhookVerificationError):
                verify_webhook(body, headers, *secrets)

    def test_tells_a_malformed_secret_from_a_forged_webhook(self) -> None:
        with self.assertRaises(ValueError):
            verify_webhook(BODY, signed(), "whsec_A")


if __name__ == "__main__":
    unittest.main()
