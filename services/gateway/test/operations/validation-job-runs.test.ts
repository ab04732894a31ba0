import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { benchmarkCatalog, type DomainScript, postfix } from '@mailproof/mail-lab';
import {
  cancelValidationJob,
  finishValidationJob,
  followValidationJob,
  limits,
  newId,
  pauseValidationJob,
  resumeValidationJob,
  revalidateUnknownRows,
  startValidationJob,
  validationJob,
} from '@mailproof/shared-types';
import { type Person, type TestHouse, validating } from '../house.ts';
import { type JobHouse, openJobHouse, startJob, untilJob, untilJobEnded, uploadJob } from '../job-house.ts';
import { describeOperation } from '../operation-suite.ts';
import { ownerWith } from '../people-store.ts';
import { until } from '../until.ts';

function domainOf(domain: string, departure: Parameters<typeof postfix>[1], mailboxes: number): DomainScript {
  const names = Array.from({ length: mailboxes }, (_, at) => `person${at + 1}`);
  const mx = `mx.${domain}`;
  return {
    domain,
    story: 'A domain of a test.',
    dns: { mx: [[10, mx]] },
    hosts: { [mx]: postfix(names, departure) },
    expected: [],
  };
}

const slowMailboxes = 80;
const catalog = [
  ...benchmarkCatalog({ domains: 12, addresses: 120, catchAllShare: 0, seed: 7 }),
  // Greylisting that accepts any retry: hurried jobs retry at once.
  domainOf('patient.test', { greylistMs: 1 }, 3),
  // A host lets in whom it has greylisted once, so each test has its own.
  ...Array.from({ length: 8 }, (_, at) => domainOf(`patient-${at + 1}.test`, { greylistMs: 1 }, 3)),
  ...['slow.test', 'slow-too.test'].map(name => domainOf(name, { replyDelayMs: 80 }, slowMailboxes)),
  domainOf('guessed.test', {}, 1),
  domainOf('silent.test', { silentAfter: 'connect' }, 2),
];
const quick = catalog.flatMap(({ expected }) => expected.map(({ address }) => address));
const mailboxesOf = (domain: string, count: number) =>
  Array.from({ length: count }, (_, at) => `person${at + 1}@${domain}`);
const slow = mailboxesOf('slow.test', slowMailboxes);
const slowToo = mailboxesOf('slow-too.test', slowMailboxes);

let house: JobHouse;
let test: TestHouse;

beforeAll(async () => {
  house = await openJobHouse(catalog, {
    only: validating,
    env: {
      'validation-engine': {
        VALIDATION_MEMORY_DECIDED_SECONDS: '0',
        VALIDATION_MEMORY_UNKNOWN_SECONDS: '0',
        VALIDATION_DEADLINE_MS: '12000',
        // Keeps the line at a slow host short, so that no address waits until its deadline.
        VALIDATION_JOB_ADDRESSES_PER_CHUNK_MAX: '20',
        VALIDATION_HARVEST_ADDRESSES_MAX: '60',
      },
    },
  });
  ({ test } = house);
}, 120_000);

afterAll(() => house?.stop(), 60_000);

const stranger = () => test.stranger();
const newOwner = (credits = 0) => ownerWith(test, credits);

async function startedJob(owner: Person, addresses: readonly string[]): Promise<string> {
  const jobId = await uploadJob(owner, addresses);
  await startJob(owner, jobId);
  return jobId;
}

async function endedJob(owner: Person): Promise<string> {
  const jobId = await startedJob(owner, quick.slice(0, 3));
  await untilJobEnded(owner, jobId);
  return jobId;
}

const post = (person: Person, jobId: string, action: string, headers: Record<string, string> = {}) =>
  person.send(`/validation-jobs/${jobId}/${action}`, { method: 'POST', headers });

async function balanceOf(person: Person) {
  const { available, held } = (await person.get('/balance')).body;
  return { available, held };
}

/** Waits until no worker has the job: all its remaining outbox rows are due later. */
async function untilIdle(jobId: string): Promise<void> {
  await until(
    'the job rests',
    async () => {
      const { rows } = await house.engine.query<{ due: number; later: number }>(
        `SELECT count(*) FILTER (WHERE due_at <= now())::int AS due, count(*) FILTER (WHERE due_at > now())::int AS later
         FROM outbox WHERE payload->>'jobId' = $1 AND done_at IS NULL`,
        [jobId],
      );
      return rows[0];
    },
    rows => rows?.due === 0 && rows.later > 0,
    30_000,
  );
}

