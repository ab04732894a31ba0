"""Client for the Mailproof API: `Mailproof`, or `AsyncMailproof` for asyncio and Trio."""

from standardwebhooks import WebhookVerificationError

from .async_client import AsyncMailproof
from .attempts import RetryPolicy
from .client import Mailproof
from .errors import MailproofError
from .generated import api, models
from .generated.types import UNSET, File
from .lists import Row
from .operation import Operation
from .webhooks import OtherWebhook, WebhookEvent, verify_webhook

__all__ = [
    "UNSET",
    "AsyncMailproof",
    "File",
    "Mailproof",
    "MailproofError",
    "Operation",
    "OtherWebhook",
    "RetryPolicy",
    "Row",
    "WebhookEvent",
    "WebhookVerificationError",
    "api",
    "models",
    "verify_webhook",
]
