import { request as forward } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  makeTestCertificate,
  type PrivateSearchEngine,
  startPrivateSearchEngine,
} from '@mailproof/dev-house';
import type { PeopleFacets, PeopleFilters } from '@mailproof/shared-types';
import fc from 'fast-check';
import type { RunningPeopleIndex } from '../src/adapters/people-index/start-people-index.ts';
import { type EngineLocation, openEngine } from '../src/adapters/search-engine/open-engine.ts';
import { vocabularyOf } from '../src/domain/people-search/check-filters.ts';
import type { IndexedCompany } from '../src/domain/people-search/columns/company-columns.ts';
import type { IndexedPerson } from '../src/domain/people-search/columns/people-columns.ts';
import {
  type ListMembers,
  type NamedMembers,
  UnknownFilterValues,
} from '../src/domain/people-search/people-index.ts';
import { plainSearch } from '../src/domain/people-search/testing/plain-search.ts';
import {
  company,
  filters,
  inOrder,
  members,
  person,
} from '../src/domain/people-search/testing/random-searches.ts';
import { openSearchStore, type SearchStore, untilFollowed, untilReady } from './search-engine-store.ts';

let server: PrivateSearchEngine;
let store: SearchStore;
let index: RunningPeopleIndex;
let memory: RunningPeopleIndex;
/** The companies of random people, by the numbers that these have for them. */
let companyNos: readonly number[];

beforeAll(async () => {
  server = await startPrivateSearchEngine(line => process.stderr.write(`${line}\n`));
  store = await openSearchStore();
  companyNos = await store.addCompanies(
    [1, 2, 3, 4].map(each => ({ name: `C${each}`, domain: `c${each}.example` })),
  );
  await store.addPeople(fc.sample(person, { numRuns: 300, seed: 1 }).map(ofStore));
  // Always settled: more than half of everyone are then counted by all others, and fewer as they are.
  [index, memory] = [store.engine(server.url, { settledAfterMs: 0 }), await store.memory()];
  await untilReady(index);
}, 600_000);

afterAll(async () => {
  await store?.close();
  await server?.stop();
});

function ofStore(each: IndexedPerson): IndexedPerson {
  return { ...each, companyNo: each.companyNo === null ? null : (companyNos[each.companyNo - 1] as number) };
}

/** Compares both indices with a search row by row; a value that no one has any more may be unknown to the engine. */
async function agree(
  searches: readonly (readonly [PeopleFilters, NamedMembers | undefined])[],
  skip: readonly number[],
  limit: number,
): Promise<number> {
  const { people, companies } = await store.read();
  let found = 0;
  for (const [search, named] of searches) {
    const plain = plainSearch(people, companies, search, new Set(skip), named);
    const query = { filters: search, skip, ...(named && { members: named }) };
    for (const each of [memory, index]) {
      try {
        const counts = await each.count({ ...query, facets: true });
        expect([search, counts]).toEqual([search, { total: plain.total, facets: plain.facets }]);
        expect(await each.count(query)).toEqual({ total: plain.total });
        const personNos: number[] = [];
        for (let more = true; more; ) {
          const page = await each.page({ ...query, after: personNos.at(-1) ?? 0, limit });
          personNos.push(...page.personNos);
          more = page.more;
        }
        expect([search, personNos]).toEqual([search, plain.personNos]);
      } catch (error) {
        if (!(error instanceof UnknownFilterValues)) throw error;
        for (const { pointer, value } of error.values) {
          const [, filter = ''] = pointer.split('/');
          const held = (await readFacet(vocabularyOf(filter))).map(each => each.toLowerCase());
          expect([pointer, held.includes(value.toLowerCase())]).toEqual([pointer, false]);
        }
      }
    }
    found += plain.total;
  }
  return found;
}

async function readFacet(facet: string): Promise<string[]> {
  const { people, companies } = await store.read();
  const { facets } = plainSearch(people, companies, {});
  return (facets as PeopleFacets)[facet as keyof PeopleFacets].values.map(({ value }) => value);
}