/** Makes the waiting addresses of an idle job due now. */
async function hurry(jobId: string): Promise<void> {
  await house.engine.query(
    `UPDATE validation_job_address SET due_at = now() WHERE state = 'waiting'
     AND job_no = (SELECT job_no FROM validation_job WHERE job_id = $1)`,
    [jobId],
  );
  await house.engine.query(
    "UPDATE outbox SET due_at = now() WHERE payload->>'jobId' = $1 AND done_at IS NULL",
    [jobId],
  );
}

const isActive = (state: unknown) => state === 'queued' || state === 'running';

/** Waits until a job at a slow host has ended; on a slow machine, an address may need a second attempt. */
async function untilSlowJobEnded(person: Person, jobId: string): Promise<Record<string, unknown>> {
  const job = await untilJob(
    'the end of the job, or its rest',
    person,
    jobId,
    ({ state, addresses, done, waiting }) =>
      !isActive(state) || (Number(waiting) > 0 && Number(done) + Number(waiting) === addresses),
  );
  if (isActive(job['state'])) {
    await untilIdle(jobId);
    await hurry(jobId);
  }
  return untilJobEnded(person, jobId);
}

describeOperation(startValidationJob, {
  async success() {
    const owner = await newOwner(200);
    const jobId = await uploadJob(owner, [...quick, ...quick.slice(0, 5), 'nobody', quick[0] ?? '']);
    const ready = (await owner.get(`/validation-jobs/${jobId}`)).body;
    expect(ready).toMatchObject({ state: 'ready', addresses: 120, cost_max: 120, reserved: 0, spent: null });
    const started = validationJob.parse(await startJob(owner, jobId));
    expect(started).toMatchObject({ job_id: jobId, state: 'queued', reserved: 120, receipt_id: jobId });
    const ended = validationJob.parse(await untilJobEnded(owner, jobId));
    expect(ended).toMatchObject({
      state: 'succeeded',
      done: 120,
      waiting: 0,
      progress: 1,
      per_second: null,
      reserved: 120,
      spent: 120,
      returned: 0,
      failure: null,
    });
    // Counts rows, including duplicates and invalid addresses.
    const { results } = ended;
    expect(Object.values(results).reduce((sum, count) => sum + count, 0)).toBe(127);
    expect(results.invalid).toBeGreaterThan(1);
    expect(results.unknown).toBe(0);
    expect(await balanceOf(owner)).toEqual({ available: 80, held: 0 });
    expect((await owner.get(`/receipts/${jobId}`)).body).toMatchObject({
      operation: 'start-validation-job',
      state: 'settled',
      reserved: 120,
      spent: 120,
      returned: 0,
    });
    const again = await post(owner, jobId, 'start');
    expect([again.status, again.body['code']]).toEqual([409, 'job_started']);
  },
  async badInput() {
    const owner = await newOwner(10);
    const jobId = await uploadJob(owner, quick.slice(0, 11));
    expect(await post(owner, jobId, 'start')).toMatchObject({
      status: 402,
      body: { code: 'credits_exhausted', required: 11, available: 10 },
    });
    expect((await owner.get(`/validation-jobs/${jobId}`)).body['state']).toBe('ready');
    const gone = await post(owner, newId('validationJob'), 'start');
    expect([gone.status, gone.body['code']]).toEqual([404, 'job_not_found']);
    expect((await post(owner, 'x', 'start')).body['code']).toBe('invalid_request');
    const limited = await owner.post(`/validation-jobs/${jobId}/start?credits_max=10`, undefined);
    expect([limited.status, limited.body['code']]).toEqual([409, 'price_above_limit']);
    expect((await owner.post(`/validation-jobs/${jobId}/start?credits_max=x`, undefined)).status).toBe(400);
    const refused = await post(owner, jobId, 'start', { 'idempotency-key': 'k'.repeat(256) });
    expect([refused.status, refused.body['code']]).toEqual([400, 'invalid_request']);
    await house.engine.query("UPDATE validation_job SET state = 'receiving' WHERE job_id = $1", [jobId]);
    expect((await post(owner, jobId, 'start')).body['code']).toBe('job_not_ready');
    expect(await balanceOf(owner)).toEqual({ available: 10, held: 0 });
  },
  async noCredentials() {
    const answer = await post(stranger(), newId('validationJob'), 'start');
    expect([answer.status, answer.body['code']]).toEqual([401, 'not_signed_in']);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(10), await newOwner(10)];
    const answer = await post(other, await uploadJob(one, quick.slice(0, 2)), 'start');
    expect([answer.status, answer.body['code']]).toEqual([404, 'job_not_found']);
    expect([await balanceOf(one), await balanceOf(other)]).toEqual(Array(2).fill({ available: 10, held: 0 }));
  },
});

