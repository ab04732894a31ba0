import { createWriteStream, openAsBlob } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Mailproof, type OtherWebhook, verifyWebhook, type WebhookEvent } from '@mailproof/sdk';

/**
 * A program with nothing but a key: `node whole-program.ts list.csv example.com 5` validates the list, finds people of
 * the domain and downloads both. It waits for events instead of polling. The gateway's tests run it with the packed SDK.
 */

type EventOf<Type> = Extract<WebhookEvent, { readonly type: Type }>;

const { MAILPROOF_URL: baseUrl = '', MAILPROOF_API_KEY: apiKey = '' } = process.env;
const [, , path = '', domain = '', people = '5'] = process.argv;
const mailproof = new Mailproof({ baseUrl, apiKey });
const deadlineMs = 30 * 60_000;

const say = (line: string) => process.stdout.write(`${line}\n`);

let secret = '';
const events = new Map<string, WebhookEvent | OtherWebhook>();
let announce = Promise.withResolvers<void>();
const server = createServer(async (request, response) => {
  const id = String(request.headers['webhook-id']);
  try {
    const headers = new Headers(request.headers as Record<string, string>);
    events.set(id, verifyWebhook(await text(request), headers, secret));
    response.writeHead(204).end();
    announce.resolve();
    announce = Promise.withResolvers();
  } catch {
    response.writeHead(401).end();
  }
});

/** Waits until Mailproof has sent the event of the job, the export or the run. */
async function told<Type extends WebhookEvent['type']>(type: Type, id: string): Promise<EventOf<Type>> {
  const timeout = setTimeout(() => announce.reject(new Error(`No ${type} for ${id}.`)), deadlineMs);
  try {
    for (;;) {
      const isIt = (event: WebhookEvent | OtherWebhook): event is EventOf<Type> =>
        event.type !== undefined && event.type === type && Object.values(event.data).includes(id);
      const found = [...events.values()].find(isIt);
      if (found) return found;
      await announce.promise;
    }
  } finally {
    clearTimeout(timeout);
  }
}

/** Exports rows, waits for the event, and writes the file. */
async function download(source: Parameters<Mailproof['download']>[0], file: string): Promise<void> {
  const body = { target: 'csv', source } as const;
  const { export_id } = await mailproof.send('post', '/exports', { body });
  const { status } = (await told('export.finished', export_id)).data;
  if (status !== 'succeeded') throw new Error(`The export ${status}.`);
  const { data } = await mailproof.client.GET('/exports/{export_id}/file', {
    params: { path: { export_id } },
    parseAs: 'stream',
  });
  await data?.pipeTo(Writable.toWeb(createWriteStream(file)));
}

await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const endpoint = await mailproof.send('post', '/webhook-endpoints', {
  body: {
    url: `http://127.0.0.1:${port}/events`,
    event_types: ['validation_job.finished', 'export.finished', 'discovery_run.finished'],
  },
});
secret = endpoint.signing_secret;

const { job_id, rows } = await mailproof.uploadList({ file: await openAsBlob(path) }, { name: 'whole' });
await mailproof.send('post', '/validation-jobs/{job_id}/start', { params: { path: { job_id } } });
const { data: job } = await told('validation_job.finished', job_id);
say(`job ${job.state}: ${rows.total} rows, ${job.done} of ${job.addresses} addresses`);
await download({ kind: 'validation_job', job_id }, 'validated.csv');

const search = await mailproof.send('post', '/people-searches', {
  body: { name: domain, filters: { company_domains: [domain] } },
});
const { run_id } = await mailproof.send('post', '/people-searches/{search_id}/runs', {
  params: { path: { search_id: search.search_id } },
  body: { people: Number(people) },
});
const { data: run } = await told('discovery_run.finished', run_id);
say(`run ${run.state}: ${run.delivered} people`);
await download({ kind: 'saved_people', run_id }, 'people.csv');

await mailproof.send('delete', '/webhook-endpoints/{endpoint_id}', {
  params: { path: { endpoint_id: endpoint.endpoint_id } },
});
server.close();
