import { type ChildProcess, fork } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, projectRoot, startKeeper, testRedisUrl, waitFor } from '@mailproof/dev-house';
import type { MailLab } from '@mailproof/mail-lab';
import { createTokenSigner, type PrivateServiceKey, startService } from '@mailproof/service-kit';
import {
  type AccountId,
  hasPaidHeaders,
  newId,
  type OutcomeReport,
  type ServiceName,
  type Verdict,
} from '@mailproof/shared-types';
import pg from 'pg';
import request from 'supertest';
import { compose, type Overrides } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';

const gatewayKey = keyOf('gateway');
const ledgerKey = keyOf('credit-ledger');
const dispatcherKey = keyOf('webhook-dispatcher');
const ownKey = keyOf('validation-engine');

/** The account on whose behalf the tests ask. */
export const accountId = newId('account');

/** Settings of an engine whose peers are known, overridden by the given ones. */
export function environment(settings: Record<string, string> = {}): Record<string, string> {
  const peers = [gatewayKey, ledgerKey, dispatcherKey].map(({ d: _secret, ...publicKey }) => publicKey);
  return {
    PORT: '0',
    LOG_LEVEL: 'silent',
    SERVICE_SIGNING_KEY: JSON.stringify(ownKey),
    SERVICE_PEER_KEYS: JSON.stringify({ keys: peers }),
    VALIDATION_HELO_NAME: 'probe.checker.example',
    DATABASE_URL: 'postgres://engine@127.0.0.1:1/nowhere',
    REDIS_URL: 'redis://127.0.0.1:1',
    CREDIT_LEDGER_URL: 'http://127.0.0.1:1',
    ENRICHMENT_URL: 'http://127.0.0.1:1',
    ADDRESS_HASH_KEY: 'a key for tests, long enough to be one',
    // Each question of a test must reach the hosts.
    VALIDATION_MEMORY_DECIDED_SECONDS: '0',
    VALIDATION_MEMORY_UNKNOWN_SECONDS: '0',
    ...settings,
  };
}

/** Settings that point the engine at the lab only. */
export function labSettings(lab: MailLab): Record<string, string> {
  return {
    VALIDATION_DNS_SERVERS: lab.dnsServer,
    VALIDATION_ALLOWED_PRIVATE_RANGES: lab.allowedRanges.join(','),
    VALIDATION_SMTP_PORT: String(lab.smtpPort),
    VALIDATION_HTTPS_PORT: String(lab.httpsPort),
    VALIDATION_CA_FILE: certificateFile(lab),
  };
}

/**
 * The lab creates its own certificate authority at each start; the engine reads it from a file when it reads its
 * settings. Each worker of this checkout's test run has one file for all its labs, one after the other.
 */
function certificateFile(lab: MailLab): string {
  const checkout = createHash('sha256').update(projectRoot).digest('hex').slice(0, 12);
  const worker = process.env['JEST_WORKER_ID'] ?? '0';
  const file = join(tmpdir(), `mailproof-lab-authority-${checkout}-${worker}.pem`);
  writeFileSync(file, lab.caCertificatePem);
  return file;
}

/** The services known to the engine here. */
type Caller = Extract<ServiceName, 'gateway' | 'credit-ledger' | 'validation-engine' | 'webhook-dispatcher'>;