describe('starting jobs', () => {
  it('answers the same under the same key, and refuses the key for another job', async () => {
    const owner = await newOwner(10);
    const headers = { 'idempotency-key': newId('request') };
    const [first, second] = [
      await uploadJob(owner, quick.slice(0, 2)),
      await uploadJob(owner, quick.slice(2, 4)),
    ] as const;
    expect((await post(owner, first, 'start', headers)).status).toBe(202);
    expect((await post(owner, first, 'start', headers)).status).toBe(202);
    const other = await post(owner, second, 'start', headers);
    expect([other.status, other.body['code']]).toEqual([422, 'idempotency_key_reused']);
    await untilJobEnded(owner, first);
    expect(await balanceOf(owner)).toEqual({ available: 8, held: 0 });
  });

  it('refuses more jobs at once than an account may have, and gives their credits back', async () => {
    const owner = await newOwner(100);
    const jobs: string[] = [];
    for (let at = 0; at <= limits.activeJobsMax; at += 1) {
      jobs.push(await uploadJob(owner, slow.slice(at * 5, at * 5 + 5)));
    }
    const answers = await Promise.all(jobs.map(jobId => post(owner, jobId, 'start')));
    const codes = answers.map(({ status, body }) => (status === 202 ? 'started' : body['code']));
    expect(codes.filter(code => code === 'started')).toHaveLength(limits.activeJobsMax);
    expect(codes.filter(code => code === 'too_many_jobs')).toHaveLength(1);
    for (const [at, jobId] of jobs.entries()) {
      if (codes[at] === 'started') {
        await untilSlowJobEnded(owner, jobId);
      }
    }
    expect(await balanceOf(owner)).toEqual({ available: 100 - limits.activeJobsMax * 5, held: 0 });
  });
});

describeOperation(pauseValidationJob, {
  async success() {
    const owner = await newOwner(slowMailboxes);
    const jobId = await startedJob(owner, slow);
    await untilJob('the first answers', owner, jobId, ({ done }) => Number(done) > 0);
    const paused = await post(owner, jobId, 'pause');
    expect([paused.status, paused.body['state'], paused.body['per_second']]).toEqual([200, 'paused', null]);
    await untilIdle(jobId);
    const { done } = validationJob.parse((await owner.get(`/validation-jobs/${jobId}`)).body);
    expect(done).toBeLessThan(slowMailboxes);
    expect(await balanceOf(owner)).toEqual({ available: 0, held: slowMailboxes });
    expect((await post(owner, jobId, 'pause')).body).toMatchObject({ state: 'paused', done });
    expect((await post(owner, jobId, 'resumption')).body['state']).toBe('running');
    expect(await untilSlowJobEnded(owner, jobId)).toMatchObject({ state: 'succeeded', spent: slowMailboxes });
    expect(await balanceOf(owner)).toEqual({ available: 0, held: 0 });
  },
  async badInput() {
    const owner = await newOwner(10);
    expect((await post(owner, 'x', 'pause')).body['code']).toBe('invalid_request');
    for (const jobId of [await uploadJob(owner, quick.slice(0, 2)), await endedJob(owner)]) {
      const answer = await post(owner, jobId, 'pause');
      expect([answer.status, answer.body['code']]).toEqual([409, 'job_not_under_way']);
    }
  },
  async noCredentials() {
    expect((await post(stranger(), newId('validationJob'), 'pause')).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(10), await newOwner()];
    const answer = await post(other, await endedJob(one), 'pause');
    expect([answer.status, answer.body['code']]).toEqual([404, 'job_not_found']);
  },
});

