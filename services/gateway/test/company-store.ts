import {
  beginCompanySearch,
  type CompanySearchFilters,
  countCompanies,
  newId,
} from '@mailproof/shared-types';
import pg from 'pg';
import type { Person, TestHouse } from './house.ts';
import { until } from './until.ts';

/** The profile store of a test house, with invented companies in it. */
export interface CompanyStore {
  readonly pool: pg.Pool;
  /** Adds companies, waits until they can be found, and returns the keyword that only they have. */
  add(companies: number): Promise<string>;
  close(): Promise<void>;
}

const insertCompanies = `
  INSERT INTO company (company_id, domain, name, website, description, industry, company_type, employee_count,
    company_size, annual_revenue_usd, revenue, funding_usd, founded_year, country, region, city, keywords, technologies,
    is_synthetic, source_id)
  SELECT 'comp_' || md5($1 || '/' || i), $1 || '-' || i || '.example', 'Company ' || lpad(i::text, 6, '0'),
    'https://' || $1 || '-' || i || '.example/', 'Makes thing ' || i || '.',
    (ARRAY['software', 'logistics', 'retail'])[1 + i % 3], 'private', 60, (ARRAY['11-50', '51-200'])[1 + i % 2],
    2000000, '$1-10M', 1000000 * (i % 4), 1990 + i % 30, (ARRAY['DE', 'FR'])[1 + i % 2], 'Region', 'City',
    ARRAY[$1, 'things'], ARRAY['Salesforce'], true, $2
  FROM generate_series(1, $3::int) AS i`;

export async function openCompanyStore(test: TestHouse): Promise<CompanyStore> {
  const pool = new pg.Pool({
    connectionString: test.house.databaseUrls['enrichment']?.databaseUrl ?? '',
    options: '-c search_path=enrichment',
    max: 4,
  });
  // A test that kills Postgres or the house expects these errors.
  pool.on('error', () => undefined);
  const { rows } = await pool.query<{ source_id: number }>(
    `INSERT INTO source (kind, name, licence, retrieved_on) VALUES ('synthetic', 'A test', 'CC0-1.0', '2026-01-01')
     ON CONFLICT (kind, name, licence, retrieved_on, fingerprint) DO UPDATE SET name = excluded.name
     RETURNING source_id`,
  );
  const watcher = await (await test.owner()).signIn();
  return {
    pool,
    async add(companies) {
      const keyword = `k${newId('company').slice(5)}`;
      await pool.query(insertCompanies, [keyword, rows[0]?.source_id, companies]);
      await untilCompaniesFound(watcher, { keywords: [keyword] }, companies);
      return keyword;
    },
    close: () => pool.end(),
  };
}

/** Waits until the search has learned of a change of the store. */
export async function untilCompaniesFound(
  person: Person,
  filters: CompanySearchFilters,
  companies: number,
): Promise<void> {
  await until(
    `${companies} companies in the index`,
    async () => (await person.post('/company-counts', { filters })).body['total'],
    total => total === companies,
  );
}

export async function countedCompanies(person: Person, filters: object) {
  return countCompanies.success.schema.parse((await person.post('/company-counts', { filters })).body);
}

export async function beginSearchOfCompanies(
  person: Person,
  filters: object,
  headers: Record<string, string> = {},
) {
  const { status, body } = await person.post('/company-searches', { name: 'Companies', filters }, headers);
  if (status !== 201) {
    throw new Error(`A company search was answered with ${status} ${JSON.stringify(body)}.`);
  }
  return beginCompanySearch.success.schema.parse(body);
}
