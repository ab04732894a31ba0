import { newId } from '@mailproof/shared-types';
import pg from 'pg';
import type { Person, Reader, TestHouse } from './house.ts';
import type { PeopleStore } from './people-store.ts';
import { until } from './until.ts';

/** A pool on the schema of a service in a test house. */
export function poolOf(test: TestHouse, schema: 'validation' | 'dispatcher' | 'enrichment'): pg.Pool {
  const pool = new pg.Pool({
    connectionString: test.house.databaseUrls[schema]?.databaseUrl ?? '',
    options: `-c search_path=${schema}`,
    max: 2,
  });
  // A test that kills Postgres or the house expects these errors.
  pool.on('error', () => undefined);
  return pool;
}

/** Saves all people of a company for the account, ordered by number, as a discovery run does. */
export async function savePeople(store: PeopleStore, owner: Person, domain: string): Promise<void> {
  await store.pool.query(
    `INSERT INTO saved_person (account_id, person_no, run_id, saved_at)
     SELECT $1, person_no, $2, timestamptz '2026-01-01' + person_no * interval '1 microsecond'
     FROM person JOIN company USING (company_no) WHERE domain = $3`,
    [owner.accountId, newId('discoveryRun'), domain],
  );
}

/** A validation job of the account whose rows came from a file, with verdicts as if it had run. */
export async function endedJob(
  test: TestHouse,
  engine: pg.Pool,
  owner: Person,
  file: string,
): Promise<string> {
  const jobId = await readyJob(test, owner, file);
  await engine.query(
    `UPDATE validation_job_address a SET state = 'done', mx_domain = 'mx.ordinary.example', mx_provider = 'other',
       email_type = 'professional', result = CASE WHEN a.email LIKE 'bad%' THEN 'invalid' ELSE 'ok' END,
       reason = 'tested', checked_at = now()
     FROM validation_job j WHERE j.job_no = a.job_no AND j.job_id = $1`,
    [jobId],
  );
  await engine.query(
    "UPDATE validation_job SET state = 'succeeded', ended_at = now(), spent = 0, charge = 0 WHERE job_id = $1",
    [jobId],
  );
  return jobId;
}

/** A validation job that has not been started. */
export async function readyJob(test: TestHouse, owner: Person, file: string): Promise<string> {
  const response = await fetch(`${test.house.gatewayUrls[0]}/app/v1/validation-jobs?name=Customers`, {
    method: 'POST',
    headers: { cookie: cookieOf(owner), 'content-type': 'text/csv' },
    body: file,
    signal: AbortSignal.timeout(60_000),
  });
  const body = (await response.json()) as Record<string, unknown>;
  if (response.status !== 201) {
    throw new Error(`The file was answered with ${response.status} ${JSON.stringify(body)}.`);
  }
  return String(body['job_id']);
}

export function cookieOf(person: Person): string {
  return [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

/** Sends a request that is answered with text. */
export async function getText(
  test: TestHouse,
  person: Person,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  const response = await fetch(`${test.house.gatewayUrls[0]}/app/v1${path}`, {
    headers: { cookie: cookieOf(person), ...headers },
    signal: AbortSignal.timeout(60_000),
  });
  // Kept as received: a byte order mark is part of a file.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, text };
}

/** Waits until an export has ended, and returns it. */
export async function untilExportEnded(
  reader: Reader,
  exportId: string,
  timeoutMs = 30_000,
): Promise<Record<string, unknown>> {
  return until(
    'the end of the export',
    async () => (await reader.get(`/exports/${exportId}`)).body,
    ({ status }) => ['succeeded', 'failed'].includes(String(status)),
    timeoutMs,
  );
}