describeOperation(resumeValidationJob, {
  async success() {
    const owner = await newOwner(10);
    const jobId = await startedJob(owner, slow.slice(0, 10));
    await post(owner, jobId, 'pause');
    const resumed = await post(owner, jobId, 'resumption');
    expect(resumed.status).toBe(200);
    expect(['queued', 'running']).toContain(resumed.body['state']);
    // A running job is not changed.
    expect((await post(owner, jobId, 'resumption')).status).toBe(200);
    expect(await untilSlowJobEnded(owner, jobId)).toMatchObject({ state: 'succeeded', spent: 10 });
  },
  async badInput() {
    const owner = await newOwner(10);
    expect((await post(owner, 'x', 'resumption')).body['code']).toBe('invalid_request');
    const answer = await post(owner, await endedJob(owner), 'resumption');
    expect([answer.status, answer.body['code']]).toEqual([409, 'job_not_under_way']);
  },
  async noCredentials() {
    expect((await post(stranger(), newId('validationJob'), 'resumption')).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(10), await newOwner()];
    const answer = await post(other, await endedJob(one), 'resumption');
    expect([answer.status, answer.body['code']]).toEqual([404, 'job_not_found']);
  },
});

describeOperation(cancelValidationJob, {
  async success() {
    const owner = await newOwner(slowMailboxes);
    const jobId = await startedJob(owner, slow);
    await untilJob('the first answers', owner, jobId, ({ done }) => Number(done) > 0);
    const cancelled = await post(owner, jobId, 'cancellation');
    expect(cancelled.status).toBe(200);
    const { done } = validationJob.parse(cancelled.body);
    const ended = await untilJobEnded(owner, jobId);
    expect(ended).toMatchObject({ state: 'cancelled', done, spent: done, returned: slowMailboxes - done });
    expect(await balanceOf(owner)).toEqual({ available: slowMailboxes - done, held: 0 });
    const again = await post(owner, jobId, 'cancellation');
    expect([again.status, again.body['state']]).toEqual([200, 'cancelled']);
  },
  async badInput() {
    const owner = await newOwner();
    expect((await post(owner, 'x', 'cancellation')).body['code']).toBe('invalid_request');
    const answer = await post(owner, await uploadJob(owner, quick.slice(0, 2)), 'cancellation');
    expect([answer.status, answer.body['code']]).toEqual([409, 'job_not_under_way']);
  },
  async noCredentials() {
    expect((await post(stranger(), newId('validationJob'), 'cancellation')).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(10), await newOwner()];
    const answer = await post(other, await endedJob(one), 'cancellation');
    expect([answer.status, answer.body['code']]).toEqual([404, 'job_not_found']);
  },
});

let patientHosts = 0;

/** A job of which only greylisted addresses are open: three, in four rows; ten other addresses are done. */
async function waitingJob(owner: Person): Promise<{ readonly jobId: string; readonly mailHost: string }> {
  patientHosts += 1;
  const domain = `patient-${patientHosts}.test`;
  const greylisted = mailboxesOf(domain, 3);
  const rows = [...greylisted, greylisted[0] ?? '', ...quick.slice(0, 10), 'nobody'];
  const jobId = await startedJob(owner, rows);
  await untilIdle(jobId);
  return { jobId, mailHost: `mx.${domain}` };
}

/** The credits of a job and its account, after the job has ended. */
async function expectExactCredits(owner: Person, job: Record<string, unknown>, credits: number) {
  const { reserved, spent, returned, spent_so_far } = validationJob.parse(job);
  expect([spent, spent_so_far]).toEqual([reserved - Number(returned), spent]);
  const { rows } = await house.engine.query<{ charged: number }>(
    `SELECT count(*)::int AS charged FROM validation_job_address JOIN validation_job USING (job_no)
     WHERE job_id = $1 AND result <> 'unknown'`,
    [job['job_id']],
  );
  expect(rows[0]?.charged).toBe(spent);
  expect(await balanceOf(owner)).toEqual({ available: credits - Number(spent), held: 0 });
}

async function finishedEvents(jobId: string) {
  const { rows } = await house.engine.query<{ data: Record<string, unknown> }>(
    "SELECT data FROM event WHERE data->>'job_id' = $1 AND type = 'validation_job.finished'",
    [jobId],
  );
  return rows.map(({ data }) => data);
}

