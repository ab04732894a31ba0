import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  beginCrmConnection,
  completeCrmConnection,
  createWriteBackProperties,
  crmConnection,
  disconnectCrm,
  listCrmConnections,
  listCrmProperties,
  listCrmSegments,
  newId,
} from '@mailproof/shared-types';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type CrmHouse, openCrmHouse } from '../crm-house.ts';
import { poolOf } from '../exported-records.ts';
import { type Answer, openTestHouse, type Person, testPassword, validating } from '../house.ts';
import { type Collector, idOf, startCollector } from '../house-telemetry.ts';
import { describeOperation } from '../operation-suite.ts';
import { until } from '../until.ts';

let crms: CrmHouse;
let collector: Collector;
let dispatcher: pg.Pool;

beforeAll(async () => {
  collector = await startCollector();
  crms = await openCrmHouse({
    // An account is deleted from every service.
    only: [...validating, 'enrichment', 'webhook-dispatcher', 'mcp-server'],
    env: {
      gateway: collector.settings('gateway'),
      'webhook-dispatcher': collector.settings('webhook-dispatcher'),
    },
  });
  dispatcher = poolOf(crms.test, 'dispatcher');
}, 120_000);

afterAll(async () => {
  await dispatcher?.end();
  await crms?.stop();
  await collector?.stop();
});

const codeOf = ({ status, body }: Answer) => [status, body['code']];
const signedIn = async () => (await crms.test.owner()).signIn();
const stranger = () => crms.test.stranger();
const connectionsOf = async (person: Person) => (await person.get('/crm-connections')).body['connections'];

/** A signed-in member of the owner's account. */
async function memberOf(owner: Person): Promise<Person> {
  const person = await (await crms.test.owner({ accountId: owner.accountId })).signIn();
  const { databaseUrls } = crms.test.house;
  const gateway = new pg.Client({ connectionString: databaseUrls['gateway']?.migrationDatabaseUrl });
  await gateway.connect();
  await gateway.query("UPDATE gateway.app_user SET role = 'member' WHERE user_id = $1", [person.userId]);
  await gateway.end();
  return person;
}

/** Checks that operations with a connection in their path refuse malformed and unknown ids. */
async function refusesIds(send: (person: Person, connectionId: string) => Promise<Answer>): Promise<void> {
  const [owner, other] = [await signedIn(), await signedIn()];
  expect(codeOf(await send(owner, 'crm_1'))).toEqual([400, 'invalid_request']);
  expect(codeOf(await send(owner, newId('crmConnection')))).toEqual([404, 'crm_connection_not_found']);
  const { connection_id: theirs } = await crms.connect(other, 'hubspot');
  expect(codeOf(await send(owner, theirs))).toEqual([404, 'crm_connection_not_found']);
  expect(await connectionsOf(other)).toMatchObject([{ connection_id: theirs, fault: null }]);
}

describeOperation(beginCrmConnection, {
  async success() {
    const owner = await signedIn();
    for (const [provider, baseUrl] of [
      ['hubspot', crms.hubspot.baseUrl],
      ['salesforce', crms.salesforce.baseUrl],
    ] as const) {
      const { status, body } = await owner.post('/crm-connections', { provider });
      expect([status, body]).toEqual([
        201,
        { authorization_url: expect.stringContaining(`${baseUrl}/`), expires_at: expect.any(String) },
      ]);
      const url = new URL(String(body['authorization_url']));
      const publicBaseUrl = crms.test.house.environments['webhook-dispatcher']['PUBLIC_BASE_URL'];
      expect(url.searchParams.get('redirect_uri')).toBe(`${publicBaseUrl}/crm/callback`);
      expect(url.searchParams.get('code_challenge_method')).toBe('S256');
    }
    expect(await connectionsOf(owner)).toEqual([]);
  },
  async badInput() {
    const owner = await signedIn();
    for (const body of [{}, { provider: 'other' }, { provider: 'hubspot', scope: 'all' }, [], 'x']) {
      expect((await owner.post('/crm-connections', body)).status).toBe(400);
    }
  },
  async noCredentials() {
    const body = { provider: 'hubspot' };
    expect(codeOf(await stranger().post('/crm-connections', body))).toEqual([401, 'not_signed_in']);
    const member = await memberOf(await signedIn());
    expect(codeOf(await member.post('/crm-connections', body))).toEqual([403, 'owner_required']);
  },
  async anotherTenant() {
    const [owner, other] = [await signedIn(), await signedIn()];
    const given = await crms.visit(owner, 'hubspot');
    expect(codeOf(await crms.complete(other, given))).toEqual([410, 'crm_sign_in_not_valid']);
    expect(await connectionsOf(other)).toEqual([]);
  },
});

