import { GCProfiler } from 'node:v8';
import { defineOperation } from '@mailproof/shared-types';
import { z } from 'zod';
import {
  createHealth,
  createLogger,
  createOperationClient,
  createServiceApp,
  openPostgres,
  type RunningService,
  readConfig,
  route,
  serviceSettings,
  startService,
} from '../src/index.ts';

/*
 * A process that answers requests as services do: one service calls another, which queries Postgres. It reports how
 * many octets of each request became old, that is, stay in memory until a full garbage collection.
 */

const [databaseUrl = '', schema = '', settingsText = '{}'] = process.argv.slice(2);
const [warmingUp, counted, atOnce] = [500, 2_000, 4];

const pool = openPostgres({
  ...{ connectionString: databaseUrl, schema, applicationName: 'test' },
  ...{ connectionsMax: 2, onIdleError: () => undefined },
});
const answering = await start('answering', async ({ thing }) => {
  await pool.query({ name: 'answer', text: 'SELECT $1::text AS thing', values: [thing] });
  return { thing };
});
const asking = await start('asking', (body, signal) =>
  answering.ask(body.thing, signal).then(({ thing }) => ({ thing })),
);

await askAll(warmingUp);
const profiler = new GCProfiler();
profiler.start();
await askAll(counted);
const { statistics } = profiler.stop();
const young = statistics.filter(({ gcType }) => gcType === 'Scavenge');
const oldOctets = young.reduce(
  (sum, { beforeGC, afterGC }) => sum + oldOctetsOf(afterGC) - oldOctetsOf(beforeGC),
  0,
);
process.stdout.write(
  JSON.stringify({ collections: young.length, oldOctetsEach: Math.round(oldOctets / counted) }),
);

await Promise.all([asking.close(), answering.close()]);
await pool.end();

type Statistics = ReturnType<GCProfiler['stop']>['statistics'][number];

function oldOctetsOf({ heapSpaceStatistics }: Statistics['beforeGC']): number {
  return heapSpaceStatistics.find(({ spaceName }) => spaceName === 'old_space')?.spaceUsedSize ?? 0;
}

async function askAll(count: number): Promise<void> {
  const askers = Array.from({ length: atOnce }, async () => {
    for (let asked = 0; asked < count / atOnce; asked += 1) await asking.ask(`thing ${asked}`);
  });
  await Promise.all(askers);
}

/** A service with one operation, and a client that calls it. */
async function start(
  id: string,
  answer: (body: { thing: string }, signal: AbortSignal) => Promise<{ thing: string }>,
) {
  const operation = defineOperation({
    ...{ id, method: 'post', path: `/internal/v1/${id}`, summary: id, description: id },
    answeredBy: 'gateway',
    access: { kind: 'service', callers: ['gateway'] },
    params: z.strictObject({}),
    query: z.strictObject({}),
    body: z.strictObject({ thing: z.string() }),
    bodyBytesMax: 1_000,
    success: { status: 200, description: 'Done.', schema: z.object({ thing: z.string() }) },
    repeatable: false,
    problems: [],
  });
  const logger = createLogger({ service: 'test', level: 'silent' });
  const health = createHealth({});
  const settings = readConfig(z.object(serviceSettings), { ...JSON.parse(settingsText), PORT: '0' });
  const handle = route(
    operation,
    async () => 'gateway',
    ({ body }, { signal }) => answer(body, signal),
  );
  const app = createServiceApp({
    logger,
    health,
    problemTypeBase: 'https://docs.example/',
    routes: [handle],
  });
  const service = { logger, health, app, stop: async () => undefined };
  const running: RunningService = await startService(service, settings);
  const client = createOperationClient({
    baseUrl: `http://127.0.0.1:${running.port}`,
    audience: 'credit-ledger',
    sign: async () => 'token',
  });
  return {
    ask: (thing: string, signal?: AbortSignal) =>
      client.call(
        operation,
        { params: {}, query: {}, body: { thing } },
        { deadlineMs: 100_000, ...(signal && { signal }) },
      ),
    async close() {
      await client.close();
      await running.stop();
    },
  };
}
