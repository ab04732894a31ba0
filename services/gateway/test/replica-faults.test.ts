import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { workbookOf } from '@mailproof/dev-house/workbooks';
import { benchmarkCatalog } from '@mailproof/mail-lab';
import type { Person } from './house.ts';
import { type JobHouse, openJobHouse, startJob, untilJobEnded, uploadJob } from './job-house.ts';
import { ownerWith } from './people-store.ts';
import { until } from './until.ts';

/*
 * Kills processes while a list is being uploaded, or while two validation engines share the jobs of one Postgres and
 * one Redis (ADR 0034, ADR 0035). The gateway calls the first engine; the second gets work only from the queue. A check
 * every five seconds finds the work that a killed engine leaves behind, so this runs only with `pnpm test:faults`.
 */

const isLong = process.env['MAILPROOF_LONG_FAULTS'] === 'true';
const itWhenLong: (name: string, test: () => Promise<void>, timeoutMs: number) => void = isLong
  ? it
  : () => undefined;

const jobsMax = 8;
const addressesPerJob = 60;
const timeoutMs = 120_000;
/** Slow enough to kill an engine in the middle of a job. */
const slowRoundTripMs = 400;

const catalog = benchmarkCatalog({
  domains: jobsMax * 10,
  addresses: jobsMax * addressesPerJob,
  catchAllShare: 0,
  seed: 41,
});
const expected = new Map(
  catalog.flatMap(domain => domain.expected).map(({ address, result }) => [address, result] as const),
);
const addresses = [...expected.keys()];

let house: JobHouse;

beforeAll(async () => {
  house = await openJobHouse(catalog, {
    inOneProcess: false,
    replicas: { 'validation-engine': isLong ? 2 : 1 },
    env: {
      // Every validation queries the hosts, so that a repeated one is not answered from the cache.
      'validation-engine': { VALIDATION_MEMORY_DECIDED_SECONDS: '0', VALIDATION_MEMORY_UNKNOWN_SECONDS: '0' },
    },
  });
}, 180_000);

afterAll(() => house?.stop(), 60_000);

function service(name: 'gateway' | 'validation-engine' | 'validation-engine-2') {
  const found = house.test.house.services[name];
  if (!found) {
    throw new Error(`There is no ${name}.`);
  }
  return found;
}

interface Carried {
  readonly jobId: string;
  readonly pid: number;
  readonly done: number;
}

/** Running jobs, and the processes that run them. */
async function carried(): Promise<Carried[]> {
  const { rows } = await house.engine.query<{ jobId: string; carrier: string; done: number }>(
    `SELECT job_id AS "jobId", carrier, done FROM validation_job WHERE state = 'running' AND carrier IS NOT NULL`,
  );
  return rows.map(({ jobId, carrier, done }) => ({ jobId, done, pid: Number(carrier.split('/').at(-2)) }));
}

/** Starts jobs until both engines have one. */
async function startJobsOfBoth(owners: readonly Person[]): Promise<{ owner: Person; jobId: string }[]> {
  const started: { owner: Person; jobId: string }[] = [];
  for (const [at, owner] of owners.entries()) {
    const jobId = await uploadJob(owner, addresses.slice(at * addressesPerJob, (at + 1) * addressesPerJob));
    await startJob(owner, jobId);
    started.push({ owner, jobId });
    const all = await until(
      'a worker has each job',
      carried,
      jobs => jobs.length === started.length,
      timeoutMs,
    );
    if (new Set(all.map(({ pid }) => pid)).size === 2) {
      break;
    }
  }
  return started;
}

async function expectExact(owner: Person, jobId: string): Promise<void> {
  const job = await untilJobEnded(owner, jobId, timeoutMs);
  expect(job).toMatchObject({
    state: 'succeeded',
    done: addressesPerJob,
    spent: addressesPerJob,
    returned: 0,
  });
  const { rows } = await house.engine.query<{ email: string; result: string; attempts: number }>(
    `SELECT a.email, a.result, a.attempts FROM validation_job_address a JOIN validation_job j USING (job_no)
     WHERE j.job_id = $1`,
    [jobId],
  );
  expect(rows).toHaveLength(addressesPerJob);
  expect(
    rows.filter(({ email, result, attempts }) => expected.get(email) !== result || attempts !== 1),
  ).toEqual([]);
  const { rows: holds } = await house.ledger.query(
    'SELECT state, settled::int FROM hold WHERE run_id = $1 OR run_id LIKE $1 || $2',
    [jobId, '.%'],
  );
  expect(holds).toEqual([{ state: 'settled', settled: addressesPerJob }]);
  expect((await owner.get('/balance')).body).toMatchObject({ available: 0, held: 0 });
}