describe('a CRM that the installation is not set up for', () => {
  it.each(['hubspot', 'salesforce'] as const)('is refused with what to do: %s', async provider => {
    const test = await openTestHouse({ only: ['gateway', 'credit-ledger', 'webhook-dispatcher'] });
    try {
      const owner = await (await test.owner()).signIn();
      const refused = await owner.post('/crm-connections', { provider });
      expect(refused).toMatchObject({
        status: 409,
        body: {
          code: 'crm_not_configured',
          detail: expect.stringMatching(/^Ask your administrator to configure (HubSpot|Salesforce) /),
        },
      });
      expect(beginCrmConnection.problems).toContain('crm_not_configured');
    } finally {
      await test.stop();
    }
  });
});

describeOperation(completeCrmConnection, {
  async success() {
    const owner = await signedIn();
    const given = await crms.visit(owner, 'hubspot');
    const completed = await crms.complete(owner, given);
    expect(completed.status).toBe(201);
    expect(crmConnection.strict().parse(completed.body)).toMatchObject({
      provider: 'hubspot',
      organisation: { id: String(crms.hubspot.portalId), name: 'ordinary.example' },
      objects: ['contact', 'company'],
      fault: null,
      connected_by: owner.userId,
      last_used_at: null,
    });
    expect(codeOf(await crms.complete(owner, given))).toEqual([410, 'crm_sign_in_not_valid']);
    const salesforce = await crms.connect(owner, 'salesforce');
    expect(salesforce.organisation.name).toBe('Ordinary Limited');
    // The same organization again: the connection exists.
    const again = await crms.connect(owner, 'salesforce');
    expect(again.connection_id).toBe(salesforce.connection_id);
    expect(await connectionsOf(owner)).toHaveLength(2);
  },
  async badInput() {
    const owner = await signedIn();
    for (const body of [
      {},
      { code: 'c' },
      { state: 's' },
      { state: 's', code: '' },
      { state: 's', code: 'c', error: 'e' },
      { state: 's', code: 'a\u0000' },
      { state: 's', code: 'x'.repeat(5_000) },
      { state: 5, code: 'c' },
    ]) {
      expect(codeOf(await crms.complete(owner, body))).toEqual([400, 'invalid_request']);
    }
    expect(codeOf(await crms.complete(owner, { state: 'made up', code: 'c' }))).toEqual([
      410,
      'crm_sign_in_not_valid',
    ]);
    crms.hubspot.oauth.answerPeopleWith('deny');
    const denied = await crms.complete(owner, await onlyErrorOf(owner));
    crms.hubspot.oauth.answerPeopleWith('allow');
    expect([...codeOf(denied), denied.body['detail']]).toEqual([
      422,
      'crm_access_denied',
      'The CRM’s error: access_denied.',
    ]);
    const given = await crms.visit(owner, 'hubspot');
    const madeUp = await crms.complete(owner, { ...given, code: 'made-up' });
    expect(codeOf(madeUp)).toEqual([422, 'crm_access_denied']);
    expect(await connectionsOf(owner)).toEqual([]);
  },
  async noCredentials() {
    const owner = await signedIn();
    const given = await crms.visit(owner, 'hubspot');
    expect(codeOf(await crms.complete(stranger(), given))).toEqual([401, 'not_signed_in']);
    const member = await memberOf(owner);
    expect(codeOf(await crms.complete(member, given))).toEqual([403, 'owner_required']);
    // Neither attempt has used it up.
    expect((await crms.complete(owner, given)).status).toBe(201);
  },
  async anotherTenant() {
    const [owner, other] = [await signedIn(), await signedIn()];
    const given = await crms.visit(owner, 'salesforce');
    expect(codeOf(await crms.complete(other, given))).toEqual([410, 'crm_sign_in_not_valid']);
    // A colleague in the same account has not started it either.
    const colleague = await (await crms.test.owner({ accountId: owner.accountId })).signIn();
    expect(codeOf(await crms.complete(colleague, given))).toEqual([410, 'crm_sign_in_not_valid']);
    expect((await crms.complete(owner, given)).status).toBe(201);
  },
});

/** The parameters with which a browser returns after its user declined. */
async function onlyErrorOf(owner: Person): Promise<object> {
  const { state, error } = await crms.visit(owner, 'hubspot');
  return { state, error };
}