describeOperation(finishValidationJob, {
  async success() {
    const owner = await newOwner(20);
    const { jobId, mailHost } = await waitingJob(owner);
    const waiting = validationJob.parse((await owner.get(`/validation-jobs/${jobId}`)).body);
    expect(waiting).toMatchObject({
      state: 'running',
      done: 10,
      rows_open: 4,
      waiting: 3,
      waiting_for: [
        {
          reason: 'greylisting',
          addresses: 3,
          rows: 4,
          mail_hosts: [{ mail_host: mailHost, addresses: 3 }],
        },
      ],
      spent: null,
      spent_so_far: 10,
    });
    expect(waiting.progress).toBeCloseTo(11 / 15);
    const [wait] = waiting.waiting_for;
    expect(Date.parse(wait?.until ?? '')).toBeGreaterThanOrEqual(Date.parse(wait?.next_at ?? ''));
    expect(waiting.seconds_left).toBeGreaterThan(0);

    const headers = { 'idempotency-key': newId('request') };
    const finished = await post(owner, jobId, 'finish', headers);
    expect(finished.status).toBe(200);
    expect(validationJob.parse(finished.body)).toMatchObject({
      state: 'succeeded',
      done: 13,
      rows_open: 0,
      waiting: 0,
      waiting_for: [],
      progress: 1,
      per_second: null,
      seconds_left: null,
      results: { unknown: 4 },
      spent: 10,
      returned: 3,
      failure: null,
    });
    await expectExactCredits(owner, finished.body, 20);
    expect((await post(owner, jobId, 'finish', headers)).body).toEqual(finished.body);
    expect((await owner.get(`/receipts/${jobId}`)).body).toMatchObject({
      reserved: 13,
      spent: 10,
      returned: 3,
    });
    expect(await finishedEvents(jobId)).toMatchObject([{ state: 'succeeded', spent: 10, done: 13 }]);
    const page = await owner.get(`/validation-jobs/${jobId}/rows?result=unknown`);
    expect(page.body['rows']).toMatchObject(
      Array(4).fill({ verdict: { result: 'unknown', reason: 'not_finished' } }),
    );
    // The probes that were due later are gone.
    const asked = house.lab.counts().smtp[mailHost]?.recipientsAsked;
    await hurry(jobId);
    await until(
      'the work of the job is done',
      async () =>
        (
          await house.engine.query(
            "SELECT 1 FROM outbox WHERE payload->>'jobId' = $1 AND done_at IS NULL AND failed_at IS NULL",
            [jobId],
          )
        ).rowCount,
      count => count === 0,
    );
    expect(house.lab.counts().smtp[mailHost]?.recipientsAsked).toBe(asked);
    expect(await finishedEvents(jobId)).toHaveLength(1);
  },
  async badInput() {
    const owner = await newOwner();
    expect((await post(owner, 'x', 'finish')).body['code']).toBe('invalid_request');
    const answer = await post(owner, await uploadJob(owner, quick.slice(0, 2)), 'finish');
    expect([answer.status, answer.body['code']]).toEqual([409, 'job_not_under_way']);
  },
  async noCredentials() {
    expect((await post(stranger(), newId('validationJob'), 'finish')).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(20), await newOwner()];
    const { jobId } = await waitingJob(one);
    const answer = await post(other, jobId, 'finish');
    expect([answer.status, answer.body['code']]).toEqual([404, 'job_not_found']);
    expect((await one.get(`/validation-jobs/${jobId}`)).body).toMatchObject({ state: 'running', done: 10 });
    await post(one, jobId, 'finish');
  },
});

describe('finishing a job', () => {
  it('ends it while addresses are being probed, also before any host is known, and when it is paused', async () => {
    const owner = await newOwner(3 * slowMailboxes);
    for (const [at, before] of ['', 'answers', 'pause'].entries()) {
      const jobId = await startedJob(owner, slow);
      if (before !== '') {
        await untilJob('the first answers', owner, jobId, ({ done }) => Number(done) > 0);
      }
      if (before === 'pause') {
        await post(owner, jobId, 'pause');
      }
      const { spent } = validationJob.parse((await post(owner, jobId, 'finish')).body);
      expect(spent).toBeLessThan(slowMailboxes);
      const ended = validationJob.parse(await untilJobEnded(owner, jobId));
      expect([at, ended.state, ended.done]).toEqual([at, 'succeeded', slowMailboxes]);
      expect(ended.results.unknown).toBe(slowMailboxes - Number(ended.spent));
      const { available } = await balanceOf(owner);
      await expectExactCredits(owner, ended, Number(available) + Number(ended.spent));
    }
  }, 90_000);

  it('is done once if two clients finish it while a third one cancels it', async () => {
    const owner = await newOwner(slowMailboxes);
    const jobId = await startedJob(owner, slow);
    await untilJob('the first answers', owner, jobId, ({ done }) => Number(done) > 0);
    const answers = await Promise.all(
      ['finish', 'finish', 'cancellation', 'pause'].map(action => post(owner, jobId, action)),
    );
    expect(answers.slice(0, 3).map(({ status }) => status)).toEqual([200, 200, 200]);
    const ended = await untilJobEnded(owner, jobId);
    expect(['succeeded', 'cancelled']).toContain(ended['state']);
    await expectExactCredits(owner, ended, slowMailboxes);
    expect(await finishedEvents(jobId)).toHaveLength(1);
    // An end is final.
    expect((await post(owner, jobId, 'finish')).body['state']).toBe(ended['state']);
  }, 90_000);
});

