import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createTestDatabase, waitFor } from '@mailproof/dev-house';
import { createVectorDatabase, type VectorDatabase } from '../bench/lookalike/vector-database.ts';
import { VectorPlaces } from '../src/adapters/lookalike-worker/vector-places.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { createProfileStore } from '../src/adapters/postgres/profile-store/profile-store.ts';
import { composeLookalikeRanking, lookalikeOperator } from '../src/compose/lookalike-ranking.ts';
import type { Config } from '../src/config.ts';
import type { LookalikeAnswer, LookalikeRanking } from '../src/domain/lookalike/lookalike-ranking.ts';
import type { CompanyRecord } from '../src/domain/profile-store/company-record.ts';
import { syntheticCompany } from '../src/domain/synthetic/synthetic-company.ts';
import type { Events } from '../src/events.ts';

const serverUrl = process.env['MAILPROOF_PGVECTOR_URL'];
const companies = 300;
const soon = { deadlineMs: 90_000 };
const source = { kind: 'synthetic', name: 'Test', licence: 'none', retrievedOn: '2026-05-01' } as const;
jest.setTimeout(120_000);

let failures: Error[] = [];
const events = new Proxy({} as Events, {
  get: (_, name) => (problem: Error) => {
    if (name === 'lookalikeReadFailed' || name === 'lookalikeModelFailed' || name === 'lookalikeThreadLost') {
      failures.push(problem);
    }
  },
});
let running: ReturnType<typeof composeLookalikeRanking>[] = [];
afterEach(async () => {
  await Promise.all(running.map(each => each.close()));
  running = [];
  failures = [];
});

function startReplica(databaseUrl: string, vectors: Config['LOOKALIKE_VECTORS']): LookalikeRanking {
  const replica = composeLookalikeRanking(
    {
      DATABASE_URL: databaseUrl,
      LOOKALIKE_REFRESH_INTERVAL_MS: 100,
      LOOKALIKE_QUESTION_DEADLINE_MS: 60_000,
      LOOKALIKE_REBUILD_SHARE: 10,
      LOOKALIKE_VECTORS: vectors,
    },
    events,
  );
  running.push(replica);
  replica.start();
  return replica.ranking;
}

const isReady = (ranking: LookalikeRanking) => async () => ranking.status().state === 'ready';

describe('a database without the extension', () => {
  it('keeps places in memory, and says what is missing to a replica that asks for Postgres', async () => {
    const database = await createTestDatabase('enrichment');
    const open = openDatabase({
      url: database.databaseUrl,
      connectionsMax: 4,
      onIdleError: () => undefined,
    });
    try {
      expect(await VectorPlaces.open(open.pool)).toBeNull();
      await load(open.pool, synthetic(60));
      await lookalikeOperator(open.pool, database.databaseUrl).build(
        () => undefined,
        AbortSignal.timeout(soon.deadlineMs),
      );
      await waitFor('memory', isReady(startReplica(database.databaseUrl, 'auto')), soon);
      expect(failures).toEqual([]);
      const ranking = startReplica(database.databaseUrl, 'postgres');
      await waitFor('the complaint', async () => failures.length > 0, soon);
      expect(failures[0]?.message).toContain('LOOKALIKE_VECTORS');
      expect(ranking.status().state).not.toBe('ready');
    } finally {
      await Promise.all(running.map(each => each.close()));
      running = [];
      await open.close();
      await database.drop();
    }
  });
});

if (serverUrl === undefined) {
  process.stderr.write(
    'Vectors in Postgres: skipped, MAILPROOF_PGVECTOR_URL names no server with pgvector.\n',
  );
}
const describeWithServer = serverUrl === undefined ? describe.skip : describe;

