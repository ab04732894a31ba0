import { quantile } from '@mailproof/dev-house/bench';
import pg from 'pg';
import { openPostgresVectors } from '../../src/compose/lookalikes.ts';
import type { LookalikeModel } from '../../src/domain/lookalike/build-model.ts';
import { CompanyIndex } from '../../src/domain/lookalike/company-index.ts';
import type { LookalikeQuestion } from '../../src/domain/lookalike/lookalike-ranking.ts';
import { type RankingModel, rankCompanies } from '../../src/domain/lookalike/rank-companies.ts';
import { createVectorDatabase, type VectorDatabase } from './vector-database.ts';

type Vectors = NonNullable<Awaited<ReturnType<typeof openPostgresVectors>>['vectors']>;

const modelNo = 1;
const vectorsPerStatement = 1_000;
const depth = 100;
const efSearchAsked = [40, 200, 1_000];

export interface VectorQuality {
  readonly companies: number;
  readonly tableMb: number;
  readonly memoryP50Ms: number;
  readonly memoryP95Ms: number;
  readonly postgresP50Ms: number;
  readonly postgresP95Ms: number;
  /** The share of questions with the same matches, in the same order, and the same counts in both. */
  readonly sameShare: number;
  /** The mean share of the first 100 matches in memory that are among the first 100 from Postgres. */
  readonly recall: number;
  /** The effect of a nearest-neighbor index on the dense part alone. */
  readonly hnsw: {
    readonly buildSeconds: number;
    readonly indexMb: number;
    readonly searches: readonly {
      readonly efSearch: number;
      readonly recall: number;
      readonly found: number;
      readonly p50Ms: number;
      readonly p95Ms: number;
    }[];
  };
}

/** Answers the same questions with vectors in memory and in Postgres, on a server with pgvector. */
export async function measureVectors(
  serverUrl: string,
  built: { model: LookalikeModel; index: CompanyIndex },
  questions: number,
  tell: (line: string) => void,
): Promise<VectorQuality> {
  const database = await createVectorDatabase(serverUrl, { extension: true });
  const { vectors, close } = await openPostgresVectors(database.databaseUrl);
  try {
    if (vectors === null) {
      throw new Error('The extension vector does not stand.');
    }
    const { index } = built;
    await fill(database, vectors, index);
    tell('vectors kept');
    const answers = await compare(built, vectors, questions);
    tell('questions answered');
    const hnsw = await measureHnsw(database, index, questions);
    return { companies: index.companies, ...answers, ...hnsw };
  } finally {
    await close();
    await database.drop();
  }
}

async function compare(
  { model, index }: { model: LookalikeModel; index: CompanyIndex },
  vectors: Vectors,
  questions: number,
) {
  const inMemory: RankingModel = { modelNo, space: model.space, calibration: model.calibration, index };
  const withoutVectors: RankingModel = { ...inMemory, index: emptied(index, model.space.stems.length) };
  const memoryTimes: number[] = [];
  const postgresTimes: number[] = [];
  let same = 0;
  let recall = 0;
  for (let at = 0; at < questions; at++) {
    const question: LookalikeQuestion = { seeds: [companyAt(index, at)], limit: 1_000, explain: 25 };
    const startedMs = performance.now();
    const expected = rankCompanies(inMemory, question);
    const askedMs = performance.now();
    const asked = await vectors.asked(modelNo, withoutVectors.index, question, {
      companies: new Map(),
      described: [],
    });
    const answer = rankCompanies(withoutVectors, question, asked);
    postgresTimes.push(performance.now() - askedMs);
    memoryTimes.push(askedMs - startedMs);
    const [wanted, found] = [expected, answer].map(({ matches }) =>
      matches.map(({ companyNo }) => companyNo),
    ) as [number[], number[]];
    const counts = ({ total, expected: steps }: typeof answer) => JSON.stringify([total, steps]);
    same += String(wanted) === String(found) && counts(answer) === counts(expected) ? 1 : 0;
    recall += shareFound(wanted.slice(0, depth), found.slice(0, depth)) / questions;
  }
  return {
    memoryP50Ms: quantile(memoryTimes, 0.5),
    memoryP95Ms: quantile(memoryTimes, 0.95),
    postgresP50Ms: quantile(postgresTimes, 0.5),
    postgresP95Ms: quantile(postgresTimes, 0.95),
    sameShare: same / questions,
    recall,
  };
}

