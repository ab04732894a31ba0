import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSalesforceLab, type SalesforceLab } from './open-salesforce-lab.ts';

let lab: SalesforceLab;
const signal = new AbortController().signal;

beforeEach(async () => {
  lab = await openSalesforceLab();
});

afterEach(() => lab.close());

describe('records that are looked for', () => {
  beforeEach(() => lab.salesforce.addOwnKey('Contact'));

  it('are found by their ids in both forms, and only for the requested type', async () => {
    const [ada = ''] = lab.salesforce.seed('Contact', [{ LastName: 'Ada', Title: 'Countess' }]);
    const [account = ''] = lab.salesforce.seed('Account', [{ Name: 'Lab' }]);
    const asked = [ada, ada.slice(0, 15), account, 'x', "' OR Id != '"];
    const found = await lab.crm.find('contact', 'record_id', asked, ['Title'], signal);
    expect(found).toEqual([
      { recordId: ada, foundBy: ada, values: { Title: 'Countess' } },
      { recordId: ada, foundBy: ada.slice(0, 15), values: { Title: 'Countess' } },
    ]);
  });

  it('are found by address and by key in any case', async () => {
    lab.salesforce.seed('Contact', [
      { LastName: 'One', Email: 'Ada@Example.com', mailproof_id__c: 'PER_1' },
      { LastName: 'Two', Email: 'ada@example.com' },
    ]);
    const byEmail = await lab.crm.find(
      'contact',
      'identifying',
      ['ADA@example.com', 'nobody@example.com', ''],
      ['LastName', 'Phone'],
      signal,
    );
    expect(byEmail).toEqual([
      { recordId: expect.any(String), foundBy: 'ADA@example.com', values: { LastName: 'One', Phone: null } },
    ]);
    const byKey = await lab.crm.find('contact', 'own_key', ['per_1'], ['LastName'], signal);
    expect(byKey.map(({ values }) => values)).toEqual([{ LastName: 'One' }]);
  });

  it('are not said to be missing where our key cannot be seen', async () => {
    lab.salesforce.seed('Lead', [{ LastName: 'One', Company: 'Lab' }]);
    await expect(lab.crm.find('lead', 'own_key', ['per_1'], [], signal)).rejects.toMatchObject({
      kind: 'not_found',
      advice: expect.stringContaining('mailproof_id__c'),
    });
  });

  it('are found by the domain of a website however it is written', async () => {
    const sites = [
      'https://www.one.example/',
      'two.example',
      'HTTP://Three.example',
      'https://four.example/about/us',
      'www.five.example/x',
      'https://münchen.example',
      'https://notsix.example',
      'https://six.example.org',
    ];
    lab.salesforce.seed(
      'Account',
      sites.map(Website => ({ Name: Website, Website })),
    );
    const asked = ['one', 'two', 'three', 'four', 'five', 'six'].map(name => `https://www.${name}.example/`);
    const found = await lab.crm.find(
      'company',
      'identifying',
      [...asked, 'xn--mnchen-3ya.example', 'no website'],
      ['Website'],
      signal,
    );
    expect(found.map(({ foundBy, values }) => [foundBy, values['Website']])).toEqual([
      ...asked.slice(0, 5).map((each, index) => [each, sites[index]]),
      ['xn--mnchen-3ya.example', sites[5]],
    ]);
  });

  it('are the first that was created, of as many as there are', async () => {
    const crowd = Array.from({ length: 4_100 }, (_, n) => ({ LastName: `${n}`, Email: 'none@example.com' }));
    lab.salesforce.seed('Contact', [...crowd, { LastName: 'Ada', Email: 'ada@example.com' }]);
    const asked = ['none@example.com', 'ada@example.com'];
    const found = await lab.crm.find('contact', 'identifying', asked, ['LastName'], signal);
    expect(found.map(({ foundBy, values }) => [foundBy, values['LastName']])).toEqual([
      ['none@example.com', '0'],
      ['ada@example.com', 'Ada'],
    ]);
  });

  it('are not the leads that have become contacts', async () => {
    lab.salesforce.seed('Lead', [
      { LastName: 'Old', Company: 'Lab', Email: 'ada@example.com', IsConverted: true },
      { LastName: 'New', Company: 'Lab', Email: 'ada@example.com' },
    ]);
    const found = await lab.crm.find('lead', 'identifying', ['ada@example.com'], ['LastName'], signal);
    expect(found.map(({ values }) => values)).toEqual([{ LastName: 'New' }]);
  });

  it.each([
    ['long', (n: number) => `${'ü'.repeat(40)}${n}@${'o'.repeat(60)}.example`],
    ['short', (n: number) => `${n}@x.example`],
  ])('are found by a hundred %s values, in addresses that Salesforce takes', async (_kind, emailOf) => {
    const emails = Array.from({ length: 100 }, (_, n) => emailOf(n));
    lab.salesforce.seed(
      'Contact',
      emails.map(Email => ({ LastName: 'x', Email })),
    );
    const found = await lab.crm.find('contact', 'identifying', emails, [], signal);
    expect(new Set(found.map(({ foundBy }) => foundBy))).toEqual(new Set(emails));
    expect(longestAddress()).toBeLessThan(12_100);
  });

  it('are found by a hundred websites in a handful of calls, with any properties', async () => {
    const websites = Array.from({ length: 100 }, (_, n) => `https://company-${n}.example/`);
    lab.salesforce.seed(
      'Account',
      websites.map(Website => ({ Name: 'x', Website })),
    );
    const properties = (await lab.crm.properties('company', signal)).map(({ name }) => name);
    expect(await lab.crm.find('company', 'identifying', websites, properties, signal)).toHaveLength(100);
    expect(lab.salesforce.faults.calls.filter(({ soql }) => soql)).toHaveLength(5);
    expect(longestAddress()).toBeLessThan(12_100);
  });

  it.each([
    "x' OR Email != '",
    "\\' OR Email != null OR Email = \\'",
    '\\',
    "\\\\'",
    'ada@example.com\u0000',
    '\ud800@example.com',
    '％_%',
    "ada'); DELETE",
    '\n\r\t\b\f"',
    '\u2028\u0007',
  ])('are not found by what tries to be more than a value: %j', async value => {
    lab.salesforce.seed('Contact', [{ LastName: 'Ada', Email: 'ada@example.com', mailproof_id__c: 'per_1' }]);
    expect(await lab.crm.find('contact', 'identifying', [value], [], signal)).toEqual([]);
    expect(await lab.crm.find('contact', 'own_key', [value], [], signal)).toEqual([]);
    lab.salesforce.seed('Contact', [{ LastName: 'Odd', Email: value.toWellFormed() }]);
    const found = await lab.crm.find('contact', 'identifying', [value], ['LastName'], signal);
    expect(found.map(({ values }) => values)).toEqual(value.isWellFormed() ? foundOdd(value) : []);
  });

  it('are not asked for undescribed properties', async () => {
    for (const name of ['Owner.Name', 'Id FROM Contact', 'nope', '(SELECT Id FROM Cases)', 'lastname']) {
      await expect(lab.crm.find('contact', 'own_key', ['per_1'], [name], signal)).rejects.toMatchObject({
        kind: 'not_found',
      });
    }
    expect(lab.salesforce.faults.calls.every(({ path }) => path.endsWith('/describe'))).toBe(true);
  });
});

function longestAddress(): number {
  return Math.max(...lab.salesforce.faults.calls.map(({ addressBytes }) => addressBytes));
}

/** Surrounding spaces are not part of an address, so no record has an address with them. */
function foundOdd(value: string) {
  return value.trim() === value ? [{ LastName: 'Odd' }] : [];
}
