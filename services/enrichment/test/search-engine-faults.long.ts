import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  operate,
  type PrivateSearchEngine,
  startPrivateSearchEngine,
  startTestHouse,
  waitFor,
} from '@mailproof/dev-house';
import { openPostgres } from '@mailproof/service-kit/postgres';
import type { RunningPeopleIndex } from '../src/adapters/people-index/start-people-index.ts';
import { EngineCopy } from '../src/adapters/search-engine/engine-copy.ts';
import {
  createPeopleIndex,
  FeedClaim,
  peopleIndices,
  readFeedState,
  Superseded,
  searchedIndex,
} from '../src/adapters/search-engine/feed-claim.ts';
import { buildPeople } from '../src/adapters/search-engine/feed-people.ts';
import type { SearchEngine } from '../src/adapters/search-engine/open-engine.ts';
import {
  type EngineNames,
  engineNames,
  peopleIndexBody,
} from '../src/adapters/search-engine/people-mapping.ts';
import { PeopleIndexUnavailable } from '../src/domain/people-search/people-index.ts';
import { plainSearch } from '../src/domain/people-search/testing/plain-search.ts';
import {
  engineAt,
  openSearchStore,
  type SearchStore,
  soon,
  untilFollowed,
  untilReady,
} from './search-engine-store.ts';

let server: PrivateSearchEngine;
let engine: SearchEngine;
let store: SearchStore;
let prefix: string;
let tests = 0;

const countries = ['DE', 'FR', 'US', 'GB', 'LT'];
const titles = ['Engineer', 'CEO', 'Nurse', 'Head of Sales'];

beforeAll(async () => {
  server = await startPrivateSearchEngine(line => process.stderr.write(`${line}\n`));
  engine = engineAt(server.url);
}, 600_000);

afterAll(async () => {
  await engine?.close();
  await server?.stop();
});

beforeEach(async () => {
  tests += 1;
  prefix = `test-${tests}`;
  store = await openSearchStore();
});

afterEach(() => store.close());

const people = (length: number) =>
  Array.from({ length }, (_, at) => ({
    fullName: `Person ${at}`,
    jobTitle: titles[at % titles.length] as string,
    country: countries[at % countries.length] as string,
    keywords: [`k${at % 7}`],
  }));

/** Adds, changes and removes some 200 people a second until it is told to stop; returns how many. */
async function churn(signal: AbortSignal): Promise<number> {
  let changed = 0;
  for (let turn = 0; !signal.aborted; turn += 1) {
    const added = await store.addPeople(people(6));
    await store.pool.query(
      `UPDATE person SET job_title = $1, country = $2, change_no = nextval('record_change_no')
       WHERE person_no IN (SELECT person_no FROM person ORDER BY md5(person_no::text || $3) LIMIT 3)`,
      [titles[turn % titles.length], countries[(turn * 3) % countries.length], String(turn)],
    );
    await store.removePeople(added.slice(0, 1));
    changed += 10;
    await setTimeout(50);
  }
  return changed;
}

async function agrees(index: RunningPeopleIndex): Promise<void> {
  await untilFollowed(index);
  const { people: all, companies } = await store.read();
  for (const filters of [{}, { countries: ['DE'] }, { job_titles: ['ceo'], keywords: ['k1', 'k2'] }]) {
    const plain = plainSearch(all, companies, filters);
    expect(await index.count({ filters, facets: true })).toEqual({
      total: plain.total,
      facets: plain.facets,
    });
    const { personNos } = await index.page({ filters, after: 0, limit: 10_000 });
    expect(personNos).toEqual(plain.personNos);
  }
}

/** Returns where the node keeps a shard. */
async function shardFolder(index: string, shard: number): Promise<string> {
  const { nodes } = await engine.send<{ nodes: Record<string, { settings: { path: { data: [string] } } }> }>(
    'GET',
    '/_nodes/settings',
  );
  const settings = await engine.send<Record<string, { settings: { index: { uuid: string } } }>>(
    'GET',
    `/${index}/_settings`,
  );
  const [node] = Object.values(nodes);
  const [data = ''] = node?.settings.path.data ?? [];
  return join(data, 'nodes/0/indices', settings[index]?.settings.index.uuid ?? '', String(shard));
}

