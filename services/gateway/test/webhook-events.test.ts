import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openWebhookReceiver, type WebhookReceiver } from '@mailproof/dev-house';
import { eventSchema, newId, type SubscribedEventType, subscribedEventTypes } from '@mailproof/shared-types';
import { Webhook } from 'standardwebhooks';
import { savePeople, untilExportEnded } from './exported-records.ts';
import type { Customer, Person, TestHouse } from './house.ts';
import { startJob, untilJobEnded, uploadJob } from './job-house.ts';
import { openPeopleHouse, ownerWith, type PeopleHouse, untilRunEnded } from './people-store.ts';
import { until } from './until.ts';

/* Each event happens in one service and arrives at a receiver, with a signature that the reference library verifies. */

const people = 12;
let opening: PeopleHouse;
let test: TestHouse;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await openWebhookReceiver();
  opening = await openPeopleHouse(people);
  ({ test } = opening);
}, 120_000);

afterAll(async () => {
  await opening?.stop();
  await receiver?.close();
});

/** Registers an endpoint for all events; returns a function that waits for the events of a type and verifies them. */
async function listening(client: Pick<Person | Customer, 'post'>) {
  const path = `/${newId('request')}`;
  const body = { url: receiver.url + path, event_types: subscribedEventTypes };
  const created = await client.post('/webhook-endpoints', JSON.stringify(body));
  expect(created.status).toBe(201);
  const webhook = new Webhook(String(created.body['signing_secret']));
  const received = (type: SubscribedEventType) =>
    receiver.requests
      .filter(request => request.path === path)
      .map(request => webhook.verify(request.body, request.headers as Record<string, string>))
      .filter(event => (event as { type: string }).type === type)
      .map(event => eventSchema(type).strict().parse(event).data as Record<string, unknown>);
  return {
    received,
    until: (type: SubscribedEventType, count = 1) =>
      until(
        type,
        async () => received(type),
        events => events.length >= count,
      ),
  };
}