describeOperation(revalidateUnknownRows, {
  async success() {
    const owner = await newOwner(40);
    const { jobId } = await waitingJob(owner);
    await post(owner, jobId, 'finish');
    const headers = { 'idempotency-key': newId('request') };
    const answer = await post(owner, jobId, 'revalidation', headers);
    expect(answer.status).toBe(201);
    const again = validationJob.parse(answer.body);
    expect(again).toMatchObject({
      origin: 'list',
      state: 'ready',
      rows: { total: 4, valid: 4, broken: 0, blank: 0, duplicate: 1 },
      addresses: 3,
      cost_max: 3,
      reserved: 0,
      address_column: 0,
    });
    expect(again.job_id).not.toBe(jobId);
    expect(again.name).toMatch(/, remaining rows$/);
    expect((await post(owner, jobId, 'revalidation', headers)).body).toEqual(answer.body);
    const both = await Promise.all(
      ['a', 'a'].map(key => post(owner, jobId, 'revalidation', { 'idempotency-key': `both ${key}` })),
    );
    expect(new Set(both.map(({ body }) => body['job_id'])).size).toBe(1);
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
    expect(await balanceOf(owner)).toEqual({ available: 30, held: 0 });
    // A deleted job is not created again before its rows are gone, and is no reason to refuse anything else.
    const path = `/validation-jobs/${both[0]?.body['job_id']}`;
    expect((await owner.send(path, { method: 'DELETE' })).status).toBe(200);
    const deleted = await post(owner, jobId, 'revalidation', { 'idempotency-key': 'both a' });
    expect([404, 201]).toContain(deleted.status);
    // This time, the host lets us in.
    await startJob(owner, again.job_id);
    const ended = await untilJobEnded(owner, again.job_id);
    expect(ended).toMatchObject({ state: 'succeeded', done: 3, spent: 3, results: { ok: 4, unknown: 0 } });
    expect(await balanceOf(owner)).toEqual({ available: 27, held: 0 });
    const none = await post(owner, again.job_id, 'revalidation');
    expect([none.status, none.body['code']]).toEqual([409, 'no_unknown_rows']);
  },
  async badInput() {
    const owner = await newOwner(20);
    expect((await post(owner, 'x', 'revalidation')).body['code']).toBe('invalid_request');
    const ready = await post(owner, await uploadJob(owner, quick.slice(0, 2)), 'revalidation');
    expect([ready.status, ready.body['code']]).toEqual([409, 'no_unknown_rows']);
    const { jobId } = await waitingJob(owner);
    const early = await post(owner, jobId, 'revalidation');
    expect([early.status, early.body['code']]).toEqual([409, 'job_under_way']);
    await post(owner, jobId, 'finish');
    const refused = await post(owner, jobId, 'revalidation', { 'idempotency-key': 'k'.repeat(256) });
    expect([refused.status, refused.body['code']]).toEqual([400, 'invalid_request']);
  },
  async noCredentials() {
    expect((await post(stranger(), newId('validationJob'), 'revalidation')).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(20), await newOwner()];
    const { jobId } = await waitingJob(one);
    await post(one, jobId, 'finish');
    const answer = await post(other, jobId, 'revalidation');
    expect([answer.status, answer.body['code']]).toEqual([404, 'job_not_found']);
    expect((await other.get('/validation-jobs')).body).toEqual({ jobs: [] });
  },
});