/** What `pnpm ops people-index rebuild` does. */
async function rebuild(names: EngineNames, shards: number): Promise<void> {
  const pool = openPostgres({
    connectionString: store.databaseUrl,
    ...{ schema: 'enrichment', applicationName: 'rebuild-test', connectionsMax: 3 },
    onIdleError: () => undefined,
  });
  const { signal } = new AbortController();
  try {
    await buildPeople({ engine, names, shards, pool, removalDays: 30, signal });
  } finally {
    await pool.end();
  }
}

describe('a search engine that fails', () => {
  it('loses nothing if it is killed while it is fed, and searches are told to retry', async () => {
    await store.addPeople(people(2_000));
    const index = store.engine(server.url, { prefix });
    await untilReady(index);
    const stop = new AbortController();
    const churning = churn(stop.signal);
    try {
      for (let kills = 0; kills < 2; kills += 1) {
        await setTimeout(1_500);
        await server.kill();
        const refused = await index.count({ filters: {} }).catch(error => error);
        expect(refused).toBeInstanceOf(PeopleIndexUnavailable);
        expect(refused).toMatchObject({ reason: 'failed', retryAfterSeconds: 5 });
        await waitFor('The failure shows', () => index.status().state === 'failed', soon);
        await server.restart();
        await untilFollowed(index);
      }
    } finally {
      stop.abort();
      await churning;
    }
    expect(await churning).toBeGreaterThan(100);
    await agrees(index);
    expect(store.failures.length).toBeGreaterThan(0);
  }, 600_000);

  it.each([
    [
      'its disk is full',
      (isFull: boolean, searched: string) =>
        engine.send('PUT', `/${searched}/_settings`, {
          body: { 'index.blocks.read_only_allow_delete': isFull ? true : null },
        }),
    ],
    [
      'it rejects requests',
      (isFull: boolean) => server.restart(isFull ? ['indexing_pressure.memory.limit: 20kb'] : []),
    ],
  ])(
    'gets later what it has no room for while %s',
    async (_name, setFull) => {
      await store.addPeople(people(50));
      const index = store.engine(server.url, { prefix });
      await untilReady(index);
      const searched = (await searchedIndex(engine, engineNames(prefix))) as string;
      await untilFollowed(index);
      await setFull(true, searched);
      await untilFollowed(index);
      const before = store.failures.length;
      await store.addPeople(people(500));
      // Longer than the pauses of one round.
      await waitFor('The feed gives up for now', () => store.failures.length > before, soon);
      expect((await index.count({ filters: {} })).total).toBe(50);
      expect(store.failures.slice(before).map(({ message }) => message)).toEqual([
        'The search engine has had no room for changes for too long.',
      ]);
      await setFull(false, searched);
      await agrees(index);
      expect((await index.count({ filters: {} })).total).toBe(550);
    },
    300_000,
  );

  it('answers nothing while a part of its index is lost, and everything when it is filled again', async () => {
    const [companyNo = 0] = await store.addCompanies([{ name: 'Gone', domain: 'gone.example' }]);
    await store.addPeople(people(300).map(each => ({ ...each, companyNo })));
    const index = store.engine(server.url, { prefix, shards: 2 });
    await untilReady(index);
    await untilFollowed(index);
    const names = engineNames(prefix);
    const searched = (await searchedIndex(engine, names)) as string;
    const refuses = async () => {
      for (const ask of [
        () => index.count({ filters: {}, facets: true }),
        () => index.page({ filters: {}, after: 0, limit: 10 }),
        () => index.vocabulary(),
      ]) {
        const refused = { name: 'PeopleIndexUnavailable', retryAfterSeconds: expect.any(Number) };
        await expect(ask()).rejects.toMatchObject(refused);
      }
    };
    await engine.send('POST', `/${searched}/_close`);
    await refuses();
    await rm(await shardFolder(searched, 1), { recursive: true });
    await engine.send('POST', `/${searched}/_open`, { query: { wait_for_active_shards: 0 } });
    await waitFor(
      'One of two shards is open',
      async () => {
        const health = await engine.send<{ active_shards: number; initializing_shards: number }>(
          'GET',
          `/_cluster/health/${searched}`,
        );
        return health.active_shards === 1 && health.initializing_shards === 0;
      },
      soon,
    );
    await refuses();
    const before = store.failures.length;
    await store.pool.query(
      'WITH gone AS (DELETE FROM company WHERE company_no = $1 RETURNING company_no) INSERT INTO removed_record (company_no) SELECT company_no FROM gone',
      [companyNo],
    );
    await waitFor('The feed fails', () => store.failures.length > before, soon);
    expect(store.failures[before]?.message).toBe(
      'The search engine answered 503 (search_phase_execution_exception).',
    );
    await store.addPeople(people(100));
    await rebuild(names, 2);
    await agrees(index);
    expect((await index.count({ filters: { company_names: ['gone'] } })).total).toBe(0);
    expect(await peopleIndices(engine, names)).not.toContain(searched);
  }, 600_000);

  it('finds a suppressed person by no search within two seconds', async () => {
    const [first, ...others] = await store.addPeople(people(6));
    const index = store.engine(server.url, { prefix, refreshIntervalMs: 1_000 });
    await untilReady(index);
    await untilFollowed(index);
    const found = async () => (await index.page({ filters: {}, after: 0, limit: 10 })).personNos;
    expect(await found()).toEqual([first, ...others]);
    for (const personNo of others) {
      await store.removePeople([personNo]);
      const removedAtMs = performance.now();
      await waitFor('They are gone', async () => !(await found()).includes(personNo), {
        ...soon,
        everyMs: 20,
      });
      expect(performance.now() - removedAtMs).toBeLessThan(2_000);
    }
  });
});

