import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type PrivateSearchEngine, startPrivateSearchEngine } from '@mailproof/dev-house';
import type { PeopleFacets, PeopleFilters } from '@mailproof/shared-types';
import fc from 'fast-check';
import type { RunningPeopleIndex } from '../src/adapters/people-index/start-people-index.ts';
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
  [index, memory] = [store.engine(server.url), await store.memory()];
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
          const [, facet = ''] = pointer.split('/');
          const held = (await readFacet(facet)).map(each => each.toLowerCase());
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
      { numRuns: Number(process.env['SEARCH_RUNS'] ?? 60), seed: 42, endOnFailure: true },
    );
    expect(found).toBeGreaterThan(1_000);
    expect(store.failures).toEqual([]);
  }, 1_200_000);
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
