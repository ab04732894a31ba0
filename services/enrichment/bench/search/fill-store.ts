import { newId } from '@mailproof/shared-types';
import type pg from 'pg';
import { syntheticCompany } from '../../src/fixtures/synthetic-company.ts';
import { syntheticPerson } from '../../src/fixtures/synthetic-person.ts';

const rowsPerStatement = 5_000;

export interface Fill {
  readonly people: number;
  readonly companies: number;
  readonly seed: number;
}

/** Fills the store with generated people and companies, bypassing the import: only the search is measured. */
export async function fillStore(pool: pg.Pool, fill: Fill, signal: AbortSignal): Promise<void> {
  const { rows } = await pool.query<{ source_id: number }>(
    "INSERT INTO source (kind, name, licence, retrieved_on) VALUES ('synthetic', 'bench', 'none', '2026-01-01') RETURNING source_id",
  );
  const sourceId = rows[0]?.source_id ?? 0;
  for (let from = 0; from < fill.companies; from += rowsPerStatement) {
    signal.throwIfAborted();
    await insertCompanies(pool, sourceId, fill, from);
  }
  let next = 0;
  const insertInTurn = async (): Promise<void> => {
    while (next < fill.people) {
      signal.throwIfAborted();
      const from = next;
      next += rowsPerStatement;
      await insertPeople(pool, sourceId, fill, from, Math.min(rowsPerStatement, fill.people - from));
    }
  };
  // Two connections keep Postgres busy while people are generated, and two cores.
  await Promise.all([insertInTurn(), insertInTurn()]);
}

/** Passes one JSON parameter: keyword lists have different lengths, which `unnest` does not accept. */
async function insertCompanies(pool: pg.Pool, sourceId: number, fill: Fill, from: number): Promise<void> {
  const length = Math.min(rowsPerStatement, fill.companies - from);
  const records = Array.from({ length }, (_, index) => ({
    id: newId('company'),
    ...syntheticCompany(fill.seed, from + index),
  }));
  await pool.query(
    `INSERT INTO company (company_id, domain, name, industry, company_size, revenue, company_type, country, region,
       city, keywords, description, founded_year, technologies, source_id, is_synthetic)
     SELECT id, domain, name, industry, "companySize", revenue, "companyType", country, region, city, keywords,
       description, "foundedYear", technologies, $2, true
     FROM jsonb_to_recordset($1) AS record (id text, domain text, name text, industry text, "companySize" text,
       revenue text, "companyType" text, country text, region text, city text, keywords text[], description text,
       "foundedYear" integer, technologies text[])`,
    [JSON.stringify(records), sourceId],
  );
}

/** Inserts people from an index on; those beyond `fill.people` are new. */
export async function insertPeople(
  pool: pg.Pool,
  sourceId: number,
  fill: Fill,
  from: number,
  length: number,
): Promise<void> {
  const records = Array.from({ length }, (_, index) => ({
    id: newId('person'),
    ...syntheticPerson(fill.seed, from + index, fill.companies),
  }));
  await pool.query(
    `INSERT INTO person (person_id, profile_key, profile_url, full_name, headline, job_title, seniority, department,
       company_no, company_name, country, region, city, keywords, source_id, is_synthetic)
     SELECT id, "profileKey", "profileUrl", "fullName", headline, "jobTitle", seniority, department, company_no,
       "companyName", record.country, record.region, record.city, record.keywords, $2, true
     FROM jsonb_to_recordset($1) AS record (id text, "profileKey" text, "profileUrl" text, "fullName" text, headline text,
       "jobTitle" text, seniority text, department text, "companyName" text, "companyDomain" text, country text,
       region text, city text, keywords text[]) LEFT JOIN company ON company.domain = "companyDomain"`,
    [JSON.stringify(records), sourceId],
  );
}
