import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectRoot, waitFor } from '@mailproof/dev-house';
import { type AccountId, newId, sandboxAccountOf, sandboxDomain, toolNames } from '@mailproof/shared-types';
import pg from 'pg';
import { type Customer, openSharedToolHouse, type ToolHouse } from './house.ts';
import { callTool, connect, structuredContent } from './oauth-client.ts';

/* The tools for profiles and people in the sandbox: what a call names decides (docs/sandbox.md). */

const credits = 20;
const harbor = `harbor.${sandboxDomain}`;
const companies = ['harbor', 'meadow', 'quarry', 'lantern'].map(label => `${label}.${sandboxDomain}`);
const profileOf = (name: string) => `https://people.${sandboxDomain}/${name}`;

interface Envelope {
  readonly ok: boolean;
  readonly status: number;
  readonly data: Record<string, unknown>;
  readonly usage: Record<string, unknown>;
}

interface Person {
  readonly name: string;
  readonly company: { readonly domain: string };
  readonly is_synthetic: boolean;
}

let house: ToolHouse;
let enrichment: pg.Pool;
let ledger: pg.Pool;
let owner: Customer;
let call: (name: string, args: object) => Promise<Envelope>;

beforeAll(async () => {
  house = await openSharedToolHouse();
  const poolOf = (name: 'enrichment' | 'ledger') =>
    new pg.Pool({
      connectionString: house.house.databaseUrls[name]?.migrationDatabaseUrl ?? '',
      options: `-c search_path=${name}`,
      max: 2,
    });
  enrichment = poolOf('enrichment');
  ledger = poolOf('ledger');
  owner = await house.customer({ credits });
  const { accessToken } = await connect(house, owner, { scope: 'profiles.enrich leads.search' });
  await addLivePerson();
  call = async (name, args) =>
    structuredContent(await callTool(house.url, accessToken, name, args)) as unknown as Envelope;
});

afterAll(async () => {
  await enrichment?.end();
  await ledger?.end();
  await house?.stop();
});

/** Adds a person of the store in the job of a person of the sandbox, and waits until live searches find them. */
async function addLivePerson(): Promise<void> {
  const key = newId('person').slice(5);
  await enrichment.query(
    `WITH added AS (
       INSERT INTO source (kind, name, licence, retrieved_on) VALUES ('synthetic', 'Tools', 'CC0-1.0', '2026-01-01')
       ON CONFLICT (kind, name, licence, retrieved_on, fingerprint) DO UPDATE SET name = excluded.name
       RETURNING source_id)
     INSERT INTO person (person_id, profile_key, profile_url, full_name, job_title, is_synthetic, source_id)
     SELECT 'pers_' || $1, 'profiles.example/' || $1, 'https://profiles.example/' || $1, $1, 'Head of Sales', true,
       source_id FROM added`,
    [key],
  );
  await waitFor(
    'The live person can be found',
    async () => {
      const filters = { person_names: [key] };
      const { total } = (await live('/people-counts', { filters })) as { total?: number };
      return total === 1 ? total : undefined;
    },
    { deadlineMs: 90_000 },
  );
}

const search = (...company_domains: string[]) => call('svc_search_people', { company_domains });
const accountId = () => owner.accountId as AccountId;

/** What the ledger has recorded for the account and its sandbox. */
async function recorded(): Promise<Record<string, number>> {
  const { rows } = await ledger.query(
    `SELECT (SELECT count(*)::int FROM entry WHERE account_id = ANY ($1)) AS entries,
            (SELECT count(*)::int FROM hold WHERE account_id = ANY ($1)) AS holds,
            (SELECT count(*)::int FROM allowance_use WHERE account_id = ANY ($1)) AS previews`,
    [[accountId(), sandboxAccountOf(accountId())]],
  );
  return rows[0];
}

async function expectsNothingRecorded<Result>(make: () => Promise<Result>): Promise<Result> {
  const before = await recorded();
  const result = await make();
  expect(await recorded()).toEqual(before);
  return result;
}

/** Asks the REST interface with the account's live key. */
async function live(path: string, body?: object): Promise<unknown> {
  const url = `${house.house.services['gateway']?.url}/api/v1${path}`;
  const headers = { 'x-api-key': owner.apiKey, 'content-type': 'application/json' };
  const post = body && { method: 'POST', body: JSON.stringify(body) };
  return (await fetch(url, { headers, ...post })).json();
}

