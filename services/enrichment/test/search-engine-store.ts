import { createTestDatabase, waitFor } from '@mailproof/dev-house';
import { openPostgres } from '@mailproof/service-kit/postgres';
import { newId } from '@mailproof/shared-types';
import type pg from 'pg';
import {
  createPeopleIndex,
  type RunningPeopleIndex,
} from '../src/adapters/people-index/start-people-index.ts';
import { createEnginePeopleIndex } from '../src/adapters/search-engine/engine-people-index.ts';
import { openEngine, type SearchEngine } from '../src/adapters/search-engine/open-engine.ts';
import type { IndexedCompany } from '../src/domain/people-search/columns/company-columns.ts';
import type { IndexedPerson } from '../src/domain/people-search/columns/people-columns.ts';

/** A store for one test of the search engine, and indices that follow it. */
export interface SearchStore {
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly failures: Error[];
  memory(): Promise<RunningPeopleIndex>;
  engine(url: string, options?: Partial<EngineIndexOptions>): RunningPeopleIndex;
  /** Inserts people and companies; returns the numbers that they got. */
  addPeople(people: readonly Partial<IndexedPerson>[]): Promise<number[]>;
  addCompanies(companies: readonly Partial<IndexedCompany>[]): Promise<number[]>;
  removePeople(personNos: readonly number[]): Promise<void>;
  /** Returns everyone and every company, for `plainSearch`. */
  read(): Promise<{
    readonly people: readonly IndexedPerson[];
    readonly companies: ReadonlyMap<number, IndexedCompany>;
  }>;
  close(): Promise<void>;
}

interface EngineIndexOptions {
  readonly prefix: string;
  readonly refreshIntervalMs: number;
  readonly shards: number;
  readonly settledAfterMs: number;
}

export const soon = { deadlineMs: 120_000, everyMs: 50 };

export function engineAt(url: string): SearchEngine {
  return openEngine({ url, user: undefined, password: undefined, ca: undefined });
}

export async function openSearchStore(): Promise<SearchStore> {
  const database = await createTestDatabase('enrichment');
  const { databaseUrl } = database;
  const open = (name: string) =>
    openPostgres({
      connectionString: databaseUrl,
      schema: 'enrichment',
      applicationName: `search-engine-test-${name}`,
      connectionsMax: 4,
      onIdleError: () => undefined,
    });
  const pool = open('store');
  const { rows } = await pool.query<{ source_id: number }>(
    "INSERT INTO source (kind, name, licence, retrieved_on) VALUES ('synthetic', 'test', 'none', '2026-01-01') RETURNING source_id",
  );
  const sourceId = rows[0]?.source_id;
  const running: RunningPeopleIndex[] = [];
  const failures: Error[] = [];
  const fail = (error: Error) => void failures.push(error);
  const start = (index: RunningPeopleIndex) => {
    running.push(index);
    index.start();
    return index;
  };
  return {
    databaseUrl,
    pool,
    failures,
    async memory() {
      const index = start(
        createPeopleIndex({
          ...{ databaseUrl, peopleMax: 1_000_000, refreshIntervalMs: 20 },
          events: {
            peopleIndexCrashed: fail,
            peopleIndexReadFailed: fail,
            peopleIndexLoaded: () => undefined,
            peopleIndexFull: () => undefined,
          },
        }),
      );
      await untilReady(index);
      return index;
    },
    engine: (url, { prefix = 'test', refreshIntervalMs = 100, shards = 1, ...settled } = {}) =>
      start(
        createEnginePeopleIndex({
          engine: engineAt(url),
          ...{ prefix, shards, pool: open('feed'), refreshIntervalMs, removalDays: 30, ...settled },
          events: {
            searchEngineLoaded: () => undefined,
            searchEngineFailed: () => undefined,
            searchFeedFailed: fail,
          },
        }),
      ),
    async addPeople(people) {
      const records = people.map(person => {
        const id = newId('person');
        return { fullName: 'Some Body', keywords: [], ...person, id, profileKey: `people.example/in/${id}` };
      });
      const { rows: added } = await pool.query<{ person_no: number }>(
        `INSERT INTO person (person_id, profile_key, profile_url, full_name, job_title, seniority, department, company_no,
           company_name, country, region, city, keywords, source_id)
         SELECT id, "profileKey", 'https://' || "profileKey", "fullName", "jobTitle", seniority, department, "companyNo",
           "companyName", country, region, city, keywords, $2
         FROM jsonb_to_recordset($1) AS record (id text, "profileKey" text, "fullName" text, "jobTitle" text,
           seniority text, department text, "companyNo" integer, "companyName" text, country text, region text,
           city text, keywords text[]) RETURNING person_no`,
        [JSON.stringify(records), sourceId],
      );
      return added.map(row => row.person_no);
    },
    async addCompanies(companies) {
      const records = companies.map(company => {
        const id = newId('company');
        return { name: 'Some Company', technologies: [], domain: `${id}.example`, ...company, id };
      });
      const { rows: added } = await pool.query<{ company_no: number }>(
        `INSERT INTO company (company_id, domain, name, industry, company_size, revenue, company_type, founded_year,
           funding_usd, technologies, source_id)
         SELECT id, domain, name, industry, "companySize", revenue, "companyType", "foundedYear",
           "fundingUsd", technologies, $2
         FROM jsonb_to_recordset($1) AS record (id text, domain text, name text, industry text, "companySize" text,
           revenue text, "companyType" text, "foundedYear" integer, "fundingUsd" bigint,
           technologies text[]) RETURNING company_no`,
        [JSON.stringify(records), sourceId],
      );
      return added.map(row => row.company_no);
    },
    async removePeople(personNos) {
      await pool.query(
        'WITH gone AS (DELETE FROM person WHERE person_no = ANY($1) RETURNING person_no) INSERT INTO removed_record (person_no) SELECT person_no FROM gone',
        [personNos],
      );
    },
    async read() {
      const people = await pool.query<IndexedPerson>(
        `SELECT person_no AS "personNo", full_name AS "fullName", job_title AS "jobTitle", seniority, department,
           company_no AS "companyNo", company_name AS "companyName", country, region, city, keywords
         FROM person WHERE person_no > 0 ORDER BY person_no`,
      );
      const companies = await pool.query<IndexedCompany>(
        `SELECT company_no AS "companyNo", name, domain, company_size AS "companySize", revenue,
           company_type AS "companyType", industry, technologies, founded_year AS "foundedYear",
           funding_usd::float8 AS "fundingUsd"
         FROM company WHERE company_no > 0`,
      );
      return { people: people.rows, companies: new Map(companies.rows.map(row => [row.companyNo, row])) };
    },
    async close() {
      await Promise.all(running.map(index => index.close()));
      await pool.end();
      await database.drop();
    },
  };
}

export function untilReady(index: RunningPeopleIndex) {
  return waitFor('The index is ready', () => index.status().state === 'ready', soon);
}

/** Waits until the index has everything that is committed now. */
export async function untilFollowed(index: RunningPeopleIndex): Promise<void> {
  const now = new Date();
  await waitFor(
    'The index has followed',
    () => {
      const status = index.status();
      return status.state === 'ready' && status.refreshedAt > now;
    },
    soon,
  );
}
