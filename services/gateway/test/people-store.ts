import { countPeople, forwarded, newId, type OperationRequest } from '@mailproof/shared-types';
import pg from 'pg';
import { openSharedHouse, type Person, type TestHouse } from './house.ts';
import { peerOf } from './peer-of.ts';
import { until } from './until.ts';

/** The profile store of a test house, with invented people in it. */
export interface PeopleStore {
  readonly pool: pg.Pool;
  /** Adds people of one company, waits until they can be found by its domain, and returns the domain. */
  add(people: number): Promise<string>;
  /** Waits until every replica of the search has this many people of a company: each loads its own index. */
  untilFound(domain: string, people: number): Promise<void>;
  close(): Promise<void>;
}

/** A whole system with people of one company, and a high request rate per session. */
export interface PeopleHouse {
  readonly test: TestHouse;
  readonly store: PeopleStore;
  /** The company's domain, by which its people are found. */
  readonly domain: string;
  stop(): Promise<void>;
}

/** Uses the shared house unless another is given, which then stops together with this one. */
export async function openPeopleHouse(
  people: number,
  opening: Promise<TestHouse> = openSharedHouse(),
): Promise<PeopleHouse> {
  const test = await opening;
  try {
    const store = await openPeopleStore(test);
    const domain = await store.add(people);
    const stop = async () => {
      await store.close();
      await test.stop();
    };
    return { test, store, domain, stop };
  } catch (error) {
    await test.stop();
    throw error;
  }
}

/** Cycles through titles and their matching vocabulary terms. */
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
  // A test that kills Postgres or the house expects these errors.
  pool.on('error', () => undefined);
  const { rows } = await pool.query<{ source_id: number }>(
    `INSERT INTO source (kind, name, licence, retrieved_on) VALUES ('synthetic', 'A test', 'CC0-1.0', '2026-01-01')
     ON CONFLICT (kind, name, licence, retrieved_on, fingerprint) DO UPDATE SET name = excluded.name
     RETURNING source_id`,
  );
  const sourceId = rows[0]?.source_id;
  const watcher = await test.owner();
  const question = forwarded(countPeople);
  const params = { accountId: watcher.accountId, callerId: watcher.userId };
  const replicas = await Promise.all(
    Object.keys(test.house.services)
      .filter(name => name.startsWith('enrichment'))
      .map(name => peerOf(test.house, 'gateway', 'enrichment', name)),
  );
  const count = (domain: string) => {
    const body = { filters: { company_domains: [domain] } };
    const request = { params, query: {}, body } as OperationRequest<typeof question>;
    const asked = replicas.map(replica => replica.ask(question, request));
    // A replica that is starting or loading answers with a problem.
    return Promise.all(asked.map(answer => answer.then(({ total }) => total, String)));
  };
  const untilFound = async (domain: string, people: number) => {
    const areAll = (totals: unknown[]) => totals.every(total => total === people);
    await until(`${people} people in each index`, () => count(domain), areAll);
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
      await untilFound(domain, people);
      return domain;
    },
    untilFound,
    async close() {
      await Promise.all(replicas.map(replica => replica.close()));
      await pool.end();
    },
  };
}

/** A signed-in owner of a new account with the given credits. */
export async function ownerWith(test: TestHouse, credits: number): Promise<Person> {
  const { accountId } = await test.open({ credits });
  return (await test.owner({ accountId })).signIn();
}

/** Waits until a run has ended, and returns it. */
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
