import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  asRedisUser,
  createTestDatabase,
  freePort,
  nodeOptionsOf,
  testRedisUrl,
  testServiceKeys,
  waitFor,
} from '@mailproof/dev-house';
import {
  createHealth,
  createLogger,
  createOperationClient,
  createServiceApp,
  createServiceGuard,
  createTokenSigner,
  Problem,
  readConfig,
  route,
  serviceSettings,
} from '@mailproof/service-kit';
import {
  type AccountId,
  cancelExport,
  createExport,
  type ExportedValue,
  type ExportId,
  type ExportRecord,
  forwarded,
  getExport,
  listExportRows,
  listValidationRows,
  newId,
  type Operation,
  pauseExport,
  putExportDestination,
  readValidationRows,
  resumeExport,
  type UserId,
  type ValidationJobId,
} from '@mailproof/shared-types';
import { Redis } from 'ioredis';
import pg from 'pg';
import { z } from 'zod';

/** The columns of the rows to push, including a numeric name, which JavaScript objects would reorder. */
export const columns = ['name', '2019', 'email', 'result_status', 'valid'];

export const valuesOf = (row: number): ExportedValue[] => [
  `Row ${row}`,
  row,
  `canary.person.${row}@ordinary.example`,
  'ok',
  true,
];

export interface Asker {
  readonly accountId: AccountId;
  readonly callerId: UserId;
}

/** The dispatcher as a separate process, with a source of rows and all its output. */
export interface Dispatcher {
  readonly pool: pg.Pool;
  readonly redis: Redis;
  readonly accountId: AccountId;
  push(request: {
    readonly rows: number;
    readonly destination: {
      readonly url: string;
      header?: { name: string; value: string };
      signing_secret?: string;
    };
    readonly options?: { preset?: 'clay'; rows_per_second_max?: number };
  }): Promise<ExportRecord & { readonly push?: { readonly signing_secret: string } | undefined }>;
  find(exportId: ExportId): Promise<ExportRecord>;
  until(
    exportId: ExportId,
    what: string,
    holds: (record: ExportRecord) => boolean,
    deadlineMs?: number,
  ): Promise<ExportRecord>;
  rows(
    exportId: ExportId,
    state: 'failed' | 'delivered',
  ): Promise<{ row: number; attempts: number; fault: string | null }[]>;
  steer(exportId: ExportId, how: 'pause' | 'resume' | 'cancel'): Promise<ExportRecord>;
  putDestination(
    exportId: ExportId,
    destination: { url: string },
  ): Promise<{ readonly export: ExportRecord }>;
  /** Calls any operation as the owner of the account or as a user of another account. */
  ask<Asked extends Operation>(
    operation: Asked,
    request: {
      readonly params?: object;
      readonly query?: object;
      readonly body?: unknown;
      readonly by?: Asker;
    },
  ): Promise<z.output<Asked['success']['schema']>>;
  /** A source with this many rows. */
  sourceOf(rows: number): { readonly kind: 'validation_job'; readonly job_id: ValidationJobId };
  kill(signal: NodeJS.Signals): Promise<void>;
  restart(): Promise<void>;
  /** The id of the current process. */
  pid(): number | undefined;
  /** Everything that the service has logged or exported through OpenTelemetry. */
  told(): string;
  close(): Promise<void>;
}

/** Long enough for a busy machine. */
const deadlineMs = 30_000;
const telemetryModule = import.meta.resolve('@mailproof/service-kit').replace('index.ts', 'telemetry.ts');

/** The dependencies of a dispatcher. */
export interface DispatcherGround {
  readonly databaseUrl: string;
  /** The URL for an administrator. */
  readonly redisUrl: string;
  /** The URL for the dispatcher; by default the administrator's. */
  readonly ownRedisUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the dispatcher exports telemetry through OpenTelemetry; true by default. */
  readonly isTraced?: boolean;
  /** Removes the database and the Redis data. */
  clear(): Promise<void>;
}

