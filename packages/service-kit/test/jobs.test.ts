import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testRedisUrl } from '@mailproof/dev-house';
import { defineJobType } from '@mailproof/shared-types';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { createLogger } from '../src/index.ts';
import { createProducer, startWorker } from '../src/jobs/index.ts';
import { openRedis, openWorkerRedis, untilConnected } from '../src/stores/redis.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const addLamp = defineJobType({
  name: 'test.add-lamp',
  payload: z.strictObject({ lamp: z.string() }),
  attemptsMax: 2,
  backoffMs: 10,
});

let redis: Redis;
let workerRedis: Redis;

beforeAll(async () => {
  const url = await testRedisUrl();
  redis = openRedis(url, () => undefined);
  workerRedis = openWorkerRedis(url, () => undefined);
  await untilConnected(redis, 30_000);
});

afterAll(() => {
  redis.disconnect();
  workerRedis.disconnect();
});

it('logs a refused connection without the password', async () => {
  const url = new URL(await testRedisUrl());
  url.username = 'mailproof_gateway';
  url.password = 'hunter2';
  const lines: string[] = [];
  const telling = createLogger({
    service: 'test',
    level: 'warn',
    destination: { write: line => void lines.push(line) },
  });
  const refused = Promise.withResolvers<void>();
  const stranger = openRedis(url.href, err => {
    telling.warn({ err }, 'redis connection failed');
    refused.resolve();
  });
  await refused.promise;
  stranger.disconnect();
  expect(lines[0]).toContain('WRONGPASS');
  expect(lines.join()).not.toContain('hunter2');
});

interface Seen {
  readonly handled: string[];
  readonly done: string[];
  readonly exhausted: string[];
}

/** Runs a worker until `ends` jobs have succeeded or failed. */
async function withWorker(
  handle: (lamp: string) => void | Promise<void>,
  add: () => Promise<void>,
  ends: number,
): Promise<Seen> {
  const seen: Seen = { handled: [], done: [], exhausted: [] };
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended = () => seen.done.length + seen.exhausted.length >= ends && resolve();
  const worker = startWorker(addLamp, {
    connection: workerRedis,
    concurrency: 1,
    logger,
    async handle({ lamp }) {
      await handle(lamp);
      seen.handled.push(lamp);
    },
    async onDone(jobId) {
      seen.done.push(jobId);
      ended();
    },
    async onExhausted(jobId) {
      seen.exhausted.push(jobId);
      ended();
    },
  });
  try {
    await add();
    await promise;
    return seen;
  } finally {
    await worker.close();
  }
}

describe('a job', () => {
  it('is handled once, however often it is added while it waits', async () => {
    const producer = createProducer(addLamp, { connection: redis });
    await Promise.all(Array.from({ length: 5 }, () => producer.add('same', { lamp: 'one' })));
    await producer.add('other', { lamp: 'two' });
    const seen = await withWorker(
      () => undefined,
      async () => undefined,
      2,
    );
    expect(seen).toEqual({ handled: ['one', 'two'], done: ['same', 'other'], exhausted: [] });
    await producer.close();
  });

  it('is retried, and reported once its attempts are used up', async () => {
    const producer = createProducer(addLamp, { connection: redis });
    let attempts = 0;
    const seen = await withWorker(
      () => {
        attempts += 1;
        throw new Error('broken');
      },
      () => producer.add('failing', { lamp: 'three' }),
      1,
    );
    expect({ attempts, ...seen }).toEqual({ attempts: 2, handled: [], done: [], exhausted: ['failing'] });
    await producer.close();
  });

  it('is retried soon, regardless of how often it has failed, if its waits are bounded', async () => {
    const stubborn = defineJobType({
      ...{ name: 'test.stubborn', payload: z.strictObject({}), attemptsMax: 10 },
      // Without the bound, the last wait alone would take two minutes.
      ...{ backoffMs: 500, backoffMsMax: 20 },
    });
    const producer = createProducer(stubborn, { connection: redis });
    const { promise: exhausted, resolve } = Promise.withResolvers<string>();
    let attempts = 0;
    const worker = startWorker(stubborn, {
      ...{ connection: workerRedis, concurrency: 1, logger },
      async handle() {
        attempts += 1;
        throw new Error('away');
      },
      onDone: async () => undefined,
      onExhausted: async jobId => resolve(jobId),
    });
    try {
      await producer.add('stubborn-1', {});
      expect(await exhausted).toBe('stubborn-1');
      expect(attempts).toBe(10);
    } finally {
      await worker.close();
      await producer.close();
    }
  });

  it('that another worker has taken over is done when it is done there', async () => {
    const producer = createProducer(addLamp, { connection: redis });
    const lock = 'bull:test.add-lamp:taken:lock';
    let runs = 0;
    const seen = await withWorker(
      async () => {
        runs += 1;
        if (runs === 1) {
          await redis.set(lock, 'the other one, which will be killed', 'PX', 200);
        }
      },
      () => producer.add('taken', { lamp: 'four' }),
      1,
    );
    expect(seen).toEqual({ handled: ['four', 'four'], done: ['taken'], exhausted: [] });
    await producer.close();
  });

  it('with an invalid payload is refused when it is added', async () => {
    const producer = createProducer(addLamp, { connection: redis });
    await expect(producer.add('bad', { lamp: 5 } as never)).rejects.toThrow();
    await producer.close();
  });

  it('with an invalid payload fails without a retry when it is handled', async () => {
    const queue = new Queue(addLamp.name, { connection: redis });
    const seen = await withWorker(
      () => undefined,
      async () => void (await queue.add(addLamp.name, { chair: 1 }, { jobId: 'foreign', attempts: 5 })),
      1,
    );
    expect(seen).toEqual({ handled: [], done: [], exhausted: ['foreign'] });
    await queue.close();
  });

  it('leaves nothing in Redis once it has ended', async () => {
    const keys = await redis.keys('bull:test.add-lamp:*');
    expect(keys.filter(key => /:(same|other|failing|taken|foreign)$/.test(key))).toEqual([]);
  });
});