const errors = [
  ['error-402', 402, 'Not enough credits'],
  ['error-429', 429, 'Wait 1 second'],
  ['error-500', 500, ''],
  ['error-503', 503, ''],
] as const;

describe('svc_enrich_profile', () => {
  it.each([profileOf('ada-birch'), ` PEOPLE.${sandboxDomain.toUpperCase()}./ada-birch/ `])(
    'finds a person of the sandbox at %s, free of charge',
    async profile_url => {
      const found = await expectsNothingRecorded(() => call('svc_enrich_profile', { profile_url }));
      expect(found).toMatchObject({
        ok: true,
        data: {
          found: true,
          profile: { full_name: 'Ada Birch', company_domain: harbor, is_synthetic: true },
        },
        usage: { creditsConsumed: 0, creditsRemaining: credits },
      });
    },
  );

  it('finds a company of the sandbox, and answers what is not found and what is no profile', async () => {
    const [company, unknown, none] = await expectsNothingRecorded(() =>
      Promise.all(
        [`https://${harbor}/`, profileOf('not-found'), profileOf('no-one')].map(profile_url =>
          call('svc_enrich_profile', { profile_url }),
        ),
      ),
    );
    expect(company).toMatchObject({ data: { profile: { company: 'Harbor Software' } } });
    expect(unknown).toMatchObject({
      data: { found: false, profile: {} },
      usage: { creditsConsumed: 0, creditsRemaining: credits },
    });
    expect(none).toMatchObject({ ok: false, status: 400 });
  });

  it.each(errors)('is refused with %s on request', async (name, status, words) => {
    const refused = await expectsNothingRecorded(() =>
      call('svc_enrich_profile', { profile_url: profileOf(name) }),
    );
    expect(refused).toMatchObject({ ok: false, status, data: { error: expect.stringContaining(words) } });
  });

  it.each([
    `https://people.${sandboxDomain}@linkedin.com/in/ada-lovelace`,
    `https://www.linkedin.com/in/ada-lovelace?from=people.${sandboxDomain}`,
    `https://people.${sandboxDomain}.example/ada-birch`,
    `https://x${sandboxDomain}/ada-birch`,
  ])('never takes %s for a profile of the sandbox', async profile_url => {
    const { data, status } = await call('svc_enrich_profile', { profile_url });
    expect([200, 400]).toContain(status);
    if (status === 200) expect(data).toEqual({ found: false, profile: {} });
  });
});

describe('the tools for companies', () => {
  it('find the companies of the sandbox and no other, free of charge', async () => {
    const found = await expectsNothingRecorded(() =>
      call('svc_search_companies', { company_domains: companies }),
    );
    expect(found).toMatchObject({
      ok: true,
      data: { total: 4, estimate: { price: 0, credits_max: 0 }, preview: { credits: 0 } },
      usage: { creditsConsumed: 0 },
    });
    const similar = await expectsNothingRecorded(() =>
      call('svc_find_similar_companies', { seed_domains: [`https://${harbor}/about`] }),
    );
    expect(similar).toMatchObject({
      ok: true,
      data: { matches: 3, seeds: [{ domain: harbor, use: 'used' }], credits_per_company: 0 },
      usage: { creditsConsumed: 0 },
    });
    expect(await live('/company-searches')).toEqual({ searches: [] });
    expect(await live('/lookalike-searches')).toEqual({ searches: [] });
    const mixed = await call('svc_find_similar_companies', { seed_domains: [harbor, 'ordinary.example'] });
    expect(mixed).toMatchObject({ ok: false, status: 400 });
  });

  it.each(errors)('are refused with %s on request', async (name, status, words) => {
    const domain = `${name}.${sandboxDomain}`;
    const [searched, similar] = await expectsNothingRecorded(() =>
      Promise.all([
        call('svc_search_companies', { company_domains: [domain] }),
        call('svc_find_similar_companies', { seed_domains: [domain] }),
      ]),
    );
    expect(searched).toMatchObject({ ok: false, status, data: { error: expect.stringContaining(words) } });
    // A free search cannot cost too many credits: the domain is an unknown seed.
    expect(similar).toMatchObject({ ok: false, status: status === 402 ? 422 : status });
  });
});

