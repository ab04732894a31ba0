import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase, waitFor } from '@mailproof/dev-house';
import { FollowedModel } from '../src/adapters/lookalike-worker/followed-model.ts';
import { type ModelRow, newestModel } from '../src/adapters/lookalike-worker/model-store.ts';
import { WorkerRanking } from '../src/adapters/lookalike-worker/worker-ranking.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { createProfileStore } from '../src/adapters/postgres/profile-store/profile-store.ts';
import { composeLookalikeRanking, lookalikeOperator } from '../src/compose/lookalikes.ts';
import type { LookalikeQuestion, LookalikeRanking } from '../src/domain/lookalike/lookalike-ranking.ts';
import type { CompanyRecord } from '../src/domain/profile-store/profile-records.ts';
import type { Events } from '../src/events.ts';
import { syntheticCompany } from '../src/fixtures/synthetic-company.ts';

const now = new Date('2026-06-01T12:00:00Z');
const companies = 120;
/** Threads start slowly on a busy machine. */
const soon = { deadlineMs: 90_000 };
let database: TestDatabase;
let open: ReturnType<typeof openDatabase>;
let running: ReturnType<typeof composeLookalikeRanking>[] = [];
let failures: Error[] = [];
let lost: Error[] = [];

beforeAll(async () => {
  database = await createTestDatabase('enrichment');
  open = openDatabase({ url: database.databaseUrl, connectionsMax: 4, onIdleError: () => undefined });
});
afterAll(async () => {
  await open.close();
  await database.drop();
});
beforeEach(() => {
  failures = [];
  lost = [];
});
afterEach(async () => {
  await closeReplicas();
  expect(failures).toEqual([]);
});

async function closeReplicas(): Promise<void> {
  await Promise.all(running.map(each => each.close()));
  running = [];
}

const events = new Proxy({} as Events, {
  get: (_, name) => (problem: Error) => {
    if (name === 'lookalikeModelFailed' || name === 'lookalikeReadFailed') {
      failures.push(problem);
    }
    if (name === 'lookalikeThreadLost') {
      lost.push(problem);
    }
  },
});

function startReplica(rebuildShare = 10) {
  const config = {
    DATABASE_URL: database.databaseUrl,
    LOOKALIKE_REFRESH_INTERVAL_MS: 100,
    LOOKALIKE_QUESTION_DEADLINE_MS: 60_000,
    LOOKALIKE_REBUILD_SHARE: rebuildShare,
    LOOKALIKE_VECTORS: 'auto' as const,
  };
  const replica = composeLookalikeRanking(config, events);
  running.push(replica);
  replica.start();
  return replica.ranking;
}

async function load(records: readonly CompanyRecord[]): Promise<void> {
  const key = new TextEncoder().encode('a key for tests alone, 32 characters');
  const store = createProfileStore(open.pool, { suppressionKey: key, retentionDays: 1_000 });
  const source = {
    kind: 'synthetic',
    name: 'Test',
    licence: 'none',
    retrievedOn: '2026-05-01',
    fingerprint: '',
  } as const;
  for (let start = 0; start < records.length; start += 100) {
    await store.loadCompanies(source, records.slice(start, start + 100), now);
  }
}

const synthetic = (count: number) => Array.from({ length: count }, (_, index) => syntheticCompany(1, index));

async function numberOf(domain: string): Promise<number> {
  const { rows } = await open.pool.query<{ company_no: number }>(
    'SELECT company_no FROM company WHERE domain = $1',
    [domain],
  );
  return rows[0]?.company_no as number;
}

/** Creates a store of companies with a model, in the first test that needs it. */
async function haveModel(): Promise<void> {
  await load(synthetic(companies));
  const operator = lookalikeOperator(open.pool, database.databaseUrl);
  if ((await operator.standing()) === null) {
    const result = await operator.build(() => undefined, AbortSignal.timeout(soon.deadlineMs));
    expect(result).toMatchObject({ outcome: 'built', companies });
  }
}

const isReady = (ranking: LookalikeRanking) => () => Promise.resolve(ranking.status().state === 'ready');
const ask = (seeds: number[], more: Partial<LookalikeQuestion> = {}): LookalikeQuestion => ({
  seeds,
  limit: 50,
  ...more,
});