describeOperation(listCrmConnections, {
  async success() {
    const owner = await signedIn();
    const [first, second] = [await crms.connect(owner, 'hubspot'), await crms.connect(owner, 'salesforce')];
    const member = await memberOf(owner);
    const { status, body } = await member.get('/crm-connections');
    expect([status, body]).toEqual([
      200,
      { connections: [second, first], providers: ['hubspot', 'salesforce'] },
    ]);
  },
  async badInput() {
    const owner = await signedIn();
    expect(codeOf(await owner.get('/crm-connections?provider=hubspot'))).toEqual([400, 'invalid_request']);
  },
  noCredentials: async () =>
    expect(codeOf(await stranger().get('/crm-connections'))).toEqual([401, 'not_signed_in']),
  async anotherTenant() {
    const [owner, other] = [await signedIn(), await signedIn()];
    await crms.connect(owner, 'hubspot');
    expect(await connectionsOf(other)).toEqual([]);
  },
});

describeOperation(disconnectCrm, {
  async success() {
    const owner = await signedIn();
    const { connection_id: connectionId } = await crms.connect(owner, 'salesforce');
    const before = crms.salesforce.oauth.counts.revoked;
    const { status, body } = await owner.delete(`/crm-connections/${connectionId}`);
    expect([status, body]).toEqual([200, { is_revoked: true }]);
    expect(crms.salesforce.oauth.counts.revoked - before).toBe(1);
    expect(await connectionsOf(owner)).toEqual([]);
    expect(codeOf(await owner.delete(`/crm-connections/${connectionId}`))).toEqual([
      404,
      'crm_connection_not_found',
    ]);
    const { rows } = await dispatcher.query('SELECT FROM crm_connection WHERE connection_id = $1', [
      connectionId,
    ]);
    expect(rows).toEqual([]);
  },
  badInput: () => refusesIds((person, id) => person.delete(`/crm-connections/${id}`)),
  async noCredentials() {
    const owner = await signedIn();
    const { connection_id: id } = await crms.connect(owner, 'hubspot');
    const path = `/crm-connections/${id}`;
    expect(codeOf(await stranger().delete(path))).toEqual([401, 'not_signed_in']);
    expect(codeOf(await (await memberOf(owner)).delete(path))).toEqual([403, 'owner_required']);
    expect(await connectionsOf(owner)).toHaveLength(1);
  },
  anotherTenant: () => refusesIds((person, id) => person.delete(`/crm-connections/${id}`)),
});

describeOperation(listCrmProperties, {
  async success() {
    const owner = await signedIn();
    const { connection_id: id } = await crms.connect(owner, 'hubspot');
    const path = `/crm-connections/${id}/properties?object=contact`;
    const { status, body } = await owner.get(path);
    expect(status).toBe(200);
    expect(listCrmProperties.success.schema.parse(body)).toMatchObject({
      properties: expect.arrayContaining([
        expect.objectContaining({ name: 'email', type: 'text', is_writable: true }),
      ]),
    });
    expect(await connectionsOf(owner)).toMatchObject([{ last_used_at: expect.any(String) }]);
    // The access token expires, as it does every half hour, and is renewed during the request.
    crms.hubspot.oauth.expireAccessTokens();
    expect((await owner.get(path)).status).toBe(200);
    // Salesforce reports the URL of its records, but not when the access token expires.
    const salesforce = await crms.connect(owner, 'salesforce');
    const leads = `/crm-connections/${salesforce.connection_id}/properties?object=lead`;
    crms.salesforce.oauth.expireAccessTokens();
    expect((await owner.get(leads)).body).toMatchObject({
      properties: expect.arrayContaining([expect.objectContaining({ name: 'Company', is_required: true })]),
    });
    crms.hubspot.oauth.revokeAll();
    expect(codeOf(await owner.get(path))).toEqual([409, 'crm_access_revoked']);
    expect(await connectionsOf(owner)).toMatchObject([
      { provider: 'salesforce', fault: null },
      { provider: 'hubspot', fault: { reason: 'access_revoked' } },
    ]);
    const again = await crms.connect(owner, 'hubspot');
    expect(again).toMatchObject({ connection_id: id, fault: null });
    expect((await owner.get(path)).status).toBe(200);
  },
  async badInput() {
    const owner = await signedIn();
    const { connection_id: id } = await crms.connect(owner, 'hubspot');
    for (const query of ['', '?object=deal', '?object=contact&more=1', '?object=lead']) {
      const answer = await owner.get(`/crm-connections/${id}/properties${query}`);
      expect([query, ...codeOf(answer)]).toEqual([query, 400, 'invalid_request']);
    }
  },
  noCredentials: async () =>
    expect(
      codeOf(await stranger().get(`/crm-connections/${newId('crmConnection')}/properties?object=contact`)),
    ).toEqual([401, 'not_signed_in']),
  anotherTenant: () =>
    refusesIds((person, id) => person.get(`/crm-connections/${id}/properties?object=contact`)),
});

