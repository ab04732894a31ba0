import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { failing, limitedTo, openWebhookReceiver, type WebhookReceiver, waitFor } from '@mailproof/dev-house';
import type { ExportRecord } from '@mailproof/shared-types';
import { Webhook } from 'standardwebhooks';
import { type Dispatcher, openDispatcher, valuesOf } from './open-dispatcher.ts';

/*
 * A push spends most of its time waiting: for its pace, its next attempt, or the process that takes over from a killed
 * one. So the pushes of these tests run concurrently, each to a separate receiver.
 */

let dispatcher: Dispatcher;
const hasEnded = ({ status }: ExportRecord) => status === 'succeeded' || status === 'failed';

beforeAll(async () => {
  dispatcher = await openDispatcher();
}, 60_000);

afterAll(() => dispatcher?.close());

/** Runs a test with a separate receiver. */
const withReceiver = (test: (receiver: WebhookReceiver) => Promise<void>) => async () => {
  const receiver = await openWebhookReceiver();
  await test(receiver).finally(() => receiver.close());
};

/** Runs a test with a separate dispatcher, because it removes something that the other tests need. */
async function withOwnDispatcher(test: (own: Dispatcher) => Promise<void>): Promise<void> {
  const own = await openDispatcher();
  await test(own).finally(() => own.close());
}

const rowOf = (webhookId: string) => Number(webhookId.split('_').at(-1));

/** The accepted requests of each row, by row number. */
const takenBy = (receiver: WebhookReceiver) =>
  new Map([...receiver.taken()].map(([id, requests]) => [rowOf(id), requests]));

const destinationKeys = (exportId = '') => dispatcher.redis.keys(`*destination*${exportId}`);