describe('the feed of a search engine', () => {
  it('is taken over by another replica, which continues where the first one was', async () => {
    await store.addPeople(people(20));
    const first = store.engine(server.url, { prefix });
    await untilReady(first);
    const second = store.engine(server.url, { prefix });
    await untilReady(second);
    await first.close();
    await store.addPeople(people(20));
    await agrees(second);
    expect((await second.count({ filters: {} })).total).toBe(40);
    expect(store.failures).toEqual([]);
  });

  it('is refused as soon as another one has claimed the index', async () => {
    const [personNo = 0] = await store.addPeople(people(1));
    await untilReady(store.engine(server.url, { prefix }));
    const names = engineNames(prefix);
    const searched = (await searchedIndex(engine, names)) as string;
    const own = engineNames(`${prefix}-own`);
    const [one, other] = [
      await FeedClaim.of(engine, own, searched),
      await FeedClaim.of(engine, own, searched),
    ];
    // Both write a round that is later than those of the feed that runs.
    const copyOf = ({ state }: FeedClaim) =>
      new EngineCopy(engine, store.pool, searched, () => 1_000_000 + state.round + 1);
    await expect(one.save({ people: 1 })).rejects.toThrow(Superseded);
    await copyOf(other).removePeople([personNo]);
    await expect(
      copyOf(one).putPeople([
        {
          ...{ personNo, fullName: 'Late', jobTitle: null, seniority: null, department: null },
          ...{ companyNo: null, companyName: null, country: null, region: null, city: null, keywords: [] },
        },
      ]),
    ).rejects.toThrow(Superseded);
    await other.save({ people: 1 });
    await engine.send('POST', `/${searched}/_refresh`);
    expect(await engine.send('GET', `/${searched}/_count`)).toMatchObject({ count: 0 });
  });

  it.each([
    ['that has what a restored store does not', { readUpTo: 1_000_000_000 }],
    ['that was not fed while removals were recorded', { readAt: '2020-01-01T00:00:00.000Z' }],
  ])('replaces an index %s', async (_name, state) => {
    await store.addPeople(people(10));
    const index = store.engine(server.url, { prefix });
    await untilReady(index);
    await untilFollowed(index);
    const names = engineNames(prefix);
    const before = (await searchedIndex(engine, names)) as string;
    // The feed that runs may save its position between the two steps of a claim.
    await waitFor(
      'The state',
      async () =>
        FeedClaim.of(engine, names, before)
          .then(claim => claim.save(state))
          .then(
            () => true,
            () => false,
          ),
      soon,
    );
    await waitFor('Another index', async () => (await searchedIndex(engine, names)) !== before, soon);
    await agrees(index);
    expect(await peopleIndices(engine, names)).not.toContain(before);
  });

  it.each([
    ['continues an unfinished index that can catch up', true],
    ['leaves an unfinished index that cannot catch up', false],
  ])('%s', async (_name, canCatchUp) => {
    const personNos = await store.addPeople(people(10));
    const names = engineNames(prefix);
    const left = await createPeopleIndex(engine, names, 1);
    await (await FeedClaim.of(engine, names, left)).save({
      ...{ filledTo: personNos[3] as number, peopleExpected: 10, people: 4 },
      readAt: canCatchUp ? new Date().toISOString() : '2020-01-01T00:00:00.000Z',
    });
    const index = store.engine(server.url, { prefix });
    await untilReady(index);
    await agrees(index);
    expect((await peopleIndices(engine, names)).includes(left)).toBe(canCatchUp);
  });

  it('deletes indices that are neither searched nor can be finished', async () => {
    await store.addPeople(people(10));
    const names = engineNames(prefix);
    // The first one was searched until its deletion failed; the second one was never claimed.
    const left = [`${names.alias}-1`, `${names.alias}-2`] as const;
    for (const index of left) {
      await engine.send('PUT', `/${index}`, { body: peopleIndexBody(index, 1) });
    }
    const index = store.engine(server.url, { prefix });
    await untilReady(index);
    const searched = (await searchedIndex(engine, names)) as string;
    await index.close();
    for (const each of left) {
      await engine.send('PUT', `/${each}`, { body: peopleIndexBody(each, 1) });
    }
    await (await FeedClaim.of(engine, names, left[0])).save({
      filledTo: null,
      readAt: new Date().toISOString(),
    });
    const next = store.engine(server.url, { prefix });
    await waitFor('One index', async () => (await peopleIndices(engine, names)).join() === searched, soon);
    expect(await readFeedState(engine, names, left[0])).toBeUndefined();
    await agrees(next);
  });

  it('refuses what a feed that was cut off for minutes writes about people who were removed', async () => {
    const names = engineNames(`${prefix}-own`);
    const index = await createPeopleIndex(engine, names, 1);
    const copyOf = (round: number) => new EngineCopy(engine, store.pool, index, () => round);
    const late = {
      ...{ personNo: 1, fullName: 'Late', jobTitle: null, seniority: null, department: null },
      ...{ companyNo: null, companyName: null, country: null, region: null, city: null, keywords: [] },
    };
    await copyOf(1).putPeople([late]);
    const current = copyOf(3);
    await current.removePeople([1]);
    await current.refresh();
    // By default the engine forgets after a minute what it deleted.
    await setTimeout(80_000);
    await copyOf(3).putPeople([{ ...late, personNo: 2 }]);
    await engine.send('POST', `/${index}/_refresh`);
    await expect(copyOf(2).putPeople([late])).rejects.toThrow(Superseded);
    await engine.send('POST', `/${index}/_refresh`);
    expect(await engine.send('GET', `/${index}/_count`)).toMatchObject({ count: 1 });
  }, 200_000);

  it('follows people of a company that is removed, and never searches the people of the sandbox', async () => {
    const [companyNo = 0] = await store.addCompanies([{ name: 'Gone', domain: 'gone.example' }]);
    await store.addPeople(people(30).map(each => ({ ...each, companyNo, companyName: 'Known By Name' })));
    const index = store.engine(server.url, { prefix });
    await untilReady(index);
    const total = async (filters: object) => (await index.count({ filters })).total;
    expect([
      await total({ company_names: ['gone'] }),
      await total({ company_names: ['known by name'] }),
    ]).toEqual([30, 0]);
    await store.pool.query(
      'WITH gone AS (DELETE FROM company WHERE company_no = $1 RETURNING company_no) INSERT INTO removed_record (company_no) SELECT company_no FROM gone',
      [companyNo],
    );
    await untilFollowed(index);
    expect([
      await total({ company_names: ['gone'] }),
      await total({ company_names: ['known by name'] }),
    ]).toEqual([0, 30]);
  });

  it('is rebuilt into another index while people are searched and change, also after an interruption', async () => {
    await store.addPeople(people(50_000));
    const index = store.engine(server.url, { prefix });
    await untilReady(index);
    const names = engineNames(prefix);
    const before = await searchedIndex(engine, names);
    const stop = new AbortController();
    const churning = churn(stop.signal);
    const totals: number[] = [];
    const searching = (async () => {
      while (!stop.signal.aborted) {
        totals.push((await index.count({ filters: {}, facets: true })).total);
      }
    })();
    const pool = openPostgres({
      connectionString: store.databaseUrl,
      ...{ schema: 'enrichment', applicationName: 'rebuild-test', connectionsMax: 3 },
      onIdleError: () => undefined,
    });
    const options = { engine, names, shards: 2, pool, removalDays: 30 };
    const interruption = new AbortController();
    const interrupted = buildPeople({ ...options, signal: interruption.signal }, () => interruption.abort());
    await expect(interrupted).rejects.toThrow();
    const left = (await peopleIndices(engine, names)).find(each => each !== before) as string;
    expect((await readFeedState(engine, names, left))?.filledTo).toBeGreaterThan(0);
    const both = await Promise.all([
      buildPeople({ ...options, signal: stop.signal }),
      buildPeople({ ...options, signal: stop.signal }),
    ]);
    expect(both.filter(each => each === undefined)).toHaveLength(1);
    expect(await peopleIndices(engine, names)).toEqual([left]);
    await untilFollowed(index);
    stop.abort();
    await Promise.all([searching, churning]);
    await pool.end();
    expect(totals.length).toBeGreaterThan(5);
    expect(Math.min(...totals)).toBeGreaterThanOrEqual(50_000 - 10);
    await untilFollowed(index);
    const { rows } = await store.pool.query('SELECT count(*)::int AS count FROM person WHERE person_no > 0');
    expect((await index.count({ filters: {} })).total).toBe(rows[0].count);
  }, 600_000);
});