describeOperation(createWriteBackProperties, {
  /** Creates what is missing once; then results can be written back to the properties. */
  async success() {
    const owner = await signedIn();
    const { connection_id: id } = await crms.connect(owner, 'hubspot');
    const path = `/crm-connections/${id}/write-back-properties`;
    const wanted = { object: 'company', columns: ['validated_at', 'valid'] };
    const { status, body } = await owner.post(path, wanted);
    expect(status).toBe(200);
    expect(createWriteBackProperties.success.schema.parse(body)).toMatchObject({
      properties: [
        { column: 'validated_at', property: { name: 'mailproof_validated_at', type: 'moment' } },
        { column: 'valid', property: { name: 'mailproof_deliverable', type: 'boolean' } },
      ],
    });
    expect((await owner.post(path, wanted)).body).toEqual(body);
    const all = await owner.get(`/crm-connections/${id}/properties?object=company`);
    expect(all.body).toMatchObject({
      properties: expect.arrayContaining([expect.objectContaining({ name: 'mailproof_deliverable' })]),
    });
    const salesforce = await crms.connect(owner, 'salesforce');
    const lead = { object: 'lead', columns: ['result_status'] };
    const there = `/crm-connections/${salesforce.connection_id}/write-back-properties`;
    crms.salesforce.permissions.customizesApplication = false;
    try {
      const refused = await owner.post(there, lead);
      expect(codeOf(refused)).toEqual([409, 'crm_not_permitted']);
      expect(refused.body['detail']).toContain('mailproof_result__c');
    } finally {
      crms.salesforce.permissions.customizesApplication = true;
    }
    expect((await owner.post(there, lead)).body).toMatchObject({
      properties: [{ property: { name: 'mailproof_result__c', is_writable: true } }],
    });
  },
  async badInput() {
    const owner = await signedIn();
    const { connection_id: id } = await crms.connect(owner, 'hubspot');
    const columns = ['valid'];
    for (const body of [
      { columns },
      { object: 'lead', columns },
      { object: 'contact', columns: [] },
      { object: 'contact', columns: ['valid', 'valid'] },
      { object: 'contact', columns: ['result'] },
      { object: 'contact', columns, name: 'other' },
    ]) {
      const answer = await owner.post(`/crm-connections/${id}/write-back-properties`, body);
      expect([body, ...codeOf(answer)]).toEqual([body, 400, 'invalid_request']);
    }
  },
  noCredentials: async () =>
    expect(
      codeOf(
        await stranger().post(`/crm-connections/${newId('crmConnection')}/write-back-properties`, {
          object: 'contact',
          columns: ['valid'],
        }),
      ),
    ).toEqual([401, 'not_signed_in']),
  anotherTenant: () =>
    refusesIds((person, id) =>
      person.post(`/crm-connections/${id}/write-back-properties`, { object: 'contact', columns: ['valid'] }),
    ),
});

describeOperation(listCrmSegments, {
  async success() {
    const owner = await signedIn();
    const { connection_id: id } = await crms.connect(owner, 'hubspot');
    const [record = ''] = crms.hubspot.seed('contacts', 1, () => ({ email: 'one@ordinary.example' }));
    const listId = crms.hubspot.addList('Customers of the north', 'contacts', [record]);
    const { status, body } = await owner.get(`/crm-connections/${id}/segments?object=contact`);
    expect(status).toBe(200);
    expect(listCrmSegments.success.schema.parse(body)).toEqual({
      segments: [{ segment_id: listId, name: 'Customers of the north', records: 1 }],
    });
  },
  async badInput() {
    const owner = await signedIn();
    const { connection_id: id } = await crms.connect(owner, 'hubspot');
    for (const query of ['', '?object=deal', '?object=lead']) {
      const answer = await owner.get(`/crm-connections/${id}/segments${query}`);
      expect([query, ...codeOf(answer)]).toEqual([query, 400, 'invalid_request']);
    }
  },
  noCredentials: async () =>
    expect(
      codeOf(await stranger().get(`/crm-connections/${newId('crmConnection')}/segments?object=contact`)),
    ).toEqual([401, 'not_signed_in']),
  anotherTenant: () =>
    refusesIds((person, id) => person.get(`/crm-connections/${id}/segments?object=contact`)),
});