describe('a push', () => {
  it.concurrent(
    'sends each row once, signed, with its members in their order, and leaves nothing behind',
    withReceiver(async receiver => {
      const header = { name: 'Authorization', value: 'Bearer canary' };
      const started = await dispatcher.push({
        rows: 40,
        destination: { url: `${receiver.url}/hook`, header },
      });
      const ended = await dispatcher.until(started.export_id, 'the push has ended', hasEnded);
      expect(ended).toMatchObject({
        status: 'succeeded',
        rows: { total: 40, delivered: 40, failed: 0, gone: 0 },
      });
      const taken = takenBy(receiver);
      expect([...taken.keys()].toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 40 }, (_, at) => at + 1),
      );
      const verifier = new Webhook(started.push?.signing_secret ?? '');
      for (const [row, requests] of taken) {
        const [request] = requests;
        const [name, year, email] = valuesOf(row);
        expect(requests).toHaveLength(1);
        expect(request?.body).toBe(
          `{"name":"${name}","2019":${year},"email":"${email}","result_status":"ok","valid":true}`,
        );
        expect(request?.headers.authorization).toBe('Bearer canary');
        expect(request?.headers['webhook-id']).toBe(`${started.export_id}_${row}`);
        verifier.verify(request?.body ?? '', request?.headers as Record<string, string>);
      }
      expect(await destinationKeys(started.export_id)).toEqual([]);
    }),
    60_000,
  );

  it.concurrent(
    'keeps to a receiver that lets 20 rows a second in',
    withReceiver(async receiver => {
      receiver.react(limitedTo(20, 'date'));
      const { export_id } = await dispatcher.push({ rows: 120, destination: { url: receiver.url } });
      const ended = await dispatcher.until(export_id, 'the push has ended', hasEnded);
      expect(ended.rows).toMatchObject({ delivered: 120, failed: 0 });
      const refused = receiver.requests.length - 120;
      expect(ended.throttled).toBe(refused);
      expect(refused).toBeLessThanOrEqual(15);
      expect((await dispatcher.rows(export_id, 'delivered')).every(({ attempts }) => attempts === 1)).toBe(
        true,
      );
    }),
    90_000,
  );

  it.concurrent(
    'delivers each row of a receiver that fails a fifth of the time, or gives it up after 3 attempts',
    withReceiver(async receiver => {
      const fails = failing(0.2, 11);
      const neverTaken = [5, 40];
      const statuses = new Map<string, number[]>();
      receiver.react(request => {
        const id = String(request.headers['webhook-id']);
        const chance = fails(request) as { status: number };
        const reaction = neverTaken.includes(rowOf(id)) ? { status: 500 } : chance;
        statuses.set(id, [...(statuses.get(id) ?? []), reaction.status]);
        return reaction;
      });
      const { export_id } = await dispatcher.push({ rows: 100, destination: { url: receiver.url } });
      const ended = await dispatcher.until(export_id, 'the push has ended', hasEnded, 80_000);
      const gaveUp = [...statuses].filter(([, each]) => each.at(-1) === 500);
      expect(statuses.size).toBe(100);
      expect(gaveUp.every(([, each]) => each.length === 3)).toBe(true);
      expect(ended.rows).toMatchObject({ delivered: 100 - gaveUp.length, failed: gaveUp.length });
      const failed = await dispatcher.rows(export_id, 'failed');
      expect(failed.map(({ row }) => row)).toEqual(gaveUp.map(([id]) => rowOf(id)).toSorted((a, b) => a - b));
      expect(failed.map(({ row }) => row)).toEqual(expect.arrayContaining(neverTaken));
      expect(failed.every(({ attempts, fault }) => attempts === 3 && fault?.includes('cannot accept'))).toBe(
        true,
      );
    }),
    100_000,
  );

  it.concurrent(
    'continues where it was when its process is killed, and repeats a row only under its id',
    withReceiver(receiver =>
      withOwnDispatcher(async own => {
        receiver.react(limitedTo(60, 'seconds'));
        const { export_id } = await own.push({ rows: 100, destination: { url: receiver.url } });
        await waitFor('some rows have arrived', () => receiver.taken().size >= 20, { deadlineMs: 30_000 });
        await own.kill('SIGKILL');
        const before = receiver.taken().size;
        expect(before).toBeLessThan(100);
        await own.restart();
        await waitFor('it continues', () => receiver.taken().size > before, { deadlineMs: 60_000 });
        const ended = await own.until(export_id, 'the push has ended', hasEnded);
        expect(ended).toMatchObject({ status: 'succeeded', rows: { delivered: 100, failed: 0 } });
        expect(receiver.taken().size).toBe(100);
        for (const requests of receiver.taken().values()) {
          expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
        }
      }),
    ),
    120_000,
  );

  it.concurrent(
    'sends nothing while it is paused, continues when it is resumed, and ends when it is canceled',
    withReceiver(async receiver => {
      const { export_id } = await dispatcher.push({
        rows: 200,
        destination: { url: receiver.url },
        options: { rows_per_second_max: 40 },
      });
      await waitFor('some rows have arrived', async () => receiver.requests.length >= 10, {
        deadlineMs: 30_000,
      });
      const paused = await dispatcher.steer(export_id, 'pause');
      expect(paused).toMatchObject({ status: 'running', pause: { reason: 'asked', resumes_at: null } });
      // Rows in flight are recorded, and then nothing changes any more.
      let delivered = -1;
      await waitFor(
        'it stands still',
        async () => {
          const record = await dispatcher.find(export_id);
          const isStill = record.rows.delivered === delivered && delivered === receiver.requests.length;
          delivered = record.rows.delivered;
          return isStill;
        },
        { deadlineMs: 20_000, everyMs: 1_500 },
      );
      expect(await destinationKeys(export_id)).toHaveLength(1);
      await dispatcher.steer(export_id, 'resume');
      await waitFor('it continues', async () => receiver.requests.length > delivered, { deadlineMs: 20_000 });
      const cancelled = await dispatcher.steer(export_id, 'cancel');
      expect(cancelled).toMatchObject({ status: 'failed', failure: { reason: 'cancelled' } });
      await waitFor('nothing is kept', async () => (await destinationKeys(export_id)).length === 0, {
        deadlineMs: 10_000,
      });
      await expect(dispatcher.steer(export_id, 'resume')).rejects.toMatchObject({ code: 'export_ended' });
      await expect(dispatcher.putDestination(export_id, { url: receiver.url })).rejects.toMatchObject({
        code: 'export_ended',
      });
      expect(receiver.requests.length).toBeLessThan(200);
    }),
    90_000,
  );

  it.concurrent(
    'ends when Redis loses its destination, and continues with the rest when it is entered again',
    withReceiver(receiver =>
      withOwnDispatcher(async own => {
        const { export_id } = await own.push({
          rows: 80,
          destination: { url: `${receiver.url}/first` },
          options: { rows_per_second_max: 20 },
        });
        await waitFor('some rows have arrived', () => receiver.requests.length >= 10, { deadlineMs: 30_000 });
        // Deletes only this dispatcher's database: FLUSHALL would also delete the queues of other tests.
        await own.redis.flushdb();
        const lost = await own.until(export_id, 'the push has ended', hasEnded);
        expect(lost).toMatchObject({ status: 'failed', failure: { reason: 'destination_lost' } });
        const arrived = receiver.taken().size;
        expect(lost.rows.delivered).toBe(arrived);
        const again = await own.putDestination(export_id, { url: `${receiver.url}/second` });
        expect(again.export).toMatchObject({ failure: null, ended_at: null });
        const ended = await own.until(export_id, 'the push has ended', hasEnded);
        expect(ended).toMatchObject({ status: 'succeeded', rows: { delivered: 80, failed: 0 } });
        expect(receiver.requests).toHaveLength(80);
        expect([...takenBy(receiver).keys()].toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: 80 }, (_, at) => at + 1),
        );
        expect([...receiver.taken().keys()].every(id => id.startsWith(`${export_id}_`))).toBe(true);
        expect(receiver.requests.filter(({ path }) => path === '/first')).toHaveLength(arrived);
      }),
    ),
    90_000,
  );

  it.concurrent(
    'ends when the receiver refuses one row after the other, and sends them where they are taken',
    withReceiver(async receiver => {
      receiver.react(({ path }) => ({ status: path === '/right' ? 200 : 404 }));
      const { export_id } = await dispatcher.push({
        rows: 30,
        destination: { url: `${receiver.url}/wrong` },
      });
      const refused = await dispatcher.until(export_id, 'the push has ended', hasEnded);
      expect(refused).toMatchObject({ failure: { reason: 'destination_refused' }, rows: { delivered: 0 } });
      expect(receiver.requests.length).toBeLessThan(30);
      await dispatcher.putDestination(export_id, { url: `${receiver.url}/right` });
      const ended = await dispatcher.until(export_id, 'the push has ended', hasEnded);
      expect(ended).toMatchObject({ status: 'succeeded', rows: { delivered: 30, failed: 0 } });
      expect(receiver.taken().size).toBe(30);
    }),
    60_000,
  );

  it.each([
    'http://127.0.0.2:8080/',
    'http://[::ffff:127.0.0.2]/',
    'http://2130706434/',
    'http://169.254.169.254/latest/meta-data/',
    'https://10.0.0.1/',
    'http://8.8.8.8/',
    'https://me:secret@receiver.example/',
    'https://receiver.example:25/',
  ])('is not started to %s', async url => {
    await expect(dispatcher.push({ rows: 1, destination: { url } })).rejects.toMatchObject({
      code: 'destination_not_valid',
    });
    expect(await destinationKeys()).toEqual([]);
  });
});