async function measureHnsw(
  database: VectorDatabase,
  index: CompanyIndex,
  questions: number,
): Promise<Pick<VectorQuality, 'tableMb' | 'hnsw'>> {
  const client = new pg.Client({
    connectionString: database.adminUrl,
    options: '-c search_path=enrichment -c maintenance_work_mem=512MB',
  });
  await client.connect();
  try {
    const size = async (name: string) =>
      Number((await client.query(`SELECT pg_relation_size('${name}') AS size`)).rows[0]?.size) / 1_000_000;
    const tableMb = await size('lookalike_vector');
    const expression = `place::vector(${index.dimensions})`;
    const startedMs = performance.now();
    await client.query(
      `CREATE INDEX near_ones ON lookalike_vector USING hnsw ((${expression}) vector_ip_ops)`,
    );
    const buildSeconds = (performance.now() - startedMs) / 1_000;
    await client.query('SET enable_seqscan = off');
    const searches: VectorQuality['hnsw']['searches'][number][] = [];
    for (const efSearch of efSearchAsked) {
      await client.query(`SET hnsw.ef_search = ${efSearch}`);
      const times: number[] = [];
      let recall = 0;
      let found = 0;
      for (let at = 0; at < questions; at++) {
        const vector = index.vectorAt(index.rowOf(companyAt(index, at)) as number);
        const wanted = nearestOf(index, vector);
        const askedMs = performance.now();
        const { rows } = await client.query<{ company_no: number }>(
          `SELECT company_no FROM lookalike_vector ORDER BY ${expression} <#> $1 LIMIT 50000`,
          [`[${vector.join(',')}]`],
        );
        times.push(performance.now() - askedMs);
        const nos = rows.map(row => row.company_no);
        found = Math.max(found, nos.length);
        recall += shareFound(wanted, nos.slice(0, depth)) / questions;
      }
      searches.push({
        efSearch,
        recall,
        found,
        p50Ms: quantile(times, 0.5),
        p95Ms: quantile(times, 0.95),
      });
    }
    return { tableMb, hnsw: { buildSeconds, indexMb: await size('near_ones'), searches } };
  } finally {
    await client.end();
  }
}

/** Inserts rows with only a number into the table `company`, and the vectors of the index. */
async function fill(database: VectorDatabase, vectors: Vectors, index: CompanyIndex): Promise<void> {
  const client = new pg.Client({
    connectionString: database.adminUrl,
    options: '-c search_path=enrichment',
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ source_id: number }>(
      `INSERT INTO source (kind, name, licence, retrieved_on, fingerprint)
       VALUES ('synthetic', 'Benchmark', 'none', '2026-01-01', '') RETURNING source_id`,
    );
    await client.query(
      `INSERT INTO company (company_no, company_id, domain, name, source_id) OVERRIDING SYSTEM VALUE
       SELECT each, 'comp_' || each, each || '.example', 'Company', $2 FROM generate_series(1, $1) AS each`,
      [index.companies, rows[0]?.source_id],
    );
    for (let start = 0; start < index.length; start += vectorsPerStatement) {
      const length = Math.min(vectorsPerStatement, index.length - start);
      const page = Array.from({ length }, (_, at) => ({
        companyNo: index.companyNoAt(start + at),
        changeNo: 1,
        vector: index.vectorAt(start + at),
      }));
      await vectors.keep(modelNo, page);
    }
    await client.query('VACUUM ANALYZE lookalike_vector');
  } finally {
    await client.end();
  }
}

function emptied(index: CompanyIndex, terms: number): CompanyIndex {
  const withoutVectors = new CompanyIndex(index.dimensions, terms, index.length, false);
  for (let row = 0; row < index.length; row++) {
    withoutVectors.put({
      companyNo: index.companyNoAt(row),
      vector: new Float32Array(0),
      words: index.words.row(row),
      facets: { industry: null, companySize: null, revenue: null, companyType: null, country: null },
    });
  }
  return withoutVectors;
}

function nearestOf(index: CompanyIndex, vector: Float32Array): number[] {
  const nearness = index.nearness(vector);
  return Array.from(nearness.keys())
    .sort((a, b) => (nearness[b] as number) - (nearness[a] as number))
    .slice(0, depth)
    .map(row => index.companyNoAt(row));
}

const companyAt = (index: CompanyIndex, at: number) => 1 + ((at * 37) % index.companies);

function shareFound(wanted: readonly number[], found: readonly number[]): number {
  const among = new Set(found);
  return wanted.length === 0 ? 1 : wanted.filter(each => among.has(each)).length / wanted.length;
}
