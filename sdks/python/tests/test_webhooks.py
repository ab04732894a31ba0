"""Webhooks that arrive, genuine and forged."""

from __future__ import annotations

import unittest
from datetime import UTC, datetime, timedelta

from standardwebhooks import Webhook

from mailproof import WebhookVerificationError, verify_webhook

SECRET, OTHER = "whsec_" + "A" * 32, "whsec_" + "B" * 32
BODY = '{"email":"ada@ordinary.example"}'


def signed(at: datetime | None = None, signature: str | None = None) -> dict[str, str]:
    at = at or datetime.now(UTC)
    return {
        "Webhook-Id": "msg_1",
        "Webhook-Timestamp": str(int(at.timestamp())),
        "Webhook-Signature": signature or Webhook(SECRET).sign("msg_1", at, BODY),
    }


class Webhooks(unittest.TestCase):
    def test_with_the_right_signature_is_parsed(self) -> None:
        for body in (BODY, BODY.encode()):
            self.assertEqual(verify_webhook(body, signed(), OTHER, SECRET), {"email": "ada@ordinary.example"})

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