describe('validating the remaining rows of a job', () => {
  it('takes the rows without a result of a canceled one, none of which was charged', async () => {
    const owner = await newOwner(slowMailboxes + 1);
    // With a duplicate of an address that is open at the end, and a cell that is not an address.
    const jobId = await startedJob(owner, [...slow, slow.at(-1) ?? '', 'nobody']);
    await untilJob('the first answers', owner, jobId, ({ done }) => Number(done) > 0);
    await post(owner, jobId, 'cancellation');
    const { done, spent, rows_open } = validationJob.parse(await untilJobEnded(owner, jobId));
    const left = slowMailboxes - done;
    expect([spent, left > 0, rows_open]).toEqual([done, true, left + 1]);

    const headers = { 'idempotency-key': newId('request') };
    const answer = await post(owner, jobId, 'revalidation', headers);
    expect(answer.status).toBe(201);
    const rest = validationJob.parse(answer.body);
    expect(rest).toMatchObject({
      state: 'ready',
      rows: { total: left + 1, valid: left + 1, broken: 0, blank: 0, duplicate: 1 },
      addresses: left,
      cost_max: left,
    });
    expect((await post(owner, jobId, 'revalidation', headers)).body).toEqual(answer.body);
    expect(await balanceOf(owner)).toEqual({ available: slowMailboxes + 1 - done, held: 0 });
    await startJob(owner, rest.job_id);
    expect(await balanceOf(owner)).toMatchObject({ held: left });
    const ended = validationJob.parse(await untilSlowJobEnded(owner, rest.job_id));
    expect([ended.state, ended.results.ok, ended.spent]).toEqual(['succeeded', left + 1, left]);
    // Each address is paid once.
    expect(await balanceOf(owner)).toEqual({ available: 1, held: 0 });
    const { rows } = await house.engine.query(
      `SELECT normalised FROM validation_job_address JOIN validation_job USING (job_no)
       WHERE job_id = ANY($1) AND result <> 'unknown' GROUP BY normalised HAVING count(*) > 1`,
      [[jobId, rest.job_id]],
    );
    expect(rows).toEqual([]);
    const none = await post(owner, rest.job_id, 'revalidation');
    expect([none.status, none.body['code']]).toEqual([409, 'no_unknown_rows']);
  }, 120_000);

  it('takes those of one that ended without credits, but not a part of an upload', async () => {
    const owner = await newOwner(slowMailboxes);
    const jobId = await startedJob(owner, slow);
    await post(owner, jobId, 'cancellation');
    const { done } = validationJob.parse(await untilJobEnded(owner, jobId));
    const failAs = (failure: string) =>
      house.engine.query("UPDATE validation_job SET state = 'failed', failure = $2 WHERE job_id = $1", [
        jobId,
        failure,
      ]);
    await failAs('credits_exhausted');
    const answer = await post(owner, jobId, 'revalidation');
    expect([answer.status, answer.body['cost_max']]).toEqual([201, slowMailboxes - done]);
    await failAs('upload_broken_off');
    const refused = await post(owner, jobId, 'revalidation');
    expect([refused.status, refused.body['code']]).toEqual([409, 'no_unknown_rows']);
  }, 60_000);
});