describe('the ranking of lookalikes on the store', () => {
  it('starts no thread before there is a model', async () => {
    const ranking = new WorkerRanking({
      databaseUrl: database.databaseUrl,
      refreshIntervalMs: 60_000,
      questionDeadlineMs: 60_000,
      rebuildShare: 10,
      vectors: 'auto',
      buildPauseMinMs: 60_000,
      threadUrl: new URL('./no-such-thread.ts', import.meta.url),
      events,
    });
    ranking.start();
    try {
      // Each question looks for a model, also within the pause.
      for (const seed of [1, 2]) {
        await expect(ranking.rank(ask([seed]))).rejects.toMatchObject({
          code: 'not_ready',
          message: expect.stringContaining('There is no lookalike model yet'),
        });
      }
      expect(ranking.status()).toMatchObject({ state: 'too_few_companies', companies: 0 });
      expect(lost).toEqual([]);
    } finally {
      await ranking.close();
    }
  });

  it('says what is missing while too few companies have a description, and builds the model automatically once there are enough', async () => {
    const ranking = startReplica();
    await waitFor('the state', async () => ranking.status().state === 'too_few_companies', soon);
    await expect(ranking.rank(ask([1]))).rejects.toMatchObject({ code: 'not_ready' });
    await load(synthetic(companies));
    await waitFor('a model', isReady(ranking), soon);
    expect(ranking.status()).toMatchObject({ companies, calibration: 'shipped' });
  });

  it('answers the same in every replica and after a restart', async () => {
    await haveModel();
    const [one, other] = [startReplica(), startReplica()];
    await waitFor('both', async () => (await isReady(one)()) && (await isReady(other)()), soon);
    const question = ask([await numberOf(syntheticCompany(1, 3).domain as string)], { explain: 5 });
    const answer = await one.rank(question);
    expect(answer.matches.length).toBeGreaterThan(0);
    expect(answer.matches[0]?.reasons?.sharedTerms.length).toBeGreaterThan(0);
    expect(await other.rank(question)).toEqual(answer);
  });

  it('computes the vector of a company that comes after the model, for all replicas', async () => {
    await haveModel();
    const [one, other] = [startReplica(), startReplica()];
    await waitFor('both', async () => (await isReady(one)()) && (await isReady(other)()), soon);
    const seed = syntheticCompany(1, 3);
    await load([{ ...seed, domain: 'newcomer.example', name: 'Newcomer', profileKey: null }]);
    const newcomer = await numberOf('newcomer.example');
    for (const ranking of [one, other]) {
      const found = async () => {
        const answer = await ranking.rank(ask([await numberOf(seed.domain as string)]));
        return answer.matches.some(({ companyNo }) => companyNo === newcomer);
      };
      await waitFor('the newcomer', found, soon);
    }
    const { rows } = await open.pool.query('SELECT 1 FROM lookalike_place WHERE company_no = $1', [newcomer]);
    expect(rows).toHaveLength(1);
  });

  it('answers no removed company, from the next question on', async () => {
    await haveModel();
    const ranking = startReplica();
    await waitFor('a model', isReady(ranking), soon);
    const seed = await numberOf(syntheticCompany(1, 3).domain as string);
    const gone = (await ranking.rank(ask([seed]))).matches[0]?.companyNo as number;
    await open.pool.query('DELETE FROM company WHERE company_no = $1', [gone]);
    await open.pool.query('INSERT INTO removed_record (company_no) VALUES ($1)', [gone]);
    const answer = await ranking.rank(ask([seed]));
    expect(answer.matches.map(({ companyNo }) => companyNo)).not.toContain(gone);
    expect((await ranking.rank(ask([seed, gone]))).unusable).toEqual(new Map([[gone, 'too_little_text']]));
  });

  it('allows only one build at a time, and continues with the old model until the new one is complete', async () => {
    await haveModel();
    const ranking = startReplica();
    await waitFor('a model', isReady(ranking), soon);
    const first = ranking.status();
    const operator = lookalikeOperator(open.pool, database.databaseUrl);
    const builds = [1, 2].map(() => operator.build(() => undefined, AbortSignal.timeout(soon.deadlineMs)));
    const outcomes = (await Promise.all(builds)).map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(['built', 'left_to_another']);
    await waitFor(
      'the next model',
      async () => {
        const status = ranking.status();
        return status.state === 'ready' && first.state === 'ready' && status.modelNo > first.modelNo;
      },
      soon,
    );
    const { rows } = await open.pool.query('SELECT model_no FROM lookalike_model');
    expect(rows).toHaveLength(1);
  });

  it('answers a query that crashes the thread once, and continues', async () => {
    await haveModel();
    const lossFile = join(tmpdir(), `mailproof-lost-${basename(new URL(database.databaseUrl).pathname)}`);
    const ranking = new WorkerRanking({
      databaseUrl: database.databaseUrl,
      refreshIntervalMs: 100,
      questionDeadlineMs: 60_000,
      rebuildShare: 10,
      vectors: 'auto',
      buildPauseMinMs: 60_000,
      threadUrl: new URL('./thread-that-is-lost.ts', import.meta.url),
      events,
    });
    ranking.start();
    try {
      const seed = await numberOf(syntheticCompany(1, 3).domain as string);
      const answer = await ranking.rank(ask([seed])).catch(() => null);
      expect(lost.map(({ message }) => message)).toEqual(['This thread is lost.']);
      expect(answer?.total).toBeGreaterThan(0);
    } finally {
      await ranking.close();
      await rm(lossFile, { force: true });
    }
  });

  it('is built again as soon as enough companies wait, also while none of them has a vector yet', async () => {
    await haveModel();
    const operator = lookalikeOperator(open.pool, database.databaseUrl);
    const build = () => operator.build(() => undefined, AbortSignal.timeout(soon.deadlineMs));
    const follow = async () => {
      const row = (await newestModel(open.pool)) as ModelRow;
      const followed = (await FollowedModel.load(open.pool, row, null)) as FollowedModel;
      await followed.refresh(0, AbortSignal.timeout(soon.deadlineMs));
      return followed;
    };
    await build();
    expect((await follow()).isBuildDue(0.2)).toBe(false);
    // Their texts have no words, so that no model has a vector for them.
    const wordless = Array.from({ length: 60 }, (_, index) => ({
      ...syntheticCompany(1, 500 + index),
      domain: `wordless${index}.example`,
      profileKey: null,
      description: 'and the',
      keywords: [],
    }));
    await load(wordless);
    expect((await follow()).isBuildDue(0.2)).toBe(true);
    await build();
    expect((await follow()).isBuildDue(0.2)).toBe(false);
  });

  it('is built again without a long pause when companies arrive after a build', async () => {
    await haveModel();
    const moments: { name: string; atMs: number }[] = [];
    const noted = (name: string) => () => void moments.push({ name, atMs: performance.now() });
    const ranking = new WorkerRanking({
      databaseUrl: database.databaseUrl,
      refreshIntervalMs: 100,
      questionDeadlineMs: 60_000,
      rebuildShare: 0.1,
      vectors: 'memory',
      buildPauseMinMs: 0,
      events: {
        ...events,
        lookalikeThreadLost: noted('lost'),
        lookalikeModelStarted: noted('started'),
        lookalikeModelBuilt: noted('built'),
        lookalikeModelFailed: noted('failed'),
        lookalikeReadFailed: noted('unread'),
      },
    });
    const count = (name: string) => moments.filter(each => each.name === name).length;
    ranking.start();
    try {
      await load(Array.from({ length: 60 }, (_, index) => syntheticCompany(2, index)));
      await waitFor('a build', async () => count('built') > 0, soon);
      await load(Array.from({ length: 60 }, (_, index) => syntheticCompany(2, 100 + index)));
      await waitFor('the next build', async () => count('built') > 1, soon);
    } finally {
      await ranking.close();
    }
    const [started, built, again] = moments.map(({ atMs }) => atMs) as [number, number, number];
    expect(moments.slice(0, 4).map(({ name }) => name)).toEqual(['started', 'built', 'started', 'built']);
    expect(again - built).toBeLessThan(4 * (built - started));
  });

  it('outlives the loss of its connections', async () => {
    await haveModel();
    const ranking = startReplica();
    await waitFor('a model', isReady(ranking), soon);
    await open.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'mailproof-enrichment-lookalikes' AND datname = current_database()`,
    );
    const seed = await numberOf(syntheticCompany(1, 3).domain as string);
    const answers = async () =>
      ranking.rank(ask([seed])).then(
        () => true,
        () => false,
      );
    await waitFor('an answer', answers, soon);
    // Failed reads were reported, which is not a failure here; the last one may be reported only now.
    await closeReplicas();
    failures = [];
  });

  it('rejects a query out of bounds, and one whose caller has disconnected', async () => {
    await haveModel();
    const ranking = startReplica();
    await waitFor('a model', isReady(ranking), soon);
    await expect(ranking.rank(ask([]))).rejects.toThrow(RangeError);
    expect(await ranking.rank(ask([-1]))).toMatchObject({
      total: 0,
      unusable: new Map([[-1, 'too_little_text']]),
    });
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(async () => ranking.rank(ask([1]), gone)).rejects.toThrow('gone');
  });
});