export interface TestEngine {
  /** The engine's own database, as its own role. */
  readonly databaseUrl: string;
  validate(email: string, deadlineMs?: number, onBehalfOf?: AccountId): Promise<Verdict>;
  post(body: unknown, caller?: Caller | 'nobody', path?: string): Promise<request.Response>;
  get(path: string, caller?: Caller | 'nobody'): Promise<request.Response>;
  /** Reports outcomes on behalf of an account, which has paid unless it is said otherwise. */
  report(outcomes: readonly object[], reporter?: AccountId, hasPaid?: boolean): Promise<OutcomeReport>;
  /** Sends any request like the gateway, or another service. */
  send(path: string, init?: RequestInit, caller?: Caller): Promise<Response>;
  /** Sends only the headers of a request, like the gateway, and returns the answer. */
  beginUpload(path: string, headers: Record<string, string>): Promise<string>;
  /** Asks like the gateway, and gives up when the signal aborts. */
  askUntil(body: unknown, signal: AbortSignal): Promise<void>;
  /** The readiness report for the orchestrator. */
  readiness(): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** Starts an engine as in production, but in this process, and talks to it like the gateway. */
export async function startEngine(
  settings: Record<string, string>,
  overrides: Overrides = {},
): Promise<TestEngine> {
  const { database, settled } = await surroundings(settings);
  const config = loadConfig(settled);
  // Shortens the 15 seconds between sweeps, so that tests need not wait for them.
  const running = await startService(compose(config, { sweepEveryMs: 200, ...overrides }), config);
  return {
    databaseUrl: database.databaseUrl,
    ...(await talkTo(running.port)),
    async stop() {
      await running.stop();
      await database.drop();
    },
  };
}

/** Starts an engine in a separate process, which does not outlive this one. */
export async function startEngineProcess(settings: Record<string, string>): Promise<TestEngine> {
  const { database, settled } = await surroundings({ LOG_LEVEL: 'info', ...settings });
  const keeper = await startKeeper({
    projectRoot,
    stateDir: await mkdtemp(join(tmpdir(), 'mailproof-engine-')),
    installationId: 'tests',
    isDurable: false,
    removeStateDirAfterward: true,
  });
  const child = fork(fileURLToPath(new URL('../src/main.ts', import.meta.url)), {
    env: settled,
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  if (child.pid !== undefined) {
    keeper.watch(child.pid);
  }
  const gone = once(child, 'exit');
  return {
    databaseUrl: database.databaseUrl,
    ...(await talkTo(await portOf(child))),
    async stop() {
      child.kill('SIGTERM');
      await gone;
      await keeper.stop();
      await database.drop();
    },
  };
}

async function surroundings(settings: Record<string, string>) {
  const database = await createTestDatabase('validation-engine');
  const settled = environment({
    DATABASE_URL: database.databaseUrl,
    REDIS_URL: await testRedisUrl('validation-engine'),
    // The hosts of a test answer at once; the actual duration depends on the machine.
    VALIDATION_DEADLINE_MS: '60000',
    ...settings,
  });
  return { database, settled };
}

/** Reads the engine's port from its log, and then discards further lines. */
async function portOf({ stdout }: ChildProcess): Promise<number> {
  if (stdout === null) {
    throw new Error('The engine has no log.');
  }
  const lines = createInterface({ input: stdout });
  return new Promise((resolve, reject) => {
    lines.on('line', line => {
      const { message, port } = JSON.parse(line) as { message?: string; port?: number };
      if (message === 'listening' && port !== undefined) {
        resolve(port);
      }
    });
    lines.once('close', () => reject(new Error('The engine ended before it listened.')));
  });
}

async function talkTo(port: number): Promise<Omit<TestEngine, 'databaseUrl' | 'stop'>> {
  const signers = {
    gateway: await createTokenSigner(gatewayKey),
    'credit-ledger': await createTokenSigner(ledgerKey),
    'validation-engine': await createTokenSigner(ownKey),
    'webhook-dispatcher': await createTokenSigner(dispatcherKey),
  };
  async function post(
    body: unknown,
    caller: Caller | 'nobody' = 'gateway',
    path = '/internal/v1/validations',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<request.Response> {
    const call = request(`http://127.0.0.1:${port}`).post(path).set(headers);
    if (caller !== 'nobody') {
      call.set('authorization', `Bearer ${await signers[caller]('validation-engine')}`);
    }
    return call.send(body as object);
  }
  return {
    post,
    async get(path, caller = 'gateway') {
      const call = request(`http://127.0.0.1:${port}`).get(path);
      return caller === 'nobody'
        ? call
        : call.set('authorization', `Bearer ${await signers[caller]('validation-engine')}`);
    },
    async report(outcomes, reporter = accountId, hasPaid = true) {
      const body = { accountId: reporter, outcomes };
      const response = await post(body, 'gateway', '/internal/v1/outcomes', hasPaidHeaders(hasPaid));
      if (response.status !== 200) {
        throw new Error(`The engine answered ${response.status}: ${response.text}`);
      }
      return response.body as OutcomeReport;
    },
    async validate(email, deadlineMs = 60_000, onBehalfOf = accountId) {
      const response = await post({ accountId: onBehalfOf, email, deadlineMs });
      if (response.status !== 200) {
        throw new Error(`The engine answered ${response.status}: ${response.text}`);
      }
      return response.body as Verdict;
    },
    async send(path, init = {}, caller = 'gateway') {
      const authorization = `Bearer ${await signers[caller]('validation-engine')}`;
      return fetch(`http://127.0.0.1:${port}${path}`, {
        ...init,
        headers: { ...(init.headers as Record<string, string> | undefined), authorization },
      });
    },
    async beginUpload(path, headers) {
      const authorization = `Bearer ${await signers.gateway('validation-engine')}`;
      const lines = Object.entries({ host: 'engine', authorization, ...headers }).map(
        ([name, value]) => `${name}: ${value}`,
      );
      const socket = connect(port, '127.0.0.1');
      socket.write([`POST ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return answer.toString();
    },
    async askUntil(body, signal) {
      const headers = {
        authorization: `Bearer ${await signers.gateway('validation-engine')}`,
        'content-type': 'application/json',
      };
      const url = `http://127.0.0.1:${port}/internal/v1/validations`;
      await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal });
    },
    async readiness() {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`);
      return (await response.json()) as Record<string, unknown>;
    },
  };
}

function keyOf(kid: ServiceName): PrivateServiceKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  return { ...privateKey.export({ format: 'jwk' }), kid } as PrivateServiceKey;
}

/** Far more than anything here takes, even on a machine that is many times slower. */
const patienceMs = 60_000;

/** Waits for an event whose timing the other side decides; fails with an error if it never happens. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await waitFor('What the test waits for', condition, { deadlineMs: patienceMs, everyMs: 5 });
}

/** Waits until the engine has finished all work that it deferred while it answered. */
export async function untilJobsAreDone({ databaseUrl }: Pick<TestEngine, 'databaseUrl'>): Promise<void> {
  const database = new pg.Client(databaseUrl);
  await database.connect();
  try {
    await until(async () => {
      const { rowCount } = await database.query(
        'SELECT FROM outbox WHERE done_at IS NULL AND failed_at IS NULL',
      );
      return rowCount === 0;
    });
  } finally {
    await database.end();
  }
}