/**
 * Starts an upload that never ends, and waits until the engine has written some of its rows; of a workbook, which is
 * read once it is complete, until it arrives.
 */
async function beginUpload(owner: Person, format: 'CSV' | 'a workbook' = 'CSV') {
  const rows = addresses.concat(Array.from({ length: 3_000 }, (_, at) => `p${at}@many.example`));
  const file =
    format === 'CSV'
      ? Buffer.from(`email\n${rows.join('\n')}\n`)
      : (await workbookOf({ sheets: { List: rows.map(address => [address]) } })).subarray(0, -100);
  const sent = fetch(`${house.test.house.gatewayUrls[0]}/app/v1/validation-jobs`, {
    method: 'POST',
    headers: {
      cookie: [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'content-type': 'text/csv',
    },
    body: new ReadableStream({ start: stream => stream.enqueue(file) }),
    duplex: 'half',
    signal: AbortSignal.timeout(timeoutMs),
  }).then(
    ({ status }) => status,
    () => 'broken off',
  );
  const [job] = await until(
    'the upload has begun',
    () => uploadsOf(owner),
    jobs => jobs.some(({ rows: { kept } }) => kept > 0 || format === 'a workbook'),
    timeoutMs,
  );
  expect(job?.state).toBe('receiving');
  // Wrapped in an object, because returning the bare promise would wait for it.
  return { sent };
}

/** The jobs of an account, with their counted and their stored rows. */
async function uploadsOf({ accountId }: Person) {
  const { rows } = await house.engine.query<{
    state: string;
    failure: string | null;
    counted: number;
    kept: number;
  }>(
    `SELECT state, failure, rows_total AS counted,
       (SELECT count(*)::int FROM validation_job_row r WHERE r.job_no = j.job_no) AS kept
     FROM validation_job j WHERE account_id = $1`,
    [accountId],
  );
  return rows.map(({ counted, kept, ...job }) => ({ ...job, rows: { counted, kept } }));
}

const untilBrokenOff = (owner: Person) =>
  until(
    'the job says that its upload broke off, and keeps nothing',
    () => uploadsOf(owner),
    ([job]) => job?.failure === 'upload_broken_off' && job.rows.counted + job.rows.kept === 0,
    timeoutMs,
  );

describe('in the middle of an upload', () => {
  it.each(['CSV', 'a workbook'] as const)(
    'of %s, a killed gateway breaks it off, and another try is taken',
    async format => {
      const owner = await ownerWith(house.test, 0);
      const { sent } = await beginUpload(owner, format);
      await service('gateway').kill('SIGKILL');
      expect(await sent).toBe('broken off');
      await untilBrokenOff(owner);
      await service('gateway').restart();
      expect(await uploadJob(owner, addresses)).toMatch(/^vjob_/);
    },
    timeoutMs,
  );

  it.each(['CSV', 'a workbook'] as const)(
    'of %s, a killed engine is answered with 503, and what it had written is swept once it is old',
    async format => {
      const owner = await ownerWith(house.test, 0);
      const { sent } = await beginUpload(owner, format);
      await service('validation-engine').kill('SIGKILL');
      expect(await sent).toBe(503);
      expect(await uploadsOf(owner)).toMatchObject([{ state: 'receiving', failure: null }]);
      await house.engine.query(
        "UPDATE validation_job SET moved_at = now() - interval '6 minutes' WHERE account_id = $1",
        [owner.accountId],
      );
      await service('validation-engine').restart();
      await untilBrokenOff(owner);
      expect(await uploadJob(owner, addresses)).toMatch(/^vjob_/);
    },
    timeoutMs,
  );
});

describe('two engines', () => {
  itWhenLong(
    'share the jobs; one that is killed loses its jobs to the other, and nothing else',
    async () => {
      const owners = await Promise.all(
        Array.from({ length: jobsMax }, () => ownerWith(house.test, addressesPerJob)),
      );
      house.lab.setRoundTripMs(slowRoundTripMs);
      const started = await startJobsOfBoth(owners);
      const second = service('validation-engine-2');
      const { pid } = second;
      const ofSecond = (await carried()).filter(job => job.pid === pid).map(({ jobId }) => jobId);
      expect(ofSecond.length).toBeGreaterThan(0);
      expect(ofSecond.length).toBeLessThan(started.length);
      await second.kill('SIGKILL');
      await until(
        'the other has the jobs of the dead one',
        carried,
        jobs => jobs.every(job => job.pid !== pid),
        timeoutMs,
      );
      house.lab.setRoundTripMs(0);
      for (const { owner, jobId } of started) {
        await expectExact(owner, jobId);
      }
    },
    timeoutMs,
  );
});
