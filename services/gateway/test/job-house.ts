import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HouseOptions } from '@mailproof/dev-house';
import { type Catalog, type MailLab, startMailLab } from '@mailproof/mail-lab';
import pg from 'pg';
import { openTestHouse, type Person, type Reader, type TestHouse, validating } from './house.ts';
import { until } from './until.ts';

/** A house whose engine probes the test's own lab. */
export interface JobHouse {
  readonly test: TestHouse;
  readonly lab: MailLab;
  /** The engine's tables, and the ledger's. */
  readonly engine: pg.Pool;
  readonly ledger: pg.Pool;
  stop(): Promise<void>;
}

export async function openJobHouse(catalog: Catalog, options: Partial<HouseOptions> = {}): Promise<JobHouse> {
  const lab = await startMailLab({ catalog });
  const directory = await mkdtemp(join(tmpdir(), 'mailproof-jobs-'));
  const caFile = join(directory, 'ca.pem');
  await writeFile(caFile, lab.caCertificatePem);
  const test = await openTestHouse({
    only: validating,
    ...options,
    lab: false,
    env: {
      ...options.env,
      gateway: { SESSION_REQUESTS_PER_SECOND_MAX: '1000', ...options.env?.gateway },
      'validation-engine': { ...askingLab(lab, caFile), ...options.env?.['validation-engine'] },
    },
  });
  const engine = poolOf(test, 'validation');
  const ledger = poolOf(test, 'ledger');
  return {
    test,
    lab,
    engine,
    ledger,
    async stop() {
      await Promise.all([engine.end(), ledger.end()]);
      await test.stop();
      await lab.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** Settings with which an engine probes a lab, as fast as the lab answers. */
export function askingLab(lab: MailLab, caFile: string): Record<string, string> {
  return {
    VALIDATION_DNS_SERVERS: lab.dnsServer,
    VALIDATION_ALLOWED_PRIVATE_RANGES: lab.allowedRanges.join(','),
    VALIDATION_SMTP_PORT: String(lab.smtpPort),
    VALIDATION_HTTPS_PORT: String(lab.httpsPort),
    VALIDATION_CA_FILE: caFile,
    VALIDATION_STANDING_CHECK_HOURS: '0',
    VALIDATION_SESSION_STARTS_PER_HOST_PER_MINUTE_MAX: '6000',
  };
}

function poolOf(test: TestHouse, schema: 'validation' | 'ledger'): pg.Pool {
  const pool = new pg.Pool({
    connectionString: test.house.databaseUrls[schema]?.migrationDatabaseUrl ?? '',
    options: `-c search_path=${schema}`,
    max: 3,
  });
  // A test that kills Postgres or the house expects these errors.
  pool.on('error', () => undefined);
  return pool;
}

/** Uploads addresses as a job, waits until it is ready, and returns its id. */
export async function uploadJob(person: Person, addresses: readonly string[]): Promise<string> {
  const answer = await person.send('/validation-jobs/pasted', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: addresses.join('\n'),
  });
  if (answer.status !== 201) {
    throw new Error(`The addresses were answered with ${answer.status} ${JSON.stringify(answer.body)}.`);
  }
  return String(answer.body['job_id']);
}

export async function startJob(
  person: Person,
  jobId: string,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const answer = await person.send(`/validation-jobs/${jobId}/start`, { method: 'POST', headers });
  if (answer.status !== 202) {
    throw new Error(`The start was answered with ${answer.status} ${JSON.stringify(answer.body)}.`);
  }
  return answer.body;
}

/** Waits until a job has the expected state, and returns it. */
export function untilJob(
  what: string,
  reader: Reader,
  jobId: string,
  isReached: (job: Record<string, unknown>) => boolean,
  timeoutMs = 60_000,
): Promise<Record<string, unknown>> {
  return until(what, async () => (await reader.get(`/validation-jobs/${jobId}`)).body, isReached, timeoutMs);
}

/** Waits until a job has ended, and returns it. */
export function untilJobEnded(
  reader: Reader,
  jobId: string,
  timeoutMs?: number,
): Promise<Record<string, unknown>> {
  const ends = ['succeeded', 'failed', 'cancelled'];
  return untilJob(
    'the end of the job',
    reader,
    jobId,
    ({ state }) => ends.includes(String(state)),
    timeoutMs,
  );
}