describe('an installation with a search engine', () => {
  it('searches in it, shows its lag and failure, and is rebuilt by a command', async () => {
    const settings = {
      SEARCH_ENGINE_URL: server.url,
      SEARCH_ENGINE_PREFIX: prefix,
      PEOPLE_INDEX_REFRESH_MS: '200',
    };
    const house = await startTestHouse({ only: ['enrichment'], lab: false, env: { enrichment: settings } });
    try {
      await operate(house, ['synthesize', 'people', '700', '--companies', '50', '--json']);
      const advisory = async () => {
        const response = await fetch(new URL('/readyz', house.services['enrichment']?.internalUrl));
        const { advisories } = (await response.json()) as {
          advisories: readonly { name: string; status: string; text: string }[];
        };
        const found = advisories.find(({ name }) => name === 'people-index');
        return { code: response.status, status: found?.status, text: found?.text ?? '' };
      };
      const until = (status: string, text: RegExp) =>
        waitFor(
          `${status} in readiness`,
          async () => {
            const now = await advisory();
            return now.code === 200 && now.status === status && text.test(now.text);
          },
          soon,
        );
      await until('ok', /^700 people in the search engine, \d+ ms behind the store\.$/);
      await waitFor(
        'No change waits',
        async () =>
          /^700 people, \d+\.\d s behind the store; 0 changes wait\.$/.test(
            (await operate(house, ['people-index', 'status'])).trim(),
          ),
        soon,
      );
      expect(JSON.parse(await operate(house, ['people-index', 'status', '--json']))).toEqual({
        ...{ state: 'ready', people: 700, changesWaiting: 0, lagSeconds: expect.any(Number) },
      });
      const names = engineNames(prefix);
      const before = await searchedIndex(engine, names);
      expect(JSON.parse(await operate(house, ['people-index', 'rebuild', '--json']))).toEqual({
        people: 700,
      });
      expect(await searchedIndex(engine, names)).not.toBe(before);
      // Lost as a whole, it is filled again.
      await engine.send('DELETE', `/${prefix}-*`);
      await waitFor('A new index', () => searchedIndex(engine, names), soon);
      await until('ok', /^700 people/);
      await server.kill();
      await until('failed', /the search engine does not answer/);
      await expect(operate(house, ['people-index', 'status'])).rejects.toThrow(
        /ended with 1:\nThe search engine cannot be reached \(ConnectionError\)\.\s*$/,
      );
      await server.restart();
      await until('ok', /^700 people/);
    } finally {
      await house.stop();
    }
  }, 600_000);
});