describe('destination and contents of a push', () => {
  it.concurrent(
    'is in no log, span, metric or table, and in no key of Redis after it',
    withReceiver(async receiver => {
      const canaries = ['canary-path', 'canary-token', 'canary-header', 'Canary-Name', 'canary.person'];
      const fails = failing(0.3, 5);
      receiver.react(request =>
        request.number === 4 ? { status: 429, headers: { 'retry-after': '1' } } : fails(request),
      );
      const { export_id, push } = await dispatcher.push({
        rows: 25,
        destination: {
          url: `${receiver.url}/canary-path?token=canary-token`,
          header: { name: 'X-Canary-Name', value: 'canary-header' },
        },
      });
      await dispatcher.until(export_id, 'the push has ended', hasEnded);
      canaries.push((push?.signing_secret ?? 'none').slice('whsec_'.length));
      // All telemetry of the push has arrived once its end has.
      await waitFor(
        'its metrics and its end are told',
        async () => {
          const told = dispatcher.told();
          return (
            told.includes('mailproof.push.rows') && told.includes('export ended') && told.includes(export_id)
          );
        },
        { deadlineMs: 20_000 },
      );
      const told = dispatcher.told();
      const { rows: tables } = await dispatcher.pool.query<{ text: string }>(
        `SELECT (SELECT coalesce(string_agg(e::text, E'\\n'), '') FROM export e)
         || (SELECT coalesce(string_agg(r::text, E'\\n'), '') FROM export_row r)
         || (SELECT coalesce(string_agg(o::text, E'\\n'), '') FROM outbox o) AS text`,
      );
      const keys = await dispatcher.redis.keys('*');
      const values = await Promise.all(keys.map(key => dispatcher.redis.dump(key)));
      expect(told).toContain('rows pushed');
      expect(tables[0]?.text).toContain(export_id);
      for (const canary of canaries) {
        expect([canary, told.includes(canary)]).toEqual([canary, false]);
        expect([canary, tables[0]?.text.includes(canary)]).toEqual([canary, false]);
        expect([canary, `${keys} ${values}`.includes(canary)]).toEqual([canary, false]);
      }
      expect(await destinationKeys(export_id)).toEqual([]);
    }),
    90_000,
  );
});
