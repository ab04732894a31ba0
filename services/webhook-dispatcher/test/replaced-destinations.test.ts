import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  asRedisUser,
  type OpenTestDatabase,
  openTestDatabase,
  testRedisUrl,
  waitFor,
} from '@mailproof/dev-house';
import { createFairTurns, createSealer } from '@mailproof/service-kit';
import { openRedis, untilConnected } from '@mailproof/service-kit/redis';
import { limits, newId } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import { createExportStore, createRequeueRefused } from '../src/adapters/postgres/export-store.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { createDestinationStore, sealedDestinationType } from '../src/adapters/redis/destination-store.ts';
import { createExport } from '../src/domain/exports/create-export.ts';
import { deleteExport } from '../src/domain/exports/delete-export.ts';
import type { ExportPorts } from '../src/domain/exports/export-ports.ts';
import type { Answer } from '../src/domain/push/answer.ts';
import { keepDestination } from '../src/domain/push/begin-push.ts';
import { cancelExport, replaceDestination, type SteerPorts } from '../src/domain/push/steer-push.ts';
import { createWebhookDelivery } from '../src/domain/push/webhook-delivery.ts';
import { runExportHandler } from '../src/workers/run-work.ts';

/* Pushes whose destination is replaced at the worst moment, on real tables and a real Redis. */

const rows = 8;
let opened: OpenTestDatabase;
let redis: Redis;
/** A client that sees every key, unlike the dispatcher's own user. */
let admin: Redis;

beforeAll(async () => {
  opened = await openTestDatabase('webhook-dispatcher', openDatabase);
  const adminUrl = await testRedisUrl();
  admin = openRedis(adminUrl, () => undefined);
  redis = openRedis(asRedisUser('webhook-dispatcher', adminUrl), () => undefined);
  await Promise.all([admin, redis].map(each => untilConnected(each, 10_000)));
});

afterAll(async () => {
  redis?.disconnect();
  admin?.disconnect();
  await opened?.close();
});

const answered = (status: number, more: object = {}): Answer =>
  ({ kind: 'answer', status, ...more }) as Answer;

/** A push of some rows to `/old`, whose answers are held until released; `/new` accepts everything. */
async function world(old: Answer) {
  const sent: string[] = [];
  const gate = Promise.withResolvers<void>();
  const destinations = createDestinationStore({
    redis,
    sealer: createSealer([{ kid: 'a', key: new Uint8Array(32).fill(1) }], sealedDestinationType),
    keptSeconds: 1_000,
    onNotOpened: () => undefined,
  });
  const keys = Array.from({ length: rows }, (_, at) => String(at + 1));
  const now = () => new Date();
  const exports = createExportStore(opened.pool);
  const ports: ExportPorts = {
    exports,
    now,
    isSourceGone: () => false,
    claimMs: 10_000,
    events: { exportStarted: () => undefined, exportEnded: () => undefined },
    sources: {
      list: async () => ({ columns: ['n'], total: rows, open: 0, openTotal: 0, keys, isLast: true }),
      read: async (_accountId, _source, asked) => ({
        columns: ['n'],
        rows: asked.map(key => ({ key, values: [key] })),
        keysRead: asked.length,
      }),
    },
    delivery: createWebhookDelivery({
      destinations,
      async send({ url }, { webhookId }) {
        sent.push(`${new URL(url).pathname} ${webhookId.split('_').at(-1)}`);
        if (url.endsWith('/new')) {
          return answered(200);
        }
        await gate.promise;
        return old;
      },
      clock: { nowMs: Date.now, wait: ms => new Promise(resolve => setTimeout(resolve, ms)) },
      random: () => 0,
      events: { batchPushed: () => undefined, pushPaused: () => undefined },
      pausedMsMax: 86_400_000,
    }),
  };
  const push = {
    destinations,
    classifyHost: () => 'public' as const,
    newSigningSecret: () => 'whsec_c2VjcmV0',
  };
  const requeueRefused = createRequeueRefused(opened.pool);
  const steering: SteerPorts = { ...ports, push, requeueRefused, activeMax: 5 };
  const accountId = newId('account');
  const keyHash = new Uint8Array(32).fill(7);
  const begin = (between: () => Promise<void> = async () => undefined) =>
    createExport(
      { ...ports, keptMs: 1e9 },
      {
        accountId,
        creatorId: newId('user'),
        requestId: newId('request'),
        keyHash,
        source: { kind: 'saved_people' },
        name: undefined,
        target: 'webhook',
        options: {},
        async keepDestination(exportId) {
          await keepDestination(push, exportId, { url: 'https://receiver.example/old' });
          await between();
        },
      },
    );
  const started = await begin();
  if (started.kind !== 'created') {
    throw new Error(started.kind);
  }
  const { exportId } = started.record;
  const handler = runExportHandler({
    ports,
    turns: createFairTurns(4, limits.activeExportsMax),
    isUnavailable: () => false,
    stopping: new AbortController().signal,
  });
  return {
    sent,
    gate,
    ports,
    steering,
    accountId,
    exportId,
    destinations,
    begin,
    work: () => handler({ exportId }),
    find: () => exports.find(exportId),
    keptKeys: () => admin.keys(`*${exportId}*`),
    untilSent: () =>
      waitFor('rows are on their way', async () => sent.length === rows, { deadlineMs: 20_000 }),
    replace: () => replaceDestination(steering, accountId, exportId, { url: 'https://receiver.example/new' }),
  };
}

