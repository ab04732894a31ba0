"""What schemathesis cannot know about these documents; it imports this file before it generates requests."""

import schemathesis
from schemathesis import Case, SerializationContext


@schemathesis.serializer("application/x-ndjson", "application/vnd.ms-excel")
def text_of(context: SerializationContext, value: object) -> object:
    """Sends text as it is: these media types have no other form."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: Case, kwargs: dict) -> None:
    kwargs["hooks"] = {"response": cut_event_stream}


def cut_event_stream(response, **_) -> None:
    """Keeps the first events of a stream and closes it: that of a job that has not started stays open for minutes."""
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        response._content = next(response.iter_content(chunk_size=None), b"")
        response._content_consumed = True
        response.close()