describe('what gives access to CRMs', () => {
  it('reaches no log, span or metric, and lies nowhere in clear, in tables or in Redis', async () => {
    const owner = await signedIn();
    const given = await crms.visit(owner, 'hubspot');
    const gatewayUrl = crms.test.house.gatewayUrls[0] ?? '';
    const landed = await fetch(`${gatewayUrl}/crm/callback?${new URLSearchParams(given)}`, {
      redirect: 'manual',
    });
    expect(landed.status).toBe(302);
    await fetch(new URL(landed.headers.get('location') ?? '', gatewayUrl), {
      headers: { accept: 'text/html' },
    });
    const completed = await crms.complete(owner, given);
    const { connection_id: id } = crmConnection.parse(completed.body);
    await crms.connect(owner, 'salesforce');
    const path = `/crm-connections/${id}/properties?object=company`;
    const asked = [completed, await owner.get(path)];
    crms.hubspot.oauth.expireAccessTokens();
    asked.push(await owner.get(path), await owner.get(`/crm-connections/${id}/segments?object=contact`));
    crms.hubspot.oauth.revokeAll();
    asked.push(await owner.get(path));
    asked.push(await crms.complete(owner, { ...(await crms.visit(owner, 'hubspot')), code: 'lab-code-x' }));
    asked.push(await owner.get('/crm-connections'));
    const everything = [
      await collector.everythingOf(crms.test.house, ...asked.map(idOf)),
      await everyTable(),
      await everyKey(),
      JSON.stringify(asked.map(({ body }) => body)),
    ];
    const [told = ''] = everything;
    expect(told).toContain('CRM access lost');
    for (const each of everything) {
      expect(each.match(/lab-(?:access|refresh|code)-[\w-]+/)).toBeNull();
      expect(each).not.toContain(crms.hubspot.clientSecret);
      expect(each).not.toContain('lab-secret');
      expect(each).not.toContain(given.state);
    }
  });

  it('is left out of what an account is given of itself, and ends with the account', async () => {
    const owner = await signedIn();
    const connection = await crms.connect(owner, 'salesforce');
    await crms.visit(owner, 'hubspot');
    const exported = await fetch(`${crms.test.house.gatewayUrls[0]}/app/v1/account/export`, {
      headers: { cookie: [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    const text = await exported.text();
    expect(text).toContain(connection.connection_id);
    expect(text).toContain('Ordinary Limited');
    expect(text).toContain('"crm_sign_in"');
    expect(text).not.toMatch(/sealed|state_hash|eyJ|lab-(?:access|refresh)/);
    const before = crms.salesforce.oauth.counts.revoked;
    const deleted = await owner.send('/account', {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: testPassword, account_name: 'Test' }),
    });
    expect(deleted.status).toBe(200);
    const left = async () =>
      (
        await dispatcher.query<{ rows: number }>(
          `SELECT (SELECT count(*) FROM crm_connection WHERE account_id = $1)::int
             + (SELECT count(*) FROM crm_sign_in WHERE account_id = $1)::int AS rows`,
          [owner.accountId],
        )
      ).rows[0]?.rows;
    await until('nothing is left of the account', left, rows => rows === 0, 30_000);
    await until(
      'the CRM knows',
      async () => crms.salesforce.oauth.counts.revoked - before,
      revoked => revoked === 1,
    );
  });
});

/** Every row of every table of the dispatcher and the gateway. */
async function everyTable(): Promise<string> {
  const texts: string[] = [];
  for (const schema of ['dispatcher', 'gateway']) {
    const { databaseUrls } = crms.test.house;
    const client = new pg.Client({ connectionString: databaseUrls[schema]?.migrationDatabaseUrl });
    await client.connect();
    const { rows: tables } = await client.query<{ name: string }>(
      'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1',
      [schema],
    );
    for (const { name } of tables) {
      const { rows } = await client.query(
        `SELECT coalesce(string_agg(to_jsonb(t)::text, ' '), '') AS text FROM ${schema}.${name} t`,
      );
      texts.push(rows[0].text);
    }
    await client.end();
  }
  expect(texts.join()).toContain('sealed_tokens');
  return texts.join('\n');
}

/** Every Redis key with its value, as Redis would write it to disk. */
async function everyKey(): Promise<string> {
  const redis = new Redis(crms.test.house.redisUrl);
  const texts: string[] = [];
  // A search would not find compressed text.
  await redis.config('SET', 'rdbcompression', 'no');
  const control = `control ${'a text that repeats itself, '.repeat(9)}`;
  await redis.setex('mailproof:control', 60, control);
  for await (const keys of redis.scanStream({ count: 1_000 })) {
    for (const key of keys as string[]) {
      texts.push(key, (await redis.dumpBuffer(key))?.toString('latin1') ?? '');
    }
  }
  redis.disconnect();
  expect(texts.join('\n')).toContain(control);
  return texts.join('\n');
}