describe('a destination that is replaced', () => {
  it.each([
    ['refuses every row', answered(410)],
    ['asks for a day’s pause', answered(429, { retryAfter: '80000' })],
  ])(
    'while rows are on their way to one that %s, takes all of them',
    async (_, old) => {
      const { gate, work, untilSent, replace, find, sent, keptKeys } = await world(old);
      const first = work();
      await untilSent();
      expect((await replace()).kind).toBe('done');
      const second = work();
      gate.resolve();
      await Promise.all([first, second]);
      // Rows that the first worker had claimed when the second one ran are left for the next one.
      await waitFor(
        'the push has ended',
        async () => {
          await work();
          return (await find())?.endedAt;
        },
        { deadlineMs: 30_000 },
      );
      expect(await find()).toMatchObject({ status: 'succeeded', rowsDelivered: rows, rowsFailed: 0 });
      expect(sent.filter(each => each.startsWith('/new')).length).toBe(rows);
      expect(await keptKeys()).toEqual([]);
    },
    60_000,
  );

  it('is not stored if the push is canceled or deleted at the same time', async () => {
    for (const end of [
      (each: Awaited<ReturnType<typeof world>>) => cancelExport(each.steering, each.accountId, each.exportId),
      (each: Awaited<ReturnType<typeof world>>) => deleteExport(each.ports, each.accountId, each.exportId),
    ]) {
      const each = await world(answered(200));
      const { destinations } = each.steering.push;
      const keep = async (...kept: Parameters<typeof destinations.keep>) => {
        await end(each);
        await destinations.keep(...kept);
      };
      const push = { ...each.steering.push, destinations: { ...destinations, keep } };
      const replaced = await replaceDestination({ ...each.steering, push }, each.accountId, each.exportId, {
        url: 'https://receiver.example/new',
      });
      expect(['ended', 'not_found']).toContain(replaced.kind);
      expect(await each.keptKeys()).toEqual([]);
    }
  });

  it('is not kept for a request that came twice, when the push has ended by then', async () => {
    const each = await world(answered(200));
    await deleteExport(each.ports, each.accountId, each.exportId);
    const again = await each.begin(async () => {
      // The other request creates the export, and the export ends, between the two steps of this request.
      expect((await each.begin()).kind).toBe('created');
      await cancelExport(each.steering, each.accountId, each.exportId);
      await each.destinations.keep(each.exportId, {
        url: 'https://receiver.example/old',
        header: null,
        signingSecret: 'whsec_c2VjcmV0',
      });
    });
    expect(again.kind).toBe('repeated');
    expect(await each.keptKeys()).toEqual([]);
  });
});
