import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operate, waitFor } from '@mailproof/dev-house';
import type { APIRequestContext } from 'playwright-core';
import { type AppHouse, openAppHouse } from './app-house.ts';

/** Text that would be a script if a page treated it as markup. */
export const script = '<img src=x onerror=alert(1)>"><script>alert(2)</script>';
export const longWord = 'Donaudampfschifffahrt'.repeat(24).slice(0, 500);

/** The whole system with companies and people to find. */
export interface LeadsHouse {
  readonly app: AppHouse;
  /** Synthetic companies of one industry. */
  readonly seeds: readonly string[];
  /** One of several companies in an industry; some of the others have malicious names. */
  readonly haulier: string;
  /** Requests with the session of a page, sent outside the page. */
  ask(context: { readonly request: APIRequestContext }): Asking;
}

export interface Asking {
  get<Answer>(path: string): Promise<Answer>;
  post<Answer>(path: string, body?: object): Promise<Answer>;
}

const trade = 'pallets warehouses freight parcels haulage forklifts customs trucks depots shipping'.split(
  ' ',
);

export async function openLeadsHouse(): Promise<LeadsHouse> {
  const app = await openAppHouse({
    only: ['gateway', 'credit-ledger', 'enrichment', 'webhook-dispatcher'],
    env: {
      gateway: { SESSION_REQUESTS_PER_SECOND_MAX: '1000' },
      enrichment: { LOOKALIKE_REFRESH_INTERVAL_MS: '500', LOOKALIKE_QUESTION_DEADLINE_MS: '60000' },
    },
  });
  try {
    const invented = await operate(app.house, [
      'synthesize',
      'people',
      '3000',
      '--companies',
      '300',
      '--json',
    ]);
    const { examples } = JSON.parse(invented.trim().split('\n').at(-1) ?? '') as {
      examples: { companyDomains: string[] };
    };
    await loadHauliers(app);
    const house = { app, seeds: examples.companyDomains, haulier: 'haulier-1.test', ask: askingOf(app) };
    await untilRanked(house);
    return house;
  } catch (error) {
    await app.stop();
    throw error;
  }
}

function askingOf({ url }: AppHouse) {
  const headers = { origin: new URL(url).origin };
  return ({ request }: { readonly request: APIRequestContext }): Asking => ({
    async get<Answer>(path: string) {
      return (await (await request.get(`${url}/v1${path}`)).json()) as Answer;
    },
    async post<Answer>(path: string, body?: object) {
      const answer = await request.post(`${url}/v1${path}`, { headers, ...(body && { data: body }) });
      if (!answer.ok())
        throw new Error(`POST ${path} was answered with ${answer.status()} ${await answer.text()}`);
      return (await answer.json()) as Answer;
    },
  });
}

/** Loads companies of one industry, and people of one of them, as an operator would; some have malicious names. */
async function loadHauliers({ house }: AppHouse): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mailproof-leads-'));
  async function load(kind: 'companies' | 'people', rows: readonly object[]): Promise<void> {
    const path = join(folder, `${kind}.ndjson`);
    await writeFile(path, rows.map(row => `${JSON.stringify(row)}\n`).join(''));
    const said = ['--source', 'Register of hauliers', '--licence', 'CC0-1.0', '--date', '2026-03-01'];
    await operate(house, ['import', kind, path, ...said, '--json']);
  }
  try {
    await load(
      'companies',
      Array.from({ length: 14 }, (_, index) => haulierOf(index)),
    );
    await load(
      'people',
      Array.from({ length: 5 }, (_, index) => driverOf(index)),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

function haulierOf(index: number) {
  const names: Record<number, string> = { 3: script, 4: longWord.slice(0, 190) };
  return {
    name: names[index] ?? `Haulier ${index}`,
    domain: `haulier-${index}.test`,
    description: `Moves ${trade[index % 10]} and ${trade[(index * 3 + 1) % 10]}, with ${trade.join(', ')}. ${index === 3 ? script : ''}`,
    country: index % 2 === 0 ? 'Germany' : 'France',
    industry: 'logistics and supply chain',
    employees: 10 + index,
  };
}

function driverOf(index: number) {
  const names: Record<number, string> = { 3: script, 4: longWord.slice(0, 190) };
  return {
    name: names[index] ?? `Driver ${index}`,
    profile_url: `https://www.linkedin.com/in/driver-${index}`,
    job_title: index === 3 ? `Driver ${script}` : 'Driver',
    headline: longWord,
    company_domain: 'haulier-1.test',
    company_name: 'Haulier 1',
    country: 'France',
  };
}

async function untilRanked({ app, ask, seeds, haulier }: LeadsHouse): Promise<void> {
  const { context } = await app.signedIn(await app.customer(), '/');
  const { post } = ask(context);
  await waitFor(
    'a ranking of the companies',
    async () => {
      try {
        const both = { name: 'Both', seed_domains: [seeds[0], haulier] };
        const view = await post<{ seeds: { use: string }[] }>('/lookalike-searches', both);
        return view.seeds.every(({ use }) => use === 'used');
      } catch {
        return false;
      }
    },
    { deadlineMs: 120_000 },
  );
  await context.close();
}

/** Saves a number of people who match the filters, as soon as the index finds them. */
export async function savePeople(asking: Asking, people: number, filters: object = {}): Promise<void> {
  await waitFor(
    'an index of people',
    async () => {
      const { total } = await asking
        .post<{ total: number }>('/people-counts', { filters })
        .catch(() => ({ total: 0 }));
      return total >= people;
    },
    { deadlineMs: 60_000 },
  );
  const search = await asking.post<{ search_id: string }>('/people-searches', { name: 'All', filters });
  const run = await asking.post<{ run_id: string }>(`/people-searches/${search.search_id}/runs`, { people });
  await untilRunEnded(asking, run.run_id);
}

export async function untilRunEnded(asking: Asking, runId: string): Promise<void> {
  await waitFor(
    'the end of the run',
    async () => {
      const { ended_at } = await asking.get<{ ended_at: string | null }>(`/discovery-runs/${runId}`);
      return ended_at !== null;
    },
    { deadlineMs: 60_000 },
  );
}
