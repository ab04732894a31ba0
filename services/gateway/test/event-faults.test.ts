import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openWebhookReceiver, type WebhookReceiver } from '@mailproof/dev-house';
import { benchmarkCatalog } from '@mailproof/mail-lab';
import { newId, type ServiceName } from '@mailproof/shared-types';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { type Customer, type Person, validating } from './house.ts';
import { type JobHouse, openJobHouse, startJob, untilJob, untilJobEnded, uploadJob } from './job-house.ts';
import { openPeopleStore, untilRunEnded } from './people-store.ts';
import { until } from './until.ts';

/* Kills each part of an event's way: the service in which it happens, and the dispatcher that delivers it (ADR 0070). */

const timeoutMs = 90_000;
/** Enough addresses that a job can be stopped in its middle. */
const addressesMax = 600;
const catalog = benchmarkCatalog({
  domains: addressesMax / 10,
  addresses: addressesMax,
  catchAllShare: 0,
  seed: 68,
});
const addresses = catalog.flatMap(domain => domain.expected).map(({ address }) => address);

let house: JobHouse;
let receiver: WebhookReceiver;
let customer: Customer;
let owner: Person;
let endpoint: { readonly at: string; readonly webhook: Webhook };

beforeAll(async () => {
  receiver = await openWebhookReceiver();
  house = await openJobHouse(catalog, {
    inOneProcess: false,
    only: [...validating, 'enrichment', 'webhook-dispatcher'],
    env: {
      'credit-ledger': { HOLD_SWEEP_INTERVAL_MS: '200' },
      'validation-engine': {
        VALIDATION_MEMORY_DECIDED_SECONDS: '0',
        VALIDATION_MEMORY_UNKNOWN_SECONDS: '0',
        VALIDATION_JOB_CHUNKS_AT_ONCE_MAX: '2',
        VALIDATION_JOB_ADDRESSES_PER_CHUNK_MAX: '10',
      },
      'webhook-dispatcher': { OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.1/32' },
    },
  });
}, 180_000);

afterAll(async () => {
  await house?.stop();
  await receiver?.close();
}, 60_000);

beforeEach(async () => {
  receiver.react(() => ({ status: 200 }));
  customer = await house.test.open({ credits: addressesMax });
  owner = await (await house.test.owner({ accountId: customer.accountId })).signIn();
  const { status, body } = await owner.post('/webhook-endpoints', {
    url: `${receiver.url}/${newId('request')}`,
    event_types: [
      'validation_job.finished',
      'validation_job.needs_credits',
      'discovery_run.finished',
      'credits.low',
    ],
  });
  expect(status).toBe(201);
  endpoint = {
    at: `/webhook-endpoints/${body['endpoint_id']}`,
    webhook: new Webhook(String(body['signing_secret'])),
  };
}, 60_000);

function service(name: ServiceName) {
  const found = house.test.house.services[name];
  if (!found) {
    throw new Error(`There is no service ${name}.`);
  }
  return found;
}

interface Told {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** The requests of the endpoint, verified, in order. */
const told = (): Told[] =>
  receiver.requests.flatMap(({ body, headers }) => {
    try {
      const event = endpoint.webhook.verify(body, headers as Record<string, string>) as Omit<Told, 'id'>;
      return [{ ...event, id: String(headers['webhook-id']) }];
    } catch {
      // Another test's endpoint has another secret.
      return [];
    }
  });

const untilTold = (type: string, count = 1) =>
  until(
    `${count} × ${type}`,
    async () => told().filter(event => event.type === type),
    events => events.length >= count,
    timeoutMs,
  );

const ofAccount = async (pool: JobHouse['engine']) =>
  (await pool.query('SELECT type FROM event WHERE account_id = $1', [owner.accountId])).rows;

describe('kill -9', () => {
  it('of the engine between the end of a job and its event loses nothing', async () => {
    await service('webhook-dispatcher').kill('SIGKILL');
    const jobId = await uploadJob(owner, addresses.slice(0, 10));
    await startJob(owner, jobId);
    await untilJobEnded(owner, jobId, timeoutMs);
    await service('validation-engine').kill('SIGKILL');
    expect(await ofAccount(house.engine)).toEqual([{ type: 'validation_job.finished' }]);
    await service('validation-engine').restart();
    await service('webhook-dispatcher').restart();
    const [event] = await untilTold('validation_job.finished');
    expect(event?.data).toMatchObject({ job_id: jobId, state: 'succeeded', done: 10 });
    await until(
      'the event is taken over',
      () => ofAccount(house.engine),
      rows => rows.length === 0,
    );
    expect(told()).toHaveLength(1);
  }, 180_000);

  it('of enrichment between the end of a run and its event loses nothing', async () => {
    const store = await openPeopleStore(house.test);
    try {
      const domain = await store.add(3);
      await service('webhook-dispatcher').kill('SIGKILL');
      const filters = { company_domains: [domain] };
      const search = await owner.post('/people-searches', { name: 'A search', filters });
      const run = await owner.post(`/people-searches/${search.body['search_id']}/runs`, { people: 'all' });
      expect([run.status, run.body['code']]).toEqual([202, undefined]);
      const runId = String(run.body['run_id']);
      await untilRunEnded(owner, runId);
      await service('enrichment').kill('SIGKILL');
      expect(await ofAccount(store.pool)).toEqual([{ type: 'discovery_run.finished' }]);
      await service('enrichment').restart();
      await service('webhook-dispatcher').restart();
      const [event] = await untilTold('discovery_run.finished');
      expect(event?.data).toMatchObject({ run_id: runId, state: 'succeeded', delivered: 3 });
      await until(
        'the event is taken over',
        () => ofAccount(store.pool),
        rows => rows.length === 0,
      );
      expect(told()).toHaveLength(1);
    } finally {
      await store.close();
    }
  }, 180_000);

  it('of the dispatcher in the middle of a delivery sends the event again, under the same id', async () => {
    receiver.react(() => 'hang');
    const sent = await owner.post(`${endpoint.at}/test`, undefined);
    expect(sent.status).toBe(202);
    await untilTold('webhook_endpoint.test');
    await service('webhook-dispatcher').kill('SIGKILL');
    receiver.react(() => ({ status: 200 }));
    await service('webhook-dispatcher').restart();
    const events = await untilTold('webhook_endpoint.test', 2);
    expect(new Set(events.map(({ id }) => id))).toEqual(new Set([sent.body['event_id']]));
    const path = `${endpoint.at}/deliveries/${sent.body['delivery_id']}`;
    const delivery = await until(
      'the end of the delivery',
      async () => (await owner.get(path)).body,
      ({ state }) => state === 'delivered',
      timeoutMs,
    );
    // Only an attempt whose outcome is known is in the log.
    expect(delivery).toMatchObject({ attempts: 1, attempt_log: [{ attempt: 1, status_code: 200 }] });
    expect(told()).toHaveLength(2);
  }, 180_000);

  it('of the ledger after a charge loses no event of low credits', async () => {
    await owner.put('/credit-threshold', { threshold: addressesMax });
    await service('webhook-dispatcher').kill('SIGKILL');
    const [address = ''] = addresses;
    expect((await customer.validate(address)).status).toBe(200);
    await until(
      'the event is recorded',
      () => ofAccount(house.ledger),
      rows => rows.length === 1,
    );
    await service('credit-ledger').kill('SIGKILL');
    await service('credit-ledger').restart();
    await service('webhook-dispatcher').restart();
    const [event] = await untilTold('credits.low');
    expect(event?.data).toMatchObject({ account_id: owner.accountId, threshold: addressesMax });
    expect(told()).toHaveLength(1);
  }, 180_000);
});

describe('kill -9 of the gateway', () => {
  it('between an event and its notice loses neither the notice nor its mail, and doubles none', async () => {
    const dispatcher = new pg.Pool({
      connectionString: house.test.house.databaseUrls['dispatcher']?.migrationDatabaseUrl ?? '',
    });
    try {
      await owner.put('/credit-threshold', { threshold: addressesMax });
      await service('webhook-dispatcher').kill('SIGKILL');
      expect((await customer.validate(addresses[0] ?? '')).status).toBe(200);
      await until(
        'the event is recorded',
        () => ofAccount(house.ledger),
        rows => rows.length === 1,
      );
      await service('gateway').kill('SIGKILL');
      await service('webhook-dispatcher').restart();
      await until(
        'the event waits for the gateway',
        async () =>
          (await dispatcher.query('SELECT FROM dispatcher.event WHERE account_id = $1', [owner.accountId]))
            .rowCount,
        count => count === 1,
        timeoutMs,
      );
      await service('gateway').restart();
      const { body } = await until(
        'the notice',
        () => owner.get('/notices'),
        answer => Number(answer.body['unread']) > 0,
        timeoutMs,
      );
      expect(body['notices']).toMatchObject([{ type: 'credits.low', read: false }]);
      await house.test.mail(owner.email);
      expect(await house.test.mails(owner.email)).toHaveLength(1);
    } finally {
      await dispatcher.end();
    }
  }, 240_000);
});

describe('a job that cannot pay', () => {
  it('says that it needs credits, and then that it has ended', async () => {
    const jobId = await uploadJob(owner, addresses);
    await startJob(owner, jobId);
    await untilJob('the first answers', owner, jobId, ({ done }) => Number(done) > 0, timeoutMs);
    await service('validation-engine').kill('SIGKILL');
    const { body: before } = await owner.get('/balance');
    expect(before).toMatchObject({ available: 0, held: addressesMax });
    await house.ledger.query("UPDATE hold SET expires_at = now() - interval '1 second' WHERE run_id = $1", [
      jobId,
    ]);
    await until(
      'the expiry of the hold',
      async () => (await owner.get('/balance')).body,
      ({ held }) => held === 0,
    );
    // The returned credits are spent elsewhere.
    await house.engine.query('UPDATE validation_job SET hold_expires_at = now() WHERE job_id = $1', [jobId]);
    await house.ledger.query(
      `SELECT settle_hold_v1(made.hold_id, $3, NULL)
       FROM (SELECT $1::text AS hold_id, create_hold_v1($1, $2, $1, $3, 'validate-single-email', NULL, 60000, NULL)) AS made`,
      [newId('hold'), owner.accountId, addressesMax],
    );
    await service('validation-engine').restart();
    const job = await untilJobEnded(owner, jobId, timeoutMs);
    expect(job).toMatchObject({ state: 'failed', failure: { code: 'credits_exhausted' } });
    await untilTold('validation_job.finished');
    const [needs] = await untilTold('validation_job.needs_credits');
    expect(needs?.data).toMatchObject({
      job_id: jobId,
      addresses: addresses.length,
      required: (addresses.length - Number(job['done'])) * Number(job['price']),
    });
    expect(
      told()
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(['validation_job.finished', 'validation_job.needs_credits']);
  }, 180_000);
});
