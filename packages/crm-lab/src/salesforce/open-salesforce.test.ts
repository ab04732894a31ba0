import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSalesforce, type SalesforceSimulator } from './open-salesforce.ts';

let salesforce: SalesforceSimulator;
let token: string;

beforeAll(async () => {
  salesforce = await openSalesforce();
  token = salesforce.oauth.grant().accessToken;
  salesforce.addOwnKey('Contact');
});

afterAll(() => salesforce.close());

async function call<Body = unknown>(path: string, init: RequestInit = {}) {
  const answer = await fetch(`${salesforce.baseUrl}/services/data/v62.0${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  return { status: answer.status, body: (await answer.json()) as Body };
}

interface Found {
  readonly totalSize: number;
  readonly done: boolean;
  readonly nextRecordsUrl: string;
  readonly records: readonly { readonly LastName: string }[];
}

const query = (soql: string) => call<Found>(`/query?q=${encodeURIComponent(soql)}`);
const contacts = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ attributes: { type: 'Contact' }, LastName: `n${n}` }));

describe('the simulated Salesforce', () => {
  it.each([
    'SELECT Id FROM Contact WHERE LastName = "x"',
    "SELECT Id FROM Contact WHERE LastName = 'x' AND Email = 'y' OR Phone = 'z'",
    "SELECT Id FROM Contact WHERE LastName = 'x\\d'",
    "SELECT Id FROM Contact WHERE LastName = 'x",
    'SELECT Id FROM Contact OFFSET 10',
    'SELECT Id, (SELECT Id FROM Cases) FROM Contact',
    'SELECT COUNT(Id) FROM Contact',
    'SELECT Id FROM Contact; DELETE',
    'SELECT Id FROM Contact WHERE LastName IN ()',
    '',
  ])('refuses a query that SOQL does not know, or that it does not: %s', async soql => {
    expect(await query(soql)).toMatchObject({ status: 400, body: [{ errorCode: 'MALFORMED_QUERY' }] });
  });

  it.each([
    ["SELECT Id FROM Contact WHERE Nope = 'x'", 'INVALID_FIELD'],
    ['SELECT Nope FROM Contact', 'INVALID_FIELD'],
    ["SELECT Id FROM Contact WHERE Description = 'x'", 'INVALID_FIELD'],
    ['SELECT Id FROM Contact WHERE LastName = 5', 'INVALID_FIELD'],
    ["SELECT Id FROM Lead WHERE NumberOfEmployees = '5'", 'INVALID_FIELD'],
    ["SELECT Id FROM Contact WHERE CreatedDate > '2020-01-01'", 'INVALID_FIELD'],
    ["SELECT Id FROM Contact WHERE Id = 'x'", 'INVALID_QUERY_FILTER_OPERATOR'],
    ['SELECT Id FROM Case', 'INVALID_TYPE'],
  ])('refuses fields and literals that do not fit: %s', async (soql, errorCode) => {
    expect(await query(soql)).toMatchObject({ status: 400, body: [{ errorCode }] });
  });

  it('gives records by locator where there are more than fit into an answer', async () => {
    salesforce.seed(
      'Lead',
      Array.from({ length: 4_500 }, (_, n) => ({ LastName: `n${n}`, Company: 'Lab' })),
    );
    const names: unknown[] = [];
    let { body } = await query('SELECT LastName FROM Lead ORDER BY Id');
    for (;;) {
      expect(body.totalSize).toBe(4_500);
      names.push(...body.records.map(({ LastName }) => LastName));
      if (body.done) {
        break;
      }
      ({ body } = await call<Found>(body.nextRecordsUrl.replace('/services/data/v62.0', '')));
    }
    expect(names).toEqual(Array.from({ length: 4_500 }, (_, n) => `n${n}`));
    expect((await query('SELECT COUNT() FROM Lead LIMIT 7')).body).toMatchObject({
      totalSize: 7,
      records: [],
    });
    expect((await call('/query/01gLB0000000001AAA-2000')).body).toMatchObject([
      { errorCode: 'INVALID_QUERY_LOCATOR' },
    ]);
  });

  it('takes 200 records in a call, and creates those of a batch that nothing is against', async () => {
    const send = (records: readonly object[]) =>
      call<readonly { readonly success: boolean }[]>('/composite/sobjects', {
        method: 'POST',
        body: JSON.stringify({ records }),
      });
    expect((await send(contacts(200))).body.filter(({ success }) => success)).toHaveLength(200);
    expect((await send(contacts(201))).status).toBe(400);
    const [good, bad] = [...contacts(1), { attributes: { type: 'Contact' }, FirstName: 'x' }];
    expect((await send([bad ?? {}, good ?? {}])).body).toMatchObject([
      { success: false, errors: [{ statusCode: 'REQUIRED_FIELD_MISSING', fields: ['LastName'] }] },
      { success: true },
    ]);
  });

  it('takes neither of two records with one external id', async () => {
    const records = contacts(2).map(record => ({ ...record, mailproof_id__c: 'one' }));
    const { body } = await call('/composite/sobjects/Contact/mailproof_id__c', {
      method: 'PATCH',
      body: JSON.stringify({ records }),
    });
    expect(body).toMatchObject([
      { success: false, errors: [{ statusCode: 'DUPLICATE_VALUE' }] },
      { success: false },
    ]);
  });

  it('refuses a request without a token and one for another API version', async () => {
    expect((await fetch(`${salesforce.baseUrl}/services/data/v62.0/limits`)).status).toBe(401);
    expect((await fetch(`${salesforce.baseUrl}/services/data/v9.0/limits`)).status).toBe(404);
    expect((await call('/limits')).body).toMatchObject({ DailyApiRequests: { Max: 100_000 } });
  });
});
