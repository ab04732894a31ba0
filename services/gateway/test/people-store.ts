import { newId } from '@mailproof/shared-types';
import pg from 'pg';
import type { Person, TestHouse } from './house.ts';
import { until } from './until.ts';

/** The profile store of a test house, with invented people in it. */
export interface PeopleStore {
  readonly pool: pg.Pool;
  /** Adds people who are found by the domain of their company, which is answered, and waits until they are. */
  add(people: number): Promise<string>;
  close(): Promise<void>;
}

/** Titles, and the words of the vocabularies that belong to them, in turn. */
const insertPeople = `
  INSERT INTO person (person_id, profile_key, profile_url, full_name, headline, job_title, seniority, department,
    company_no, company_name, country, region, city, keywords, website, follower_count, connection_count,
    profile_badges, is_synthetic, source_id)
  SELECT 'pers_' || md5($1 || '/' || i), $1 || '/' || i, 'https://profiles.example/' || $1 || '/' || i,
    'Person ' || lpad(i::text, 6, '0'), 'Headline ' || i,
    (ARRAY['Head of Sales', 'Software Engineer', 'Accountant'])[1 + i % 3],
    (ARRAY['director', 'senior', 'entry'])[1 + i % 3], (ARRAY['sales', 'engineering', 'finance'])[1 + i % 3],
    $2, 'Company of ' || $1, (ARRAY['DE', 'FR'])[1 + i % 2], 'Region', 'City', ARRAY['invented', 'person'],
    'https://person.example/', i, 2 * i, ARRAY['badge'], true, $3
  FROM generate_series(1, $4::int) AS i`;

const insertCompany = `
  INSERT INTO company (company_id, domain, name, website, description, industry, company_type, employee_count,
    company_size, annual_revenue_usd, revenue, country, is_synthetic, source_id)
  VALUES ($1, $2, 'Company of ' || $2, 'https://' || $2 || '/', 'Invents people.', 'software', 'private', 60, '51-200',
    2000000, '$1-10M', 'DE', true, $3)
  RETURNING company_no`;

export async function openPeopleStore(test: TestHouse): Promise<PeopleStore> {
  const pool = new pg.Pool({
    connectionString: test.house.databaseUrls['enrichment']?.databaseUrl ?? '',
    options: '-c search_path=enrichment',
    max: 4,
  });
  // Whoever kills Postgres or the house in a test is not surprised by it.
  pool.on('error', () => undefined);
  const { rows } = await pool.query<{ source_id: number }>(
    `INSERT INTO source (kind, name, licence, retrieved_on) VALUES ('synthetic', 'A test', 'CC0-1.0', '2026-01-01')
     RETURNING source_id`,
  );
  const sourceId = rows[0]?.source_id;
  const watcher = await (await test.owner()).signIn();
  const findable = async (domain: string) => {
    const { body } = await watcher.post('/people-counts', { filters: { company_domains: [domain] } });
    return body['total'];
  };
  return {
    pool,
    async add(people) {
      const domain = `${newId('company').slice(5)}.example`;
      const made = await pool.query<{ company_no: number }>(insertCompany, [
        newId('company'),
        domain,
        sourceId,
      ]);
      await pool.query(insertPeople, [domain, made.rows[0]?.company_no, sourceId, people]);
      await until(
        `${people} people in the index`,
        () => findable(domain),
        total => total === people,
        60_000,
      );
      return domain;
    },
    close: () => pool.end(),
  };
}

/** An owner who has signed in, of a new account with so many credits. */
export async function ownerWith(test: TestHouse, credits: number): Promise<Person> {
  const { accountId } = await test.open({ credits });
  return (await test.owner({ accountId })).signIn();
}

/** Waits until a run has ended, and answers it. */
export async function untilRunEnded(
  person: Person,
  runId: string,
  timeoutMs = 60_000,
): Promise<Record<string, unknown>> {
  return until(
    'the end of the run',
    async () => (await person.get(`/discovery-runs/${runId}`)).body,
    ({ state }) => ['succeeded', 'failed', 'cancelled'].includes(String(state)),
    timeoutMs,
  );
}
