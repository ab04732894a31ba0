import { randomBytes } from 'node:crypto';
import { type WebhookReceiver, waitFor } from '@mailproof/dev-house';
import { Mailproof, verifyWebhook } from '@mailproof/sdk';
import type { Installation } from './installation.ts';

const single: ListBurst = { lists: 1, addresses: 200 };
const rowsPerPage = 200;
/** Few: a fast machine makes some hundred runs, and each person can be saved once. */
const runPeople = 20;
const searchDeadlineMs = 60_000;

/** What a customer's work came to. */
interface Totals {
  lists: number;
  verdicts: number;
  pushed: number;
  repeated: number;
  people: number;
  spent: number;
}

/** Lists that a customer has validated at the same time. */
export interface ListBurst {
  readonly lists: number;
  /** In each of them. */
  readonly addresses: number;
}

/**
 * Works as a customer until `end` aborts, one list at least: validates a list, and while the next one is validated, pushes
 * the rows to a receiver and saves people with a paid run; `first` is what is validated before the single lists. Checks
 * that each address has the verdict that its host gives, that each row arrives signed and with its verdict, that each
 * receipt agrees with the price, and that nothing stays reserved.
 */
export async function workAsCustomer(
  installation: Installation,
  end: AbortSignal,
  first: ListBurst = single,
): Promise<string> {
  const client = clientOf(installation);
  const { credits: before } = await client.send('get', '/me');
  const totals: Totals = { lists: 0, verdicts: 0, pushed: 0, repeated: 0, people: 0, spent: 0 };
  const others: Promise<void>[] = [];
  const searchId = await searchPeople(client);
  let saving: Promise<void> = Promise.resolve();
  const validate = async (addresses: number): Promise<void> => {
    const { jobId, verdicts, spent } = await validateList(client, installation, addresses);
    totals.lists += 1;
    totals.verdicts += verdicts.size;
    totals.spent += spent;
    // One after the other: a search has one run at a time.
    saving = saving.then(() => savePeople(client, searchId, totals));
    for (const other of [pushRows(client, installation.receiver, jobId, verdicts, totals), saving]) {
      // It may fail long before it is waited for.
      other.catch(() => {});
      others.push(other);
    }
  };
  try {
    // All end before one of them fails the trial: a list left running would spend credits in the next one.
    const burst = await Promise.allSettled(
      Array.from({ length: first.lists }, () => validate(first.addresses)),
    );
    for (const list of burst) if (list.status === 'rejected') throw list.reason;
    while (!end.aborted) await validate(single.addresses);
  } finally {
    await Promise.allSettled(others);
  }
  await Promise.all(others);
  const { credits: after } = await client.send('get', '/me');
  const { lists, verdicts, pushed, repeated, people, spent } = totals;
  const said = `${lists} lists: ${verdicts} verdicts as expected, ${pushed} rows pushed (${repeated} repeated), ${people} people saved, ${spent} credits`;
  if (before - after !== spent) throw new Error(`${said}, balance from ${before} to ${after}`);
  return said;
}

export function clientOf({ gatewayUrl, apiKey }: Pick<Installation, 'gatewayUrl' | 'apiKey'>): Mailproof {
  return new Mailproof({ baseUrl: gatewayUrl, apiKey });
}

type Verdicts = ReadonlyMap<string, string>;

/**
 * Validates a list and reads its rows.
 *
 * @throws Error when an address has another verdict than its host gives, or the receipt disagrees with the price
 */
async function validateList(
  client: Mailproof,
  { takeAddresses }: Installation,
  count: number,
): Promise<{ readonly jobId: string; readonly verdicts: Verdicts; readonly spent: number }> {
  const expected = takeAddresses(count);
  if (expected.length < count) throw new Error('The lab has too few addresses for these trials.');
  const addresses = expected.map(({ address }) => address);
  const job = await client.validateList({ addresses }, { name: 'trial.csv' });
  const verdicts = new Map<string, string>();
  const reasons = new Map<string, string>();
  const params = { path: { job_id: job.job_id }, query: { limit: rowsPerPage } };
  for await (const { rows } of client.pages('/validation-jobs/{job_id}/rows', { params }))
    for (const { email, verdict } of rows)
      if (email && verdict) {
        verdicts.set(email, verdict.result);
        reasons.set(email, verdict.reason);
      }
  const wrong = expected
    .filter(({ address, result }) => verdicts.get(address) !== result)
    .map(({ address, result }) => `${address} is ${reasons.get(address)}, not ${result}`);
  const charged = job.done - job.results.unknown;
  if (job.state !== 'succeeded' || wrong.length > 0 || job.spent !== charged * job.price)
    throw new Error(`A list ${job.state}: ${JSON.stringify({ wrong: wrong.slice(0, 5), job })}`);
  return { jobId: job.job_id, verdicts, spent: job.spent };
}

async function pushRows(
  client: Mailproof,
  receiver: WebhookReceiver,
  jobId: string,
  verdicts: Verdicts,
  totals: Totals,
): Promise<void> {
  const path = `/${jobId}`;
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const { export_id } = await client.send('post', '/exports', {
    body: {
      target: 'webhook',
      source: { kind: 'validation_job', job_id: jobId },
      destination: { url: `${receiver.url}${path}`, signing_secret: secret },
    },
  });
  const ended = await client.wait('/exports/{export_id}', { params: { path: { export_id } } });
  const arrived = [...receiver.taken().values()].filter(([first]) => first?.path === path);
  const rows = arrived.flatMap(([first]) =>
    first ? [verifyWebhook(first.body, first.headers, secret) as Record<string, unknown>] : [],
  );
  const wrong = rows.filter(row => verdicts.get(String(row['email'])) !== row['result_status']);
  if (ended.status !== 'succeeded' || rows.length !== verdicts.size || wrong.length > 0)
    throw new Error(
      `Push ${ended.status}, ${rows.length} of ${verdicts.size} rows arrived: ${JSON.stringify({ wrong: wrong.slice(0, 5), ended })}`,
    );
  totals.pushed += rows.length;
  totals.repeated += arrived.reduce((sum, { length }) => sum + length - 1, 0);
}

/** Resolves with the id of a search that finds people; the first searches wait until the index is loaded. */
async function searchPeople(client: Mailproof): Promise<string> {
  const body = { name: 'Trial', filters: { countries: ['US', 'DE', 'FR', 'GB'] } };
  let searchId = '';
  await waitFor(
    'people can be searched',
    async () => {
      const search = await client.send('post', '/people-searches', { body });
      if (search.total > 0) searchId = search.search_id;
      return searchId !== '';
    },
    { deadlineMs: searchDeadlineMs, everyMs: 2_000 },
  );
  return searchId;
}

async function savePeople(client: Mailproof, searchId: string, totals: Totals): Promise<void> {
  const path = { search_id: searchId };
  const { run_id } = await client.send('post', '/people-searches/{search_id}/runs', {
    params: { path },
    body: { people: runPeople },
  });
  const run = await client.wait('/discovery-runs/{run_id}', { params: { path: { run_id } } });
  if (run.state !== 'succeeded' || run.spent !== run.delivered * run.price)
    throw new Error(`Run ${run.state}: ${JSON.stringify(run)}`);
  totals.people += run.delivered;
  totals.spent += run.spent;
}