export async function openDispatcher(): Promise<Dispatcher> {
  const [database, redisUrl] = await Promise.all([createTestDatabase('webhook-dispatcher'), testRedisUrl()]);
  const { databaseUrl } = database;
  const env = { OUTBOX_INTERVAL_MS: '100' };
  const ownRedisUrl = asRedisUser('webhook-dispatcher', redisUrl);
  return openDispatcherOn({ databaseUrl, redisUrl, ownRedisUrl, env, clear: () => database.drop() });
}

export async function openDispatcherOn(ground: DispatcherGround): Promise<Dispatcher> {
  const { databaseUrl, redisUrl, ownRedisUrl = redisUrl, env = {} } = ground;
  const keys = await testServiceKeys();
  const source = await openSource(keys.settingsOf('validation-engine'));
  const collector = await openCollector();
  const folder = mkdtempSync(join(tmpdir(), 'dispatcher-'));
  const logFile = join(folder, 'log');
  const port = await freePort();
  const [accountId, callerId] = [newId('account') as AccountId, newId('user') as UserId];
  const redis = new Redis(redisUrl);
  const pool = new pg.Pool({ connectionString: databaseUrl, options: '-c search_path=dispatcher' });
  const gateway = createOperationClient({
    baseUrl: `http://127.0.0.1:${port}`,
    audience: 'webhook-dispatcher',
    sign: await createTokenSigner(keys.signingKeys.gateway as Parameters<typeof createTokenSigner>[0]),
  });
  const environment = {
    PORT: String(port),
    LOG_LEVEL: 'debug',
    DATABASE_URL: databaseUrl,
    REDIS_URL: ownRedisUrl,
    VALIDATION_ENGINE_URL: source.url,
    ENRICHMENT_URL: 'http://127.0.0.1:9',
    CREDIT_LEDGER_URL: 'http://127.0.0.1:9',
    DESTINATION_ENCRYPTION_KEYS: `ring-1:${Buffer.alloc(32, 1).toString('base64')}`,
    CRM_TOKEN_ENCRYPTION_KEYS: `ring-1:${Buffer.alloc(32, 2).toString('base64')}`,
    PUBLIC_BASE_URL: 'http://127.0.0.1:9',
    OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.1/32',
    ...(ground.isTraced !== false && {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_SERVICE_NAME: 'webhook-dispatcher',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_METRIC_EXPORT_INTERVAL: '500',
      OTEL_METRIC_EXPORT_TIMEOUT: '400',
    }),
    ...keys.settingsOf('webhook-dispatcher'),
    ...env,
  };
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const log = openSync(logFile, 'a');
    child = fork(fileURLToPath(new URL('../src/main.ts', import.meta.url)), {
      env: {
        PATH: process.env['PATH'],
        // It runs from source, and loads it in half the time.
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ...environment,
      },
      // The same options as in a regular start of the service.
      execArgv: [...nodeOptionsOf('webhook-dispatcher'), '--import', telemetryModule],
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    await waitFor('the dispatcher is ready', () => isReady(port), { deadlineMs: 120_000 });
  }

  async function kill(signal: NodeJS.Signals): Promise<void> {
    if (child && child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    }
  }

  const params = (exportId: ExportId) => ({ accountId, callerId, export_id: exportId });
  const find = (exportId: ExportId) =>
    gateway.call(forwarded(getExport), { params: params(exportId), body: undefined }, { deadlineMs });
  const steering = { pause: pauseExport, resume: resumeExport, cancel: cancelExport };
  await start();
  return {
    pool,
    redis,
    accountId,
    async push({ rows, destination, options }) {
      const request = {
        target: 'webhook' as const,
        source: { kind: 'validation_job' as const, job_id: source.jobOf(rows) },
        destination,
        ...(options && { options }),
      };
      return gateway.call(
        forwarded(createExport),
        { params: { accountId, callerId } as never, body: request },
        { deadlineMs, headers: { 'x-request-id': newId('request') } },
      );
    },
    find,
    async until(exportId, what, holds, within = 60_000) {
      let record = await find(exportId);
      await waitFor(
        what,
        async () => {
          record = await find(exportId);
          return holds(record);
        },
        { deadlineMs: within },
      ).catch(error => {
        throw new Error(`${error.message} ${JSON.stringify(record)}`, { cause: error });
      });
      return record;
    },
    async rows(exportId, state) {
      const found = [];
      let cursor: string | undefined;
      do {
        const query = { state, limit: 100, ...(cursor !== undefined && { cursor }) };
        const page = await gateway.call(
          forwarded(listExportRows),
          { params: params(exportId), query, body: undefined },
          { deadlineMs },
        );
        found.push(...page.rows);
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      return found;
    },
    steer: (exportId, how) =>
      gateway.call(forwarded(steering[how]), { params: params(exportId), body: undefined }, { deadlineMs }),
    putDestination: (exportId, destination) =>
      gateway.call(
        forwarded(putExportDestination),
        { params: params(exportId), body: { destination } },
        { deadlineMs },
      ),
    ask: (operation, { params: more, query = {}, body, by }) =>
      gateway.call(
        forwarded(operation),
        { params: { accountId, callerId, ...by, ...more }, query, body } as never,
        { deadlineMs: 30_000, headers: { 'x-request-id': newId('request') } },
      ) as never,
    sourceOf: rows => ({ kind: 'validation_job', job_id: source.jobOf(rows) }),
    kill,
    restart: start,
    pid: () => child?.pid,
    told: () => `${readFileSync(logFile, 'utf8')}\n${collector.received.join('\n')}`,
    async close() {
      await kill('SIGTERM');
      await gateway.close();
      redis.disconnect();
      await pool.end();
      await Promise.all([source.close(), collector.close(), ground.clear()]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Simulates the validation engine; the number of a job's rows is encoded in its id. */
async function openSource(engineSettings: Readonly<Record<string, string>>) {
  const config = readConfig(z.object(serviceSettings), { PORT: '0', ...engineSettings });
  const guardOf = createServiceGuard('validation-engine', config.SERVICE_PEER_KEYS);
  const rowsOf = (jobId: string) => Number.parseInt(jobId.slice(-8), 16);
  const logger = createLogger({ service: 'validation-engine', level: 'silent' });
  const app = createServiceApp({
    logger,
    health: createHealth({}),
    problemTypeBase: 'urn:mailproof:problem:',
    routes: [
      route(listValidationRows, guardOf(listValidationRows), async ({ body: { source, after } }) => {
        const total = rowsOf(source.job_id);
        const from = after === undefined ? 0 : Number(after);
        const keys = Array.from({ length: Math.min(5_000, total - from) }, (_, at) => String(from + at + 1));
        return { columns, total, keys, is_last: from + keys.length >= total };
      }),
      route(readValidationRows, guardOf(readValidationRows), async ({ body: { keys } }) => {
        if (keys.some(key => !/^\d+$/.test(key))) {
          throw new Problem('export_source_not_found');
        }
        const rows = keys.map(key => ({ key, values: valuesOf(Number(key)) }));
        return { columns, rows, keys_read: keys.length };
      }),
    ],
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    jobOf: (rows: number) =>
      `${newId('validationJob').slice(0, -8)}${rows.toString(16).padStart(8, '0')}` as never,
    close: () => end(server),
  };
}

/** A collector that records what OpenTelemetry exports. */
async function openCollector() {
  const received: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      received.push(Buffer.concat(chunks).toString());
      response.setHeader('content-type', 'application/json').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { received, url: `http://127.0.0.1:${portOf(server)}`, close: () => end(server) };
}

async function isReady(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
  return answer?.status === 200;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function end(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