describe('svc_search_people', () => {
  it('finds the people of the sandbox and no other, free of charge, and leaves no search in the account', async () => {
    const found = await expectsNothingRecorded(() => search(...companies.map(each => each.toUpperCase())));
    expect(found).toMatchObject({
      ok: true,
      status: 201,
      data: { total: 20, estimate: { price: 0, credits_max: 0 }, preview: { credits: 0, previews_left: 50 } },
      usage: { creditsConsumed: 0 },
    });
    const more = await expectsNothingRecorded(() =>
      call('svc_get_more_people', { search_id: found.data['search_id'], cursor: found.data['next_cursor'] }),
    );
    expect(more).toMatchObject({ ok: true, usage: { creditsConsumed: 0 } });
    expect(more.data).not.toHaveProperty('next_cursor');
    const people = [found, more].map(({ data }) => data['people'] as Person[]);
    expect(people.map(page => page.length)).toEqual([10, 10]);
    expect(new Set(people.flat().map(each => each.company.domain))).toEqual(new Set(companies));
    expect(people.flat().every(each => each.is_synthetic)).toBe(true);
    const { rows } = await enrichment.query(
      'SELECT DISTINCT account_id FROM discovery_search WHERE account_id = ANY ($1)',
      [[accountId(), sandboxAccountOf(accountId())]],
    );
    expect(rows).toEqual([{ account_id: sandboxAccountOf(accountId()) }]);
    expect(await live('/people-searches')).toEqual({ searches: [] });
    expect(await live('/saved-people')).toMatchObject({ people: [], total: 0 });
  });

  it('has the other filters of a live search, and is free for any `max_credits`', async () => {
    const filters = { company_domains: [harbor], job_titles: ['head of sales'], max_credits: 10 };
    const found = await expectsNothingRecorded(() => call('svc_search_people', filters));
    expect(found.data).toMatchObject({ total: 1, people: [{ name: 'Boris Cedar' }] });
    const others = { excluded_company_domains: [harbor] };
    expect((await call('svc_search_people', others)).data['total']).toBe(15);
    const unknown = { company_domains: [harbor], countries: ['ATLANTIS'] };
    expect(await call('svc_search_people', unknown)).toMatchObject({ ok: false, status: 422 });
  });

  it('finds its search again when it is repeated', async () => {
    const [one, other] = [await search(harbor), await search(harbor)];
    expect(other.data['search_id']).toBe(one.data['search_id']);
  });

  it.each([
    { company_domains: [harbor, 'ordinary.example'] },
    { company_domains: [harbor], excluded_company_domains: ['ordinary.example'] },
    { company_domains: ['ordinary.example'], excluded_company_domains: [harbor] },
  ])('is refused if it names other companies too: %j', async filters => {
    const refused = await expectsNothingRecorded(() => call('svc_search_people', filters));
    expect(refused).toMatchObject({
      ok: false,
      status: 400,
      data: { error: expect.stringMatching(/companies of the sandbox .* and others.*Nothing was charged/) },
    });
  });

  it.each([...errors, ['not-ready', 503, '']] as const)(
    'is refused with %s on request',
    async (name, status, words) => {
      const refused = await expectsNothingRecorded(() => search(`${name}.${sandboxDomain}`));
      expect(refused).toMatchObject({ ok: false, status, data: { error: expect.stringContaining(words) } });
    },
  );

  it('searches live people, and no one of the sandbox, if it names no company there', async () => {
    const invented = await call('svc_search_people', { person_names: ['ada birch'] });
    expect(invented.data).toMatchObject({ total: 0, estimate: { price: 1 } });
    expect((await search(`${sandboxDomain}.example`)).data).toMatchObject({
      total: 0,
      estimate: { price: 1 },
    });
  });
});

it('docs/sandbox.md has a row for each tool', () => {
  const page = readFileSync(join(projectRoot, 'docs/sandbox.md'), 'utf8');
  const rows = page.split('\n').filter(line => line.startsWith('| `svc_'));
  const named = rows.flatMap(row =>
    [...(row.split(' | ')[0] ?? '').matchAll(/`(svc_\w+)`/g)].map(each => each[1]),
  );
  expect(named.sort()).toEqual([...toolNames].sort());
  expect(page).toContain(profileOf('not-found'));
});
