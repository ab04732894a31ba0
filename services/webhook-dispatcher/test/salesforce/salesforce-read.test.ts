import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { field } from '@mailproof/crm-lab';
import { openSalesforceLab, type SalesforceLab } from './open-salesforce-lab.ts';

let lab: SalesforceLab;
const signal = new AbortController().signal;

beforeEach(async () => {
  lab = await openSalesforceLab();
});

afterEach(() => lab.close());

const everything = { segmentId: null, filters: [], recordsMax: 50_000 };

describe('segments', () => {
  it('are the list views that have a query, however many', async () => {
    for (let n = 0; n < 60; n += 1) {
      lab.salesforce.addListView('Lead', `View ${n}`, 'SELECT Id FROM Lead', n % 2 === 0);
    }
    lab.salesforce.addListView('Contact', 'Other', 'SELECT Id FROM Contact');
    const segments = await lab.crm.segments('lead', signal);
    expect(segments).toHaveLength(30);
    expect(segments[29]).toEqual({ segmentId: expect.any(String), name: 'View 58', records: null });
  });
});

describe('records that are read', () => {
  it('come exactly once, 12,000 of them, though Salesforce gives fewer than it was asked for', async () => {
    const seeded = lab.salesforce.seed(
      'Contact',
      Array.from({ length: 12_000 }, (_, n) => ({ LastName: `n${n}`, HasOptedOutOfEmail: n % 2 === 0 })),
    );
    lab.salesforce.batches.recordsMax = 730;
    expect(await lab.crm.count('contact', everything, signal)).toBe(12_000);
    expect(await lab.crm.count('contact', { ...everything, recordsMax: 99 }, signal)).toBe(100);
    const read: string[] = [];
    let after: string | null = null;
    let changed = false;
    do {
      const page = await lab.crm.page(
        'contact',
        everything,
        { properties: ['LastName', 'Phone', 'HasOptedOutOfEmail'], after },
        signal,
      );
      read.push(...page.records.map(({ recordId }) => recordId));
      expect(page.records[0]?.values).toEqual({
        LastName: expect.stringMatching(/^n\d+$/),
        Phone: '',
        HasOptedOutOfEmail: expect.stringMatching(/^(true|false)$/),
      });
      after = page.next;
      if (!changed) {
        // A record that is deleted while pages are read does not shift the others.
        lab.salesforce.deleteRecord('Contact', seeded[3] ?? '');
        changed = true;
      }
    } while (after !== null);
    expect(read).toEqual(seeded);
  });

  it('are those for which every filter holds', async () => {
    lab.salesforce.addField('Lead', field('Tags__c', 'Tags', 'multipicklist'));
    lab.salesforce.seed('Lead', [
      {
        LastName: 'A',
        Company: "O'Brien & 50% \\ Sons",
        NumberOfEmployees: 10,
        Email: 'a@x.example',
        Tags__c: 'x;y',
      },
      { LastName: 'B', Company: 'Lab', NumberOfEmployees: 20, IsConverted: true, Industry: 'Banking' },
      { LastName: 'C', Company: 'lab', NumberOfEmployees: null, CreatedDate: '2020-01-01T00:00:00.000+0000' },
    ]);
    const namesWhere = async (
      property: string,
      operator: 'is' | 'is_not' | 'is_one_of' | 'is_known' | 'is_unknown' | 'above' | 'below' | 'contains',
      ...values: string[]
    ) => {
      const selection = { ...everything, filters: [{ property, operator, values }] };
      const page = await lab.crm.page('lead', selection, { properties: ['LastName'], after: null }, signal);
      expect(await lab.crm.count('lead', selection, signal)).toBe(page.records.length);
      return page.records.map(({ values: { LastName } }) => LastName).join('');
    };
    expect(await namesWhere('Company', 'is', 'LAB')).toBe('BC');
    expect(await namesWhere('Company', 'is', "O'Brien & 50% \\ Sons")).toBe('A');
    expect(await namesWhere('Company', 'is_not', 'Lab')).toBe('A');
    expect(await namesWhere('Company', 'contains', "'brien")).toBe('A');
    expect(await namesWhere('Company', 'contains', '% \\')).toBe('A');
    expect(await namesWhere('Company', 'contains', '_')).toBe('');
    expect(await namesWhere('NumberOfEmployees', 'above', '10')).toBe('B');
    expect(await namesWhere('NumberOfEmployees', 'is_one_of', '10', '20')).toBe('AB');
    expect(await namesWhere('NumberOfEmployees', 'is_unknown')).toBe('C');
    expect(await namesWhere('Email', 'is_known')).toBe('A');
    expect(await namesWhere('IsConverted', 'is', 'true')).toBe('B');
    expect(await namesWhere('CreatedDate', 'below', '2021-01-01T00:00:00+02:00')).toBe('C');
    expect(await namesWhere('Industry', 'is_one_of', 'Banking', 'Education')).toBe('B');
    expect(await namesWhere('Tags__c', 'is_one_of', 'y')).toBe('A');
  });

  it.each([
    ['NumberOfEmployees', 'is', '1 OR Id != null'],
    ['NumberOfEmployees', 'above', ''],
    ['IsConverted', 'is', 'true OR IsConverted = false'],
    ['CreatedDate', 'below', 'TODAY'],
    ['OwnerId', 'is', "x' OR Id != '"],
    ['Description', 'contains', 'x'],
    ['NumberOfEmployees', 'contains', '1'],
  ] as const)(
    'are not filtered by a value that is none of the field: %s %s %j',
    async (property, operator, value) => {
      const selection = { ...everything, filters: [{ property, operator, values: [value] }] };
      await expect(lab.crm.count('lead', selection, signal)).rejects.toMatchObject({
        kind: 'refused',
        advice: expect.not.stringContaining(value || 'nothing'),
      });
      expect(lab.salesforce.faults.calls.map(({ path }) => path)).toEqual(['/sobjects/Lead/describe']);
    },
  );

  it('are not filtered by an undescribed property', async () => {
    const selection = {
      ...everything,
      filters: [{ property: 'Id != null OR Id', operator: 'is_known', values: [] }] as const,
    };
    await expect(lab.crm.count('lead', selection, signal)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('are those of a list view, narrowed by filters', async () => {
    lab.salesforce.seed('Contact', [
      { LastName: 'Ada', Title: "where (a) order by 'x' limit", Phone: '1' },
      { LastName: 'Bob', Title: 'Other' },
      { LastName: 'Cy', Title: "where (a) order by 'x' limit", OwnerId: '005000000000000AAA' },
    ]);
    const view = lab.salesforce.addListView(
      'Contact',
      'Mine',
      "SELECT Name, toLabel(LeadSource), Id FROM Contact USING SCOPE mine WHERE Title = 'where (a) order by \\'x\\' limit' OR (Title LIKE '%other%' AND LastName != null) ORDER BY Name ASC NULLS FIRST, Id ASC NULLS FIRST",
    );
    const plain = lab.salesforce.addListView('Contact', 'All', 'SELECT Name FROM Contact ORDER BY Name');
    const namesOf = async (segmentId: string, phone: boolean) => {
      const filters = phone ? ([{ property: 'Phone', operator: 'is_known', values: [] }] as const) : [];
      const selection = { ...everything, segmentId, filters };
      expect(await lab.crm.count('contact', selection, signal)).toBeGreaterThan(0);
      const { records } = await lab.crm.page(
        'contact',
        selection,
        { properties: ['LastName'], after: null },
        signal,
      );
      return records.map(({ values }) => values['LastName']);
    };
    expect(await namesOf(view, false)).toEqual(['Ada', 'Bob']);
    expect(await namesOf(view, true)).toEqual(['Ada']);
    expect(await namesOf(plain, false)).toEqual(['Ada', 'Bob', 'Cy']);
  });

  it('are none of a list view that does not exist or may not be read', async () => {
    const hidden = lab.salesforce.addListView('Contact', 'x', 'SELECT Id FROM Contact', false);
    const odd = lab.salesforce.addListView('Contact', 'y', 'SELECT Id FROM Contact WHERE Id != null LIMIT 5');
    const ofQueue = lab.salesforce.addListView(
      'Contact',
      'z',
      'SELECT Id FROM Contact',
      true,
      '00G000000000001',
    );
    const count = (segmentId: string) => lab.crm.count('contact', { ...everything, segmentId }, signal);
    await expect(count(hidden)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(count('../../limits?x=')).rejects.toMatchObject({ kind: 'not_found' });
    for (const segmentId of [odd, ofQueue]) {
      await expect(count(segmentId)).rejects.toMatchObject({ kind: 'refused', advice: expect.any(String) });
    }
  });
});
