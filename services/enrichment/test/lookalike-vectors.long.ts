import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import { createVectorDatabase, type VectorDatabase } from '../bench/lookalike/vector-database.ts';
import { PostgresVectors } from '../src/adapters/lookalike-worker/postgres-vectors.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { lookalikeOperator } from '../src/compose/lookalikes.ts';
import type { LookalikeAnswer } from '../src/domain/lookalike/lookalike-ranking.ts';
import { syntheticCompany } from '../src/fixtures/synthetic-company.ts';
import { createLookalikeReplicas, isReady, load, soon, synthetic } from './lookalike-replicas.ts';

const serverUrl = process.env['MAILPROOF_PGVECTOR_URL'];
if (serverUrl === undefined) {
  throw new Error('Set MAILPROOF_PGVECTOR_URL to an administrator of a Postgres that has pgvector.');
}
const companies = 300;
const replicas = createLookalikeReplicas();

describe('vectors in Postgres', () => {
  let database: VectorDatabase;
  let open: ReturnType<typeof openDatabase>;
  let nos: ReadonlyMap<string, number>;

  beforeAll(async () => {
    database = await createVectorDatabase(serverUrl, { extension: true });
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
  afterEach(async () => {
    const { failures } = replicas;
    expect(failures).toEqual([]);
    await replicas.close();
  });

  const numberOf = (index: number) => nos.get(syntheticCompany(1, index).domain as string) as number;

  it('answers what the ranking in memory answers, totals and pages too', async () => {
    const [memory, vectors] = [
      replicas.start(database.databaseUrl, 'memory'),
      replicas.start(database.databaseUrl, 'postgres'),
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
    await expect(vectors.rank({ seeds: [-1], limit: 1 })).resolves.toMatchObject({
      total: 0,
      unusable: new Map([[-1, 'too_little_text']]),
    });
    await expect(vectors.rank({ seeds: [], limit: 1 })).rejects.toThrow(RangeError);
  });

  it('reads the vectors from Postgres: without its vector a company is no candidate', async () => {
    const vectors = replicas.start(database.databaseUrl, 'postgres');
    await waitFor('the replica', isReady(vectors), soon);
    const question = { seeds: [numberOf(3)], limit: 300 };
    const first = (await vectors.rank(question)).matches[0]?.companyNo as number;
    await open.pool.query('DELETE FROM lookalike_vector WHERE company_no = $1', [first]);
    expect((await vectors.rank(question)).matches.map(match => match.companyNo)).not.toContain(first);
    // The next replica stores what is missing.
    const next = replicas.start(database.databaseUrl, 'postgres');
    await waitFor('the next', isReady(next), soon);
    expect((await next.rank(question)).matches[0]?.companyNo).toBe(first);
  });

  it('computes the vector of a newcomer, and loses a removed company with its vector', async () => {
    const vectors = replicas.start(database.databaseUrl, 'postgres');
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
    const vectors = await PostgresVectors.open(open.pool);
    const kept = { companyNo: numberOf(1), changeNo: 1, vector: Float32Array.from([1, 0]) };
    await vectors?.keep(1_000_000, [kept]);
    await vectors?.keep(1_000_001, [kept]);
    await vectors?.forgetBefore(1_000_001);
    const { rows } = await open.pool.query('SELECT DISTINCT model_no FROM lookalike_vector');
    expect(rows).toEqual([{ model_no: 1_000_001 }]);
  });
});

/**
 * Returns an answer's companies in order, with their reasons, and the counts, but without strengths: their last digits
 * depend on where they are summed.
 */
function strengthsApart({ matches, ...answer }: LookalikeAnswer) {
  return { ...answer, matches: matches.map(({ companyNo, reasons }) => ({ companyNo, reasons })) };
}