/** Reads the events of a job until it has ended. */
async function follow(person: Person, jobId: string, lastEventId?: string) {
  const response = await fetch(`${test.house.gatewayUrls[0]}/app/v1/validation-jobs/${jobId}/events`, {
    headers: {
      cookie: [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: AbortSignal.timeout(60_000),
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ]);
  return (await response.text())
    .split('\n\n')
    .filter(block => block.startsWith('id: '))
    .map(block => {
      const lines = Object.fromEntries(block.split('\n').map(line => line.split(/: (.*)/s).slice(0, 2)));
      return {
        id: Number(lines['id']),
        event: String(lines['event']),
        job: validationJob.parse(JSON.parse(String(lines['data']))),
      };
    });
}

describeOperation(followValidationJob, {
  async success() {
    const owner = await newOwner(slowMailboxes);
    const jobId = await startedJob(owner, slow);
    const [events] = await Promise.all([follow(owner, jobId), untilSlowJobEnded(owner, jobId)]);
    expect(events.length).toBeGreaterThan(2);
    expect(events.map(({ id }) => id)).toEqual(events.map(({ job: { version } }) => version));
    const progress = events.map(({ job }) => job.done);
    expect(progress).toEqual([...progress].sort((one, other) => one - other));
    expect(events.some(({ job }) => job.per_second !== null && job.seconds_left !== null)).toBe(true);
    expect(events.at(-1)).toMatchObject({ event: 'job', job: { state: 'succeeded', done: slowMailboxes } });
    // A client that has seen the last event gets no event again.
    expect(await follow(owner, jobId, String(events.at(-1)?.id))).toEqual([]);
    expect(await follow(owner, jobId, '1')).toHaveLength(1);
  },
  async badInput() {
    const owner = await newOwner();
    expect((await owner.get('/validation-jobs/x/events')).body['code']).toBe('invalid_request');
    expect((await owner.get(`/validation-jobs/${newId('validationJob')}/events`)).body['code']).toBe(
      'job_not_found',
    );
  },
  async noCredentials() {
    const answer = await stranger().get(`/validation-jobs/${newId('validationJob')}/events`);
    expect([answer.status, answer.body['code']]).toEqual([401, 'not_signed_in']);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(10), await newOwner()];
    const answer = await other.get(`/validation-jobs/${await endedJob(one)}/events`);
    expect([answer.status, answer.body['code']]).toEqual([404, 'job_not_found']);
  },
});

describe('a job', () => {
  it.concurrent('continues without greylisted addresses, holds no slot for them, and probes again when their time has come', async () => {
    const owner = await newOwner(100);
    const jobId = await startedJob(owner, [...mailboxesOf('patient.test', 3), ...quick.slice(0, 10)]);
    await untilIdle(jobId);
    const resting = validationJob.parse((await owner.get(`/validation-jobs/${jobId}`)).body);
    expect(resting).toMatchObject({ state: 'running', done: 10, waiting: 3 });
    await hurry(jobId);
    const ended = await untilJobEnded(owner, jobId);
    expect(ended).toMatchObject({ state: 'succeeded', done: 13, waiting: 0, spent: 13 });
  }, 90_000);

  it.concurrent('asks a silent host twice, then says unknown, which is free, while all others have an answer', async () => {
    const owner = await newOwner(100);
    const jobId = await startedJob(owner, [...mailboxesOf('silent.test', 2), ...quick.slice(0, 10)]);
    // The other addresses do not wait for those at the silent host.
    await untilJob('the others', owner, jobId, ({ done, waiting }) => done === 10 && waiting === 0);
    await untilIdle(jobId);
    await hurry(jobId);
    const ended = await untilJobEnded(owner, jobId);
    expect(ended).toMatchObject({ state: 'succeeded', done: 12, spent: 10, returned: 2 });
    expect(ended['results']).toMatchObject({ unknown: 2 });
    expect(await balanceOf(owner)).toEqual({ available: 90, held: 0 });
  }, 90_000);

  it.concurrent('stops asking about a domain whose addresses seem to be guessed, and charges nothing for the rest', async () => {
    const owner = await newOwner(300);
    const guesses = Array.from({ length: 250 }, (_, at) => `guess${at + 1}@guessed.test`);
    const ended = validationJob.parse(await untilJobEnded(owner, await startedJob(owner, guesses)));
    const { invalid, unknown } = ended.results;
    expect([ended.state, invalid + unknown, ended.spent]).toEqual(['succeeded', 250, invalid]);
    // Addresses in flight when the limit was reached got their answers.
    expect(invalid).toBeGreaterThanOrEqual(60);
    expect(unknown).toBeGreaterThan(50);
    expect(house.lab.counts().smtp['mx.guessed.test']?.recipientsAsked).toBeLessThan(250);
  }, 90_000);

  it.concurrent('lets a small job of another account pass a large one', async () => {
    const [large, small] = [await newOwner(slowMailboxes), await newOwner(10)];
    const largeId = await startedJob(large, slow);
    await untilJob('the first answers', large, largeId, ({ done }) => Number(done) > 0);
    const smallId = await startedJob(small, quick.slice(0, 10));
    await untilJobEnded(small, smallId);
    expect((await large.get(`/validation-jobs/${largeId}`)).body['state']).toBe('running');
    await untilSlowJobEnded(large, largeId);
  }, 90_000);

  it.concurrent('ends when it has been paused for too long, and pays for what it has', async () => {
    const owner = await newOwner(slowMailboxes);
    const jobId = await startedJob(owner, slowToo);
    await untilJob('the first answers', owner, jobId, ({ done }) => Number(done) > 0);
    await post(owner, jobId, 'pause');
    await untilIdle(jobId);
    await house.engine.query(
      'UPDATE validation_job SET paused_at = paused_at - make_interval(days => $2) WHERE job_id = $1',
      [jobId, limits.jobPausedDaysMax],
    );
    await hurry(jobId);
    const ended = validationJob.parse(await untilJobEnded(owner, jobId));
    expect(ended).toMatchObject({ state: 'failed', failure: { code: 'paused_too_long' }, spent: ended.done });
    expect(await balanceOf(owner)).toEqual({ available: slowMailboxes - ended.done, held: 0 });
  }, 90_000);
});
