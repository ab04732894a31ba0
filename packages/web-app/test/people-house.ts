import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operate, waitFor } from '@mailproof/dev-house';
import pg from 'pg';
import type { APIRequestContext } from 'playwright-core';
import { type AppHouse, openAppHouse } from './app-house.ts';

/** Text that would be a script if a page treated it as markup. */
export const script = '<img src=x onerror=alert(1)>"><script>alert(2)</script>';
export const longWord = 'Donaudampfschifffahrt'.repeat(24).slice(0, 500);

const invented = 3_000;
/** The domain of a company whose people have malicious names. */
export const oddDomain = 'odd-names.test';
const oddPeople = 4;

/** Starts the whole system with people to find. */
export async function openPeopleHouse(): Promise<AppHouse> {
  const app = await openAppHouse({
    only: ['gateway', 'credit-ledger', 'enrichment', 'webhook-dispatcher'],
    env: {
      // The browser and the test share a session.
      gateway: { SESSION_REQUESTS_PER_SECOND_MAX: '200' },
      enrichment: { PEOPLE_INDEX_REFRESH_MS: '200' },
    },
  });
  try {
    await operate(app.house, ['synthesize', 'people', String(invented), '--companies', '300', '--json']);
    await loadOddPeople(app);
    const { context } = await app.signedIn(await app.customer(), '/');
    await waitFor(
      'people to be found',
      async () => {
        const counts = await post<{ total?: number }>(app, context.request, '/people-counts', {
          filters: {},
        }).catch(() => undefined);
        return counts?.total === invented + oddPeople;
      },
      { deadlineMs: 60_000 },
    );
    await context.close();
    return app;
  } catch (error) {
    await app.stop();
    throw error;
  }
}

/** Sends a request with the session of a page, outside the page. */
export async function post<Answer>(
  { url }: Pick<AppHouse, 'url'>,
  request: APIRequestContext,
  path: string,
  body: object,
): Promise<Answer> {
  const answer = await request.post(`${url}/v1${path}`, {
    data: body,
    headers: { origin: new URL(url).origin },
  });
  if (!answer.ok()) throw new Error(`${path} was answered with ${answer.status()}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

/** Keeps every run from saving people, until it is released. */
export async function holdRuns({ house }: AppHouse): Promise<() => Promise<void>> {
  const client = new pg.Client({
    connectionString: house.databaseUrls['enrichment']?.migrationDatabaseUrl ?? '',
    options: '-c search_path=enrichment',
  });
  await client.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE saved_person IN SHARE ROW EXCLUSIVE MODE');
  return () => client.end();
}

/** Uses up the account's free previews. */
export async function useUpPreviews({ house }: AppHouse, accountId: string): Promise<void> {
  const client = new pg.Client({
    connectionString: house.databaseUrls['ledger']?.migrationDatabaseUrl ?? '',
    options: '-c search_path=ledger',
  });
  await client.connect();
  try {
    await client.query('UPDATE allowance SET used = allowed WHERE account_id = $1', [accountId]);
  } finally {
    await client.end();
  }
}

async function loadOddPeople({ house }: AppHouse): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mailproof-people-'));
  try {
    const names = [script, longWord.slice(0, 180), 'Ordinary Person', '=HYPERLINK("https://evil.test")'];
    const rows = names.map((name, index) => ({
      name,
      profile_url: `https://www.linkedin.com/in/odd-person-${index}`,
      job_title: index === 0 ? script : `${longWord.slice(0, 150)} ${index}`,
      headline: script,
      city: index === 0 ? script : 'Odd Town',
      country: 'Germany',
      company: index === 1 ? longWord.slice(0, 180) : script,
      company_domain: oddDomain,
      keywords: 'oddity',
    }));
    const path = join(folder, 'people.ndjson');
    await writeFile(path, rows.map(row => `${JSON.stringify(row)}\n`).join(''));
    const said = ['--source', 'Odd register', '--licence', 'CC0-1.0', '--date', '2026-03-01'];
    await operate(house, ['import', 'people', path, ...said, '--json']);
  } finally {
    await rm(folder, { recursive: true });
  }
}