describeWithServer('places as vectors in Postgres', () => {
  let database: VectorDatabase;
  let open: ReturnType<typeof openDatabase>;
  let nos: ReadonlyMap<string, number>;

  beforeAll(async () => {
    database = await createVectorDatabase(serverUrl ?? '', { extension: true });
    open = openDatabase({ url: database.databaseUrl, connectionsMax: 4, onIdleError: () => undefined });
    await load(open.pool, synthetic(companies));
    await lookalikeOperator(open.pool, database.databaseUrl).build(
      () => undefined,
      AbortSignal.timeout(soon.deadlineMs),
    );
    const { rows } = await open.pool.query<{ domain: string; company_no: number }>(
      'SELECT domain, company_no FROM company',
    );
    nos = new Map(rows.map(row => [row.domain, row.company_no]));
  });
  afterAll(async () => {
    await open.close();
    await database.drop();
  });
  afterEach(() => expect(failures).toEqual([]));

  const numberOf = (index: number) => nos.get(syntheticCompany(1, index).domain as string) as number;

  it('answers what the ranking in memory answers, totals and pages too', async () => {
    const [memory, vectors] = [
      startReplica(database.databaseUrl, 'memory'),
      startReplica(database.databaseUrl, 'postgres'),
    ];
    await waitFor('both', async () => (await isReady(memory)()) && (await isReady(vectors)()), soon);
    const { rows } = await open.pool.query('SELECT count(*)::int AS count FROM lookalike_vector');
    expect(rows[0]?.count).toBe(companies);
    for (const question of [
      { seeds: [numberOf(3)], limit: 300, explain: 5 },
      { seeds: [numberOf(1), numberOf(2), numberOf(9)], unlike: [numberOf(20)], limit: 300 },
      { seeds: [numberOf(7)], limit: 10, offset: 5, candidates: { countries: ['US', 'DE', 'GB'] } },
      { seeds: [numberOf(7), -1], limit: 0 },
    ]) {
      const [expected, answer] = [await memory.rank(question), await vectors.rank(question)];
      expect(expected.total).toBeGreaterThan(0);
      expect(strengthsApart(answer)).toEqual(strengthsApart(expected));
      expect(answer.matches.map(match => match.strength)).toEqual(
        expected.matches.map(match => expect.closeTo(match.strength, 5)),
      );
    }
    await expect(vectors.rank({ seeds: [-1], limit: 1 })).rejects.toMatchObject({ code: 'no_usable_seed' });
    await expect(vectors.rank({ seeds: [], limit: 1 })).rejects.toThrow(RangeError);
  });

  it('reads the places from Postgres: without its vector a company is no candidate', async () => {
    const vectors = startReplica(database.databaseUrl, 'postgres');
    await waitFor('the replica', isReady(vectors), soon);
    const question = { seeds: [numberOf(3)], limit: 300 };
    const first = (await vectors.rank(question)).matches[0]?.companyNo as number;
    await open.pool.query('DELETE FROM lookalike_vector WHERE company_no = $1', [first]);
    expect((await vectors.rank(question)).matches.map(match => match.companyNo)).not.toContain(first);
    // The next replica keeps what is missing.
    const next = startReplica(database.databaseUrl, 'postgres');
    await waitFor('the next', isReady(next), soon);
    expect((await next.rank(question)).matches[0]?.companyNo).toBe(first);
  });

  it('places a newcomer, and loses a removed company with its vector', async () => {
    const vectors = startReplica(database.databaseUrl, 'postgres');
    await waitFor('the replica', isReady(vectors), soon);
    await load(open.pool, [
      { ...syntheticCompany(1, 3), domain: 'newcomer.example', name: 'Newcomer', profileKey: null },
    ]);
    const question = { seeds: [numberOf(3)], limit: 300 };
    const { rows } = await open.pool.query(
      `SELECT company_no FROM company WHERE domain = 'newcomer.example'`,
    );
    const newcomer = rows[0]?.company_no as number;
    const found = async () => {
      return (await vectors.rank(question)).matches.some(match => match.companyNo === newcomer);
    };
    await waitFor('the newcomer', found, soon);
    await open.pool.query('DELETE FROM company WHERE company_no = $1', [newcomer]);
    await open.pool.query('INSERT INTO removed_record (company_no) VALUES ($1)', [newcomer]);
    expect(await found()).toBe(false);
    const kept = await open.pool.query('SELECT FROM lookalike_vector WHERE company_no = $1', [newcomer]);
    expect(kept.rowCount).toBe(0);
  });

  it('forgets the vectors of older models alone', async () => {
    const vectors = await VectorPlaces.open(open.pool);
    const place = { companyNo: numberOf(1), changeNo: 1, place: Float32Array.from([1, 0]) };
    await vectors?.keep(1_000_000, [place]);
    await vectors?.keep(1_000_001, [place]);
    await vectors?.forgetBefore(1_000_001);
    const { rows } = await open.pool.query('SELECT DISTINCT model_no FROM lookalike_vector');
    expect(rows).toEqual([{ model_no: 1_000_001 }]);
  });
});

/** Whom an answer names, in its order, and the counts: of strengths the last digits depend on who adds up. */
function strengthsApart({ matches, ...answer }: LookalikeAnswer) {
  return { ...answer, matches: matches.map(({ companyNo, reasons }) => ({ companyNo, reasons })) };
}

const synthetic = (count: number) => Array.from({ length: count }, (_, index) => syntheticCompany(1, index));

async function load(
  pool: ReturnType<typeof openDatabase>['pool'],
  records: readonly CompanyRecord[],
): Promise<void> {
  const key = new TextEncoder().encode('a key for tests alone, 32 characters');
  const store = createProfileStore(pool, { suppressionKey: key, retentionDays: 1_000 });
  const now = new Date('2026-06-01T12:00:00Z');
  for (let start = 0; start < records.length; start += 100) {
    await store.loadCompanies({ ...source, fingerprint: '' }, records.slice(start, start + 100), now);
  }
}