describe('people search in OpenSearch', () => {
  it('answers what a search row by row and the index in memory answer, for random searches and changes', async () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 299 }), { maxLength: 40 });
    const change = fc.record({
      people: fc.array(person, { maxLength: 20 }),
      changed: fc.array(fc.tuple(fc.nat({ max: 299 }), person), { maxLength: 10 }),
      removed: fc.array(fc.nat({ max: 299 }), { maxLength: 5 }),
      companies: fc.array(company, { maxLength: 3 }),
    });
    let found = 0;
    await fc.assert(
      fc.asyncProperty(
        change,
        fc.array(fc.tuple(filters, members), { minLength: 12, maxLength: 20 }),
        numbers,
        fc.integer({ min: 20, max: 100 }),
        async (changes, searches, skip, limit) => {
          await apply(changes);
          await Promise.all([untilFollowed(index), untilFollowed(memory)]);
          const all = await allPersonNos();
          const numbersOf = (list: ListMembers): ListMembers => ({
            ...list,
            people: inOrder([...list.people].map(at => all[at % all.length] as number)),
            companies: inOrder([...list.companies].map(at => companyNos[at - 1] as number)),
          });
          found += await agree(
            searches.map(([search, named]) => [
              search,
              named && {
                wanted: named.wanted && numbersOf(named.wanted),
                excluded: numbersOf(named.excluded),
              },
            ]),
            skip.map(at => all[at % all.length] as number),
            limit,
          );
        },
      ),
      { numRuns: 60, seed: 42, endOnFailure: true },
    );
    expect(found).toBeGreaterThan(1_000);
    expect(store.failures).toEqual([]);
  }, 1_200_000);

  it('reads other names of places, and refuses unknown excluded values, as the index in memory does', async () => {
    for (const search of [
      { countries: ['Germany', 'fr'] },
      { excluded_countries: ['Deutschland', 'USA'], excluded_regions: ['oslo'] },
    ]) {
      const [one, other] = await Promise.all([
        memory.count({ filters: search, facets: true }),
        index.count({ filters: search, facets: true }),
      ]);
      expect(one.read?.length).toBeGreaterThan(0);
      expect(other).toEqual(one);
    }
    const filters = { excluded_regions: ['Atlantis'] };
    for (const each of [memory, index]) {
      const refused = { values: [{ pointer: '/excluded_regions/0', value: 'Atlantis' }] };
      await expect(each.page({ filters, after: 0, limit: 1 })).rejects.toMatchObject(refused);
    }
  });

  it('counts the same without more people than it lists for each facet', async () => {
    await Promise.all([untilFollowed(index), untilFollowed(memory)]);
    const all = await allPersonNos();
    const half = all.filter((_, at) => at % 2 === 0);
    const gone = Array.from({ length: 3_000 }, (_, at) => 1_000_000 + at);
    const searches: PeopleFilters[] = [{}, { keyword_match: 'all' }, { seniorities: ['cxo', 'director'] }];
    const found = await agree(
      searches.map(search => [search, undefined]),
      [...half, ...gone],
      50,
    );
    expect(found).toBeGreaterThan(all.length / 2);
  });

  it('counts the same in several shards, where other values are the most frequent ones', async () => {
    const own = await openSearchStore();
    try {
      // 150 titles, more than are shown; two at a time are equally frequent.
      const titles = Array.from({ length: 150 }, (_, at) => `Craft ${String(at).padStart(3, '0')}`);
      await own.addPeople(
        titles.flatMap((jobTitle, at) =>
          Array.from({ length: 5 + Math.floor(at / 2) }, () => ({ jobTitle, country: 'DE' })),
        ),
      );
      const [divided, whole] = [own.engine(server.url, { prefix: 'divided', shards: 4 }), await own.memory()];
      await untilReady(divided);
      const query = { filters: { countries: ['DE'] }, facets: true };
      const [expected, counts] = await Promise.all([whole.count(query), divided.count(query)]);
      expect(expected.facets?.job_titles).toMatchObject({ more: true, unknown: 0 });
      expect(counts).toEqual(expected);
    } finally {
      await own.close();
    }
  }, 300_000);

  it('counts the most frequent of many values with and without some people, before it has settled and after', async () => {
    const own = await openSearchStore();
    try {
      const titles = Array.from({ length: 600 }, (_, at) => ({
        jobTitle: `Craft ${String(at).padStart(3, '0')}`,
        // Those that are shown differ in how frequent they are.
        people: Math.max(240 - 3 * at, 2),
      }));
      await own.addPeople(
        titles.flatMap(({ jobTitle, people }, title) =>
          Array.from({ length: people }, (_, at) => ({
            ...{
              jobTitle: at === 0 && title > 300 ? null : jobTitle,
              keywords: [jobTitle, `k${title % 40}`],
            },
            country: (title + at) % 5 === 0 ? 'DE' : 'FR',
          })),
        ),
      );
      const [settled, unsettled] = [0, 3_600_000].map(settledAfterMs =>
        own.engine(server.url, { prefix: 'many', settledAfterMs }),
      ) as [RunningPeopleIndex, RunningPeopleIndex];
      const whole = await own.memory();
      await Promise.all([settled, unsettled].map(untilReady));
      for (const filters of [
        { excluded_countries: ['DE'] },
        { countries: ['FR'] },
        { excluded_job_titles: ['Craft 003', 'Craft 007'] },
      ]) {
        const query = { filters, facets: true };
        const [expected, ...counts] = await Promise.all(
          [whole, settled, unsettled].map(each => each.count(query)),
        );
        expect(expected?.facets?.job_titles).toMatchObject({ more: true, unknown: expect.any(Number) });
        expect(counts).toEqual([expected, expected]);
      }
    } finally {
      await own.close();
    }
  }, 300_000);

  it('names the same unknown values as the index in memory, with the same similar ones, and the same vocabulary', async () => {
    const [companyNo = 0] = await store.addCompanies([{ name: 'Known', industry: 'Freight & Logistics' }]);
    await store.addPeople([{ country: 'DE', city: 'Baden-Baden', region: 'Île-de-France', companyNo }]);
    await Promise.all([untilFollowed(index), untilFollowed(memory)]);
    const unknown = {
      seniorities: ['vp', 'boss'],
      countries: ['DE', 'GERMANY'],
      industries: ['freight and logistic'],
      regions: ['ile de franc'],
      cities: ['Baden Baden', 'Baden Badn'],
    };
    const refusals = [memory, index].map(each =>
      each.count({ filters: unknown }).catch(error => error.values),
    );
    const [expected, values] = await Promise.all(refusals);
    expect(values).toEqual(expected);
    expect(values).toContainEqual({
      ...{ pointer: '/industries/0', value: 'freight and logistic', known: ['Freight & Logistics'] },
      isWhole: false,
    });
    expect(await index.vocabulary()).toEqual(await memory.vocabulary());
  });

  it('leaves no gap between pages of everyone, in an index full of replaced documents', async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      await store.pool.query(
        `UPDATE person SET change_no = nextval('record_change_no')
         WHERE person_no IN (SELECT person_no FROM person ORDER BY md5(person_no::text || $1) LIMIT 30)`,
        [String(turn)],
      );
      await untilFollowed(index);
      const personNos: number[] = [];
      for (let more = true; more; ) {
        const page = await index.page({ filters: {}, after: personNos.at(-1) ?? 0, limit: 20 });
        personNos.push(...page.personNos);
        more = page.more;
      }
      expect(personNos).toEqual(await allPersonNos());
    }
  });

  it('shows one spelling of a value, and accepts a hundred long titles', async () => {
    await store.addPeople([
      { jobTitle: 'Spelling Tester', keywords: ['Node.js'] },
      { jobTitle: 'spelling tester', keywords: ['node JS', 'Node.js'] },
    ]);
    await untilFollowed(index);
    const filters = { job_titles: ['SPELLING TESTER'] };
    const { facets } = await index.count({ filters, facets: true });
    expect(facets?.keywords.values).toEqual([{ value: expect.stringMatching(/^node.js$/i), count: 2 }]);
    expect(facets?.job_titles.values).toContainEqual({
      ...{ value: expect.stringMatching(/^spelling tester$/i), count: 2 },
    });
    const long = (at: number) => Array.from({ length: 25 }, (_, word) => `w${at}x${word}`).join(' ');
    const job_titles = Array.from({ length: 99 }, (_, at) => long(at));
    const many = { job_titles: [...job_titles, 'Spelling Tester'], excluded_job_titles: job_titles };
    expect(await index.count({ filters: many })).toEqual({ total: 2 });
  });

  it('refuses more searches at once than it has turns for, and searches after its end', async () => {
    const other = store.engine(server.url);
    await expect(other.count({ filters: {} })).rejects.toMatchObject({
      reason: 'loading',
      retryAfterSeconds: 5,
    });
    await untilReady(other);
    const answers = await Promise.allSettled(Array.from({ length: 80 }, () => other.count({ filters: {} })));
    const refused = answers.filter(each => each.status === 'rejected').map(({ reason }) => reason);
    const busy = refused.filter(({ reason }) => reason === 'busy');
    expect(busy).toHaveLength(80 - 64);
    expect(busy[0]).toMatchObject({ retryAfterSeconds: 1 });
    await other.close();
    await expect(other.count({ filters: {} })).rejects.toMatchObject({ reason: 'closed' });
  });

  it('is reached by TLS with a user and a password, and only with a certificate of the given authority', async () => {
    const certificate = makeTestCertificate('DNS:localhost');
    const proxy = createServer(certificate, (request, response) => {
      if (request.headers.authorization !== `Basic ${btoa('searcher:secret')}`) {
        response.writeHead(401).end();
        return;
      }
      const { method, headers, url } = request;
      const onward = forward(`${server.url}${url}`, { method, headers }, answer => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(onward);
    });
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
    const url = `https://localhost:${(proxy.address() as AddressInfo).port}`;
    const health = async (changed: Partial<EngineLocation>) => {
      const engine = openEngine({
        url,
        user: 'searcher',
        password: 'secret',
        ca: certificate.cert,
        ...changed,
      });
      try {
        return await engine.send('GET', '/_cluster/health').catch((error: Error) => error.message);
      } finally {
        await engine.close();
      }
    };
    expect(await health({})).toMatchObject({ number_of_nodes: 1 });
    expect(await health({ password: 'other' })).toBe('The search engine answered 401.');
    expect(await health({ ca: undefined })).toMatch(/^The search engine cannot be reached/);
    proxy.close();
  });
});

