import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CrmFilter, CrmSelection } from '../../src/domain/crm/crm.ts';
import { faultOf, type HubSpotHouse, openHubSpotHouse, signal } from './open-hubspot-house.ts';

let house: HubSpotHouse;

beforeEach(async () => {
  house = await openHubSpotHouse();
});

afterEach(() => house.close());

const selection = (filters: readonly CrmFilter[] = [], segmentId: string | null = null): CrmSelection => ({
  segmentId,
  filters,
  recordsMax: 50_000,
});

/** Reads the ids of all pages, and calls `between` between two pages. */
async function readAll(which: CrmSelection, between: (pages: number) => void = () => undefined) {
  const ids: string[] = [];
  let pages = 0;
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof house.crm.page>> = await house.crm.page(
      'contact',
      which,
      { properties: ['email'], after },
      signal,
    );
    ids.push(...page.records.map(({ recordId }) => recordId));
    pages += 1;
    if (page.next === null) {
      return { ids, pages };
    }
    between(pages);
    after = page.next;
  }
}

describe('pages of all records', () => {
  it('have each of more than 10,000 exactly once, those that come in the meantime too', async () => {
    const seeded = house.lab.seed('contacts', 12_345, index => ({ email: `p${index}@example.com` }));
    const added: string[] = [];
    const { ids } = await readAll(selection(), pages => {
      if (pages % 20 === 0) {
        added.push(
          ...house.lab.seed('contacts', 7, index => ({ email: `late${pages}-${index}@example.com` })),
        );
        house.lab.archive('contacts', seeded[pages] ?? '');
      }
    });
    expect(added.length).toBeGreaterThan(0);
    expect(ids).toEqual([...seeded, ...added]);
    expect(await house.crm.count('contact', selection(), signal)).toBe(house.lab.records('contacts').length);
  });

  it('are the only way: HubSpot returns at most 10,000 results of one query', async () => {
    house.lab.seed('contacts', 1, () => ({ email: 'ada@example.com' }));
    const { accessToken } = await house.access.current(signal);
    const answer = await fetch(`${house.lab.baseUrl}/crm/v3/objects/contacts/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ limit: 100, after: '10000' }),
    });
    expect(answer.status).toBe(400);
  });

  it('continue after a record that has been deleted since', async () => {
    const seeded = house.lab.seed('contacts', 450, index => ({ email: `p${index}@example.com` }));
    const { ids } = await readAll(selection(), pages =>
      house.lab.archive('contacts', seeded[pages * 200 - 1] ?? ''),
    );
    expect(ids).toEqual(seeded);
  });

  it('return every requested property, empty if it has no value', async () => {
    house.lab.seed('contacts', 1, () => ({ email: 'ada@example.com' }));
    const page = await house.crm.page(
      'contact',
      selection(),
      { properties: ['email', 'city'], after: null },
      signal,
    );
    expect(page).toEqual({
      records: [{ recordId: expect.any(String), values: { email: 'ada@example.com', city: '' } }],
      next: null,
    });
  });

  it('begin behind nothing but a record’s id', async () => {
    const asked = house.crm.page('contact', selection(), { properties: [], after: '1 OR 1' }, signal);
    expect(await faultOf(asked)).toMatchObject({ kind: 'refused' });
  });
});

describe('filters', () => {
  beforeEach(() => {
    house.lab.seed('contacts', 40, index => ({
      email: `p${index}@${index % 2 === 0 ? 'even' : 'odd'}.example`,
      num_employees: String(index),
      hs_lead_status: index % 4 === 0 ? 'NEW' : 'OPEN',
      closedate: new Date(Date.UTC(2026, 0, 1 + index)).toISOString(),
      ...(index < 10 && { city: index < 5 ? 'Paris' : 'Rome' }),
    }));
  });

  it.each<[string, CrmFilter, number]>([
    ['is', { property: 'city', operator: 'is', values: ['paris'] }, 5],
    ['is_not', { property: 'city', operator: 'is_not', values: ['Paris'] }, 5],
    ['is_one_of, of texts', { property: 'city', operator: 'is_one_of', values: ['Paris', 'Rome'] }, 10],
    ['is_known', { property: 'city', operator: 'is_known', values: [] }, 10],
    ['is_unknown', { property: 'city', operator: 'is_unknown', values: [] }, 30],
    ['above', { property: 'num_employees', operator: 'above', values: ['35'] }, 4],
    ['below', { property: 'num_employees', operator: 'below', values: ['9'] }, 9],
    ['above, of moments', { property: 'closedate', operator: 'above', values: ['2026-02-01T12:00:00Z'] }, 8],
    ['is, of a moment', { property: 'closedate', operator: 'is', values: ['2026-01-02T00:00:00Z'] }, 1],
    ['contains', { property: 'email', operator: 'contains', values: ['even'] }, 20],
  ])('are HubSpot’s: %s', async (_what, filter, records) => {
    expect(await house.crm.count('contact', selection([filter]), signal)).toBe(records);
    expect((await readAll(selection([filter]))).ids).toHaveLength(records);
  });

  it('narrow together, and name properties that are there', async () => {
    const filters: CrmFilter[] = [
      { property: 'email', operator: 'contains', values: ['even'] },
      { property: 'city', operator: 'is_known', values: [] },
    ];
    expect((await readAll(selection(filters))).ids).toHaveLength(5);
    const unknown = selection([{ property: 'shoe_size', operator: 'is_known', values: [] }]);
    expect(await faultOf(house.crm.count('contact', unknown, signal))).toMatchObject({ kind: 'refused' });
  });
});

describe('more filters than one search takes', () => {
  const numbersFrom = (from: number, filters: number): CrmFilter[] =>
    Array.from({ length: filters }, (_, index) => ({
      property: 'num_employees',
      operator: 'above',
      values: [String(from + index)],
    }));

  it('narrow page after page, of all records and of a segment', async () => {
    const ids = house.lab.seed('contacts', 250, index => ({
      email: `p${index}@example.com`,
      num_employees: String(index),
    }));
    const listId = house.lab.addList('All', 'contacts', ids);
    const filters = numbersFrom(180, 20);
    for (const segmentId of [null, listId]) {
      const read = await readAll(selection(filters, segmentId));
      expect(read.ids).toEqual(ids.slice(200));
      expect(read.pages).toBe(segmentId === null ? 1 : 3);
      expect(await house.crm.count('contact', selection(filters, segmentId), signal)).toBe(50);
    }
    expect(house.lab.calls.every(({ status }) => status === 200)).toBe(true);
  });
});

describe('segments', () => {
  it('are listed with their size, for the requested type, regardless of how many others exist', async () => {
    const [ada = ''] = house.lab.seed('contacts', 1, () => ({ email: 'ada@example.com' }));
    for (let index = 0; index < 501; index += 1) {
      house.lab.addList(`Companies ${index}`, 'companies', []);
    }
    const listId = house.lab.addList('Newsletter', 'contacts', [ada]);
    expect(await house.crm.segments('contact', signal)).toEqual([
      { segmentId: listId, name: 'Newsletter', records: 1 },
    ]);
    expect(await house.crm.segments('company', signal)).toHaveLength(501);
  });

  it('are read in the order of ids, each record once, without those that are gone', async () => {
    const ids = house.lab.seed('contacts', 730, index => ({ email: `p${index}@example.com` }));
    const members = ids.filter((_, index) => index % 2 === 0);
    const listId = house.lab.addList('Even', 'contacts', members.toReversed());
    house.lab.seed('contacts', 5, index => ({ email: `q${index}@example.com` }));
    const read = await readAll(selection([], listId), () => house.lab.archive('contacts', ids.at(-2) ?? ''));
    expect(read.ids).toEqual(members.filter(id => id !== ids.at(-2)));
    expect(await house.crm.count('contact', selection([], listId), signal)).toBe(365);
  });

  it('are narrowed by filters, even if some pages have no match', async () => {
    const ids = house.lab.seed('contacts', 350, index => ({
      email: `p${index}@example.com`,
      city: index > 310 ? 'Paris' : 'Rome',
    }));
    const listId = house.lab.addList('All', 'contacts', ids);
    const which = selection([{ property: 'city', operator: 'is', values: ['Paris'] }], listId);
    const read = await readAll(which);
    expect(read.ids).toEqual(ids.slice(311));
    expect(read.pages).toBe(4);
    expect(await house.crm.count('contact', which, signal)).toBe(39);
  });

  it('are counted until the deadline, but at least until one record was seen', async () => {
    const ids = house.lab.seed('contacts', 350, index => ({
      email: `p${index}@example.com`,
      city: index > 150 ? 'Paris' : 'Rome',
    }));
    const listId = house.lab.addList('All', 'contacts', ids);
    const which = selection([{ property: 'city', operator: 'is', values: ['Paris'] }], listId);
    // The first page has no match, the second has 49.
    expect(await house.open({ countMsMax: 0 }).count('contact', which, signal)).toBe(49);
  });

  it.each(['4711', '../search', ''])('that are not there are not found: "%s"', async segmentId => {
    const which = selection([], segmentId);
    const asked = house.crm.page('contact', which, { properties: [], after: null }, signal);
    expect(await faultOf(asked)).toMatchObject({ kind: 'not_found' });
    expect(await faultOf(house.crm.count('contact', which, signal))).toMatchObject({ kind: 'not_found' });
  });
});