describe('an endpoint is told', () => {
  it('that a validation job has ended, by key as by session', async () => {
    const customer = await test.open({ credits: 20 });
    const owner = await (await test.owner({ accountId: customer.accountId })).signIn();
    const { until: untilTold, received } = await listening(customer);
    const jobId = await uploadJob(owner, ['ada@ordinary.example', 'nobody@ordinary.example', 'no address']);
    await startJob(owner, jobId);
    const job = await untilJobEnded(owner, jobId);
    const [event] = await untilTold('validation_job.finished');
    expect(event).toEqual({
      account_id: owner.accountId,
      job_id: jobId,
      name: job['name'],
      state: 'succeeded',
      addresses: 2,
      done: 2,
      failure: null,
      results: job['results'],
      spent: job['spent'],
      seconds: expect.any(Number),
    });
    expect(JSON.stringify(receiver.requests.map(({ body }) => body))).not.toContain('ordinary.example');
    const cancelled = await uploadJob(owner, ['grace@ordinary.example']);
    await startJob(owner, cancelled);
    await owner.post(`/validation-jobs/${cancelled}/cancellation`, undefined);
    await untilTold('validation_job.finished', 2);
    expect(received('validation_job.finished').map(each => each['job_id'])).toEqual([jobId, cancelled]);
  });

  it('that an export has ended', async () => {
    const owner = await ownerWith(test, 0);
    const { until: untilTold } = await listening(owner);
    await savePeople(opening.store, owner, opening.domain);
    const request = { source: { kind: 'saved_people' }, target: 'csv' };
    const { body } = await owner.post('/exports', request);
    await untilExportEnded(owner, String(body['export_id']));
    expect(await untilTold('export.finished')).toEqual([
      {
        account_id: owner.accountId,
        export_id: body['export_id'],
        name: 'Saved people',
        target: 'csv',
        status: 'succeeded',
        failure: null,
        rows: { total: people, delivered: people, failed: 0, gone: 0 },
      },
    ]);
  });

  it('that a people run has ended', async () => {
    const owner = await ownerWith(test, 100);
    const { until: untilTold } = await listening(owner);
    const filters = { company_domains: [opening.domain] };
    const search = await owner.post('/people-searches', { name: 'A search', filters });
    const started = await owner.post(`/people-searches/${search.body['search_id']}/runs`, { people: 5 });
    expect(started.status).toBe(202);
    const run = await untilRunEnded(owner, String(started.body['run_id']));
    expect(await untilTold('discovery_run.finished')).toEqual([
      {
        account_id: owner.accountId,
        run_id: run['run_id'],
        search_id: search.body['search_id'],
        name: 'A search',
        kind: 'people',
        state: 'succeeded',
        failure: null,
        requested: 5,
        delivered: 5,
        has_more: true,
        spent: run['spent'],
      },
    ]);
  });

  it('that an import of people from a file has ended, but not of one that never started', async () => {
    const owner = await ownerWith(test, 0);
    const { until: untilTold, received } = await listening(owner);
    const rows = ['Name,LinkedIn', 'Ada,https://www.linkedin.com/in/ada', 'Bob,', 'Eve,', ''];
    const importOf = async (file: string) => {
      const headers = { 'content-type': 'text/csv' };
      const sent = await owner.send(`/people-imports?name=${file}`, {
        ...{ method: 'POST', headers, body: rows.join('\n') },
      });
      expect(sent.status).toBe(201);
      return String(sent.body['import_id']);
    };
    const cancelled = await importOf('other.csv');
    await owner.post(`/people-imports/${cancelled}/cancellation`, undefined);
    const importId = await importOf('from%20ada@example.com.csv');
    expect((await owner.post(`/people-imports/${importId}/start`, {})).status).toBe(202);
    const expected = {
      account_id: owner.accountId,
      import_id: importId,
      name: 'from …',
      state: 'succeeded',
      failure: null,
      list_id: null,
      rows: { total: 3, added: 1, changed: 0, refused: 2 },
    };
    expect(await untilTold('people_import.finished')).toEqual([expected]);
    const notices = await until(
      'a notice',
      async () => (await owner.get('/notices')).body['notices'] as { type: string; data: object }[],
      found => found.length > 0,
    );
    expect(notices).toMatchObject([{ type: 'people_import.finished', data: expected }]);
    expect(received('people_import.finished')).toHaveLength(1);
  });

  it('that the credits have fallen below the threshold, once, however often a hold is released', async () => {
    const customer = await test.open({ credits: 3 });
    const owner = await (await test.owner({ accountId: customer.accountId })).signIn();
    const { until: untilTold, received } = await listening(owner);
    await owner.put('/credit-threshold', { threshold: 2 });
    // The hold leaves one credit available, and nothing is spent.
    const jobId = await uploadJob(owner, ['nobody@unreachable.example', 'no-one@unreachable.example']);
    await startJob(owner, jobId);
    await owner.post(`/validation-jobs/${jobId}/cancellation`, undefined);
    await untilTold('validation_job.finished');
    await customer.validate('ada@ordinary.example');
    expect((await owner.get('/balance')).body['available']).toBe(2);
    await customer.validate('grace@ordinary.example');
    const [event] = await untilTold('credits.low');
    expect(event).toMatchObject({ account_id: owner.accountId, threshold: 2 });
    expect(Number(event?.['available']) + Number(event?.['held'])).toBe(1);
    await customer.validate('linus@ordinary.example');
    await untilTold('credits.low');
    expect(received('credits.low')).toHaveLength(1);
  });

  it('nothing of another account, and nothing that it did not ask for', async () => {
    const owner = await ownerWith(test, 0);
    const other = await ownerWith(test, 0);
    const path = `/${newId('request')}`;
    await other.post('/webhook-endpoints', {
      url: receiver.url + path,
      event_types: ['validation_job.finished'],
    });
    const { until: untilTold } = await listening(owner);
    for (const person of [other, owner]) {
      await savePeople(opening.store, person, opening.domain);
      const request = { source: { kind: 'saved_people' }, target: 'csv' };
      const { body } = await person.post('/exports', request);
      await untilExportEnded(person, String(body['export_id']));
    }
    await untilTold('export.finished');
    expect(receiver.requests.filter(request => request.path === path)).toEqual([]);
  });
});
