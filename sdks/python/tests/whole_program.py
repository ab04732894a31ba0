"""A program with nothing but a key: `python3 whole_program.py list.csv example.com 5` validates the list, finds people of
the domain and downloads both. It waits for events instead of polling. The gateway's tests run it with the wheel."""

from __future__ import annotations

import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeVar

from mailproof import (
    Mailproof,
    OtherWebhook,
    WebhookEvent,
    WebhookVerificationError,
    api,
    models,
    verify_webhook,
)

DEADLINE = 30 * 60.0

Event = TypeVar(
    "Event", models.ValidationJobFinishedEvent, models.ExportFinishedEvent, models.DiscoveryRunFinishedEvent
)

events: dict[str, WebhookEvent | OtherWebhook] = {}
arrived = threading.Condition()
secret = ""


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            event = verify_webhook(body, dict(self.headers), secret)
        except WebhookVerificationError:
            self.send_response(401)
        else:
            self.send_response(204)
            with arrived:
                events[self.headers["webhook-id"]] = event
                arrived.notify_all()
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Prints nothing."""


def told(kind: type[Event], about: str) -> Event:
    """Waits until Mailproof has sent the event of the job, the export or the run."""

    def find() -> Event | None:
        of_kind = (each for each in events.values() if isinstance(each, kind))
        return next((each for each in of_kind if about in each.data.to_dict().values()), None)

    with arrived:
        found = arrived.wait_for(find, timeout=DEADLINE)
    if found is None:
        raise TimeoutError(f"No {kind.__name__} for {about}.")
    return found


def download(
    mailproof: Mailproof, source: models.ValidationJobSource | models.SavedPeopleSource, file: str
) -> None:
    """Exports rows, waits for the event, and writes the file."""
    body = models.NewCsvExport(target="csv", source=source)
    started = mailproof.send(api.create_export(body=body))
    status = told(models.ExportFinishedEvent, started.export_id).data.status
    if status != "succeeded":
        raise RuntimeError(f"The export {status}.")
    with mailproof.stream(f"/exports/{started.export_id}/file") as chunks, open(file, "wb") as written:
        written.writelines(chunks)


path, domain, people = sys.argv[1:]
server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()

with Mailproof(os.environ["MAILPROOF_URL"], os.environ["MAILPROOF_API_KEY"]) as client:
    new_endpoint = models.NewWebhookEndpoint(
        url=f"http://127.0.0.1:{server.server_port}/events",
        event_types=["validation_job.finished", "export.finished", "discovery_run.finished"],
    )
    endpoint = client.send(api.create_webhook_endpoint(body=new_endpoint))
    secret = endpoint.signing_secret

    uploaded = client.upload_list(Path(path), name="whole")
    client.send(api.start_validation_job(uploaded.job_id))
    job = told(models.ValidationJobFinishedEvent, uploaded.job_id).data
    print(f"job {job.state}: {uploaded.rows.total} rows, {job.done} of {job.addresses} addresses")
    download(
        client, models.ValidationJobSource(kind="validation_job", job_id=uploaded.job_id), "validated.csv"
    )

    filters = models.PeopleFilters(company_domains=[domain])
    search = client.send(api.begin_people_search(body=models.NewPeopleSearch(name=domain, filters=filters)))
    new_run = models.NewPeopleRun(people=int(people))
    run_id = client.send(api.start_discovery_run(search.search_id, body=new_run)).run_id
    run = told(models.DiscoveryRunFinishedEvent, run_id).data
    print(f"run {run.state}: {run.delivered} people")
    download(client, models.SavedPeopleSource(kind="saved_people", run_id=run_id), "people.csv")

    client.send(api.delete_webhook_endpoint(endpoint.endpoint_id))
