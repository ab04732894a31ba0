import { describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import fc from 'fast-check';
import { plainSearch } from '../testing/plain-search.ts';
import { type Change, change, companyNos, filters, inOrder, members } from '../testing/random-searches.ts';
import type { IndexedCompany } from './company-columns.ts';
import { type IndexedPerson, PeopleColumns } from './people-columns.ts';
import { countPeople, pagePeople } from './search-people.ts';

/** A model of the store in Postgres, and the columns that follow it. */
function follow(changes: readonly Change[]) {
  const people = new Map<number, IndexedPerson>();
  const companies = new Map<number, IndexedCompany>(
    companyNos.map(companyNo => [
      companyNo,
      {
        ...{ companyNo, name: `C${companyNo}`, domain: `c${companyNo}.example` },
        ...{
          companySize: null,
          revenue: null,
          companyType: null,
          industry: null,
          foundedYear: null,
          fundingUsd: null,
          technologies: [],
        },
      },
    ]),
  );
  const columns = new PeopleColumns();
  const put = (changed: readonly IndexedPerson[]) => {
    const companyNos = new Set(changed.map(({ companyNo }) => companyNo).filter(each => each !== null));
    columns.put(
      changed,
      [...companyNos]
        .filter(each => !columns.companies.has(each))
        .map(each => companies.get(each) as IndexedCompany),
    );
  };
  for (const each of changes) {
    if (each.kind === 'put') {
      const changed = new Map(
        each.people.map(one => [
          one.personNo,
          {
            ...one,
            companyNo: one.companyNo !== null && companies.has(one.companyNo) ? one.companyNo : null,
          },
        ]),
      );
      for (const [personNo, one] of changed) {
        people.set(personNo, one);
      }
      put([...changed.values()]);
    } else if (each.kind === 'company') {
      if (companies.has(each.company.companyNo)) {
        companies.set(each.company.companyNo, each.company);
        columns.putCompany(each.company);
      }
    } else if (each.kind === 'remove') {
      people.delete(each.personNo);
      columns.remove(each.personNo);
    } else {
      companies.delete(each.companyNo);
      for (const [personNo, one] of people) {
        people.set(personNo, one.companyNo === each.companyNo ? { ...one, companyNo: null } : one);
      }
      put(columns.removeCompany(each.companyNo).map(personNo => people.get(personNo) as IndexedPerson));
    }
  }
  return { people: [...people.values()], companies, columns };
}

describe('the columns', () => {
  it('answer what a plain search answers, after any changes, in total, facets and pages', () => {
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 12 }),
        fc.array(fc.tuple(filters, members), { minLength: 1, maxLength: 5 }),
        fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 10 }),
        fc.integer({ min: 1, max: 7 }),
        (changes, searches, skip, limit) => {
          const { people, companies, columns } = follow(changes);
          expect(columns.people).toBe(people.length);
          const skipped = inOrder(skip);
          for (const [search, members] of searches) {
            const plain = plainSearch(people, companies, search, new Set(skip), members);
            expect(countPeople(columns, search, { skipped, members })).toEqual({
              total: plain.total,
              facets: plain.facets,
            });
            const personNos: number[] = [];
            for (let more = true; more; ) {
              const after = personNos.at(-1) ?? 0;
              const page = pagePeople(columns, search, { after, limit, skipped, members });
              personNos.push(...page.personNos);
              more = page.more;
            }
            expect(personNos).toEqual(plain.personNos);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('do not answer a search for lists whose members are missing', () => {
    const saved_lists = [newId('savedList')];
    expect(() => countPeople(new PeopleColumns(), { saved_lists })).toThrow('has no members');
    expect(() => countPeople(new PeopleColumns(), { excluded_saved_lists: saved_lists })).toThrow();
  });

  it('hold and find as many as there are, over many blocks, and clear away who is gone', () => {
    const columns = new PeopleColumns();
    const many = Array.from({ length: 60_000 }, (_, index) => plainPerson(index * 2 + 2));
    columns.put(many.slice(0, 40_000));
    columns.put(many.slice(40_000));
    columns.put([plainPerson(1), plainPerson(60_001), plainPerson(60_001)]);
    expect(columns.people).toBe(60_002);
    for (let personNo = 2; personNo <= 100_000; personNo += 2) {
      columns.remove(personNo);
    }
    expect([columns.people, columns.rows < 30_000]).toEqual([10_002, true]);
    expect(countPeople(columns, { keywords: ['k1'] }, { facets: false })).toEqual({ total: 10_002 });
    expect(pagePeople(columns, {}, { after: 0, limit: 3 }).personNos).toEqual([1, 60_001, 100_002]);
    expect(pagePeople(columns, {}, { after: 119_998, limit: 3 })).toEqual({
      personNos: [120_000],
      more: false,
    });
  });
});

function plainPerson(personNo: number): IndexedPerson {
  return {
    ...{
      personNo,
      fullName: `Person ${personNo}`,
      jobTitle: 'Engineer',
      seniority: null,
      department: null,
      companyNo: null,
    },
    ...{ companyName: null, country: 'DE', region: null, city: null, keywords: ['k1', `k${personNo % 7}`] },
  };
}