async function allPersonNos(): Promise<number[]> {
  const { rows } = await store.pool.query<{ numbers: number[] }>(
    'SELECT array_agg(person_no ORDER BY person_no) AS numbers FROM person WHERE person_no > 0',
  );
  return rows[0]?.numbers ?? [];
}

async function apply(changes: {
  readonly people: readonly IndexedPerson[];
  readonly changed: readonly (readonly [number, IndexedPerson])[];
  readonly removed: readonly number[];
  readonly companies: readonly Omit<IndexedCompany, 'domain'>[];
}): Promise<void> {
  await store.addPeople(changes.people.map(ofStore));
  const all = await allPersonNos();
  for (const [at, random] of changes.changed) {
    const each = ofStore(random);
    await store.pool.query(
      `UPDATE person SET full_name = $2, job_title = $3, seniority = $4, company_no = $5, country = $6, keywords = $7,
         change_no = nextval('record_change_no') WHERE person_no = $1`,
      [
        ...[all[at % all.length], each.fullName, each.jobTitle, each.seniority, each.companyNo, each.country],
        each.keywords,
      ],
    );
  }
  await store.removePeople(changes.removed.map(at => all[at % all.length] as number));
  for (const each of changes.companies) {
    await store.pool.query(
      `UPDATE company SET name = $2, company_size = $3, revenue = $4, company_type = $5, industry = $6, founded_year = $7,
         technologies = $8, change_no = nextval('record_change_no') WHERE company_no = $1`,
      [
        ...[companyNos[each.companyNo - 1], each.name, each.companySize, each.revenue, each.companyType],
        ...[each.industry, each.foundedYear, each.technologies],
      ],
    );
  }
}
