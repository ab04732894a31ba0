import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openHubSpotCrm } from '../../src/adapters/hubspot/open-hubspot-crm.ts';
import type { CrmFaultKind } from '../../src/domain/crm/crm.ts';
import { faultOf, type HubSpotHouse, openHubSpotHouse, signal } from './open-hubspot-house.ts';

let house: HubSpotHouse;

beforeEach(async () => {
  house = await openHubSpotHouse();
});

afterEach(() => house.close());

const anything = () => house.crm.find('contact', 'record_id', ['101'], ['email'], signal);
const everything = { segmentId: null, filters: [], recordsMax: 50_000 };

describe('access', () => {
  it('that ends in the middle of a push is renewed once, and everything is written once', async () => {
    await house.crm.ensureOwnKey('contact', signal);
    const [ada = ''] = house.lab.seed('contacts', 1, () => ({ email: 'ada@example.com' }));
    // The update is still answered; then the access token expires before the upsert.
    house.lab.switches.afterCalls(1, () => house.lab.oauth.expireAccessTokens());
    const results = await house.crm.write(
      'contact',
      [
        { rowNo: 1, recordId: ada, ownKey: 'person_1', values: { city: 'Paris' } },
        { rowNo: 2, recordId: null, ownKey: 'person_2', values: { email: 'grace@example.com' } },
      ],
      signal,
    );
    expect(results.map(({ outcome }) => outcome)).toEqual(['updated', 'created']);
    expect(house.access.renewals).toBe(1);
    expect(house.lab.records('contacts')).toHaveLength(2);
  });

  it('that HubSpot refuses though it is new is revoked', async () => {
    const crm = house.open(
      {},
      {
        current: async () => ({ accessToken: 'lab-old', apiBaseUrl: house.lab.baseUrl }),
        renewed: async () => ({ accessToken: 'lab-new', apiBaseUrl: house.lab.baseUrl }),
      },
    );
    expect(await faultOf(crm.properties('contact', signal))).toMatchObject({ kind: 'revoked' });
    expect(house.lab.calls.map(({ status }) => status)).toEqual([401, 401]);
  });

  it('that cannot be renewed is revoked', async () => {
    house.lab.oauth.expireAccessTokens();
    house.access.isRevoked = true;
    expect(await faultOf(anything())).toMatchObject({ kind: 'revoked' });
  });
});

describe('a deadline that the caller set', () => {
  it('and that is over means that HubSpot is away', async () => {
    const late = (until: AbortSignal) =>
      new Promise<never>((_, reject) => {
        until.addEventListener('abort', () => reject(until.reason));
      });
    const crm = house.open({}, { current: late, renewed: (_access, until) => late(until) });
    const page = crm.page('contact', everything, { properties: [], after: null }, AbortSignal.timeout(1));
    expect(await faultOf(page)).toMatchObject({ kind: 'away' });
  });
});

describe('limits', () => {
  it('of ten seconds are reported with the time to wait, and have ended by then', async () => {
    house.lab.switches.throttleNext('TEN_SECONDLY_ROLLING', { times: 2 });
    expect(await faultOf(anything())).toMatchObject({ kind: 'throttled', waitMs: 10_000 });
    expect(await faultOf(anything())).toMatchObject({ kind: 'throttled', waitMs: 10_000 });
    expect(await anything()).toEqual([]);
    expect(house.lab.calls.map(({ status }) => status)).toEqual([429, 429, 207]);
  });

  it('of a second, which searches have, are waited out', async () => {
    house.lab.seed('contacts', 3, index => ({ email: `p${index}@example.com` }));
    house.lab.switches.throttleNext('SECONDLY', { times: 2, path: /search$/ });
    expect(await house.crm.count('contact', everything, signal)).toBe(3);
    expect(house.lab.calls.map(({ status }) => status)).toEqual([429, 429, 200]);
  });

  it('of a day are another matter', async () => {
    house.lab.setLimits({ callsPerDay: 1 });
    await anything();
    expect(await faultOf(anything())).toMatchObject({ kind: 'exhausted', waitMs: null });
  });

  it('are shared by the connections of one account, and by no others', async () => {
    house.lab.setLimits({ callsPer10s: 10 });
    const openCrm = openHubSpotCrm({ outside: house.outside, userAgent: 'Mailproof/1.0' });
    const find = (organizationId: string, until: AbortSignal) =>
      openCrm(house.access, organizationId).find('contact', 'record_id', ['101'], [], until);
    for (let calls = 0; calls < 9; calls += 1) {
      await find('1', signal);
    }
    expect(await faultOf(find('1', AbortSignal.timeout(200)))).toMatchObject({ kind: 'away' });
    expect(house.lab.calls).toHaveLength(9);
    await find('2', signal);
    expect(house.lab.calls).toHaveLength(10);
  });

  it('are kept by the adapter, regardless of the account’s limits', async () => {
    house.lab.setLimits({ callsPer10s: 30 });
    // The first call returns the limit; the adapter uses at most nine tenths of it, and waits only then.
    for (let calls = 0; calls < 27; calls += 1) {
      await anything();
    }
    const waiting = AbortSignal.timeout(500);
    const late = house.crm.find('contact', 'record_id', ['101'], [], waiting);
    expect(await faultOf(late)).toMatchObject({ kind: 'away' });
    expect(house.lab.calls.map(({ status }) => status)).not.toContain(429);
  });
});

describe('a call that does not succeed', () => {
  it.each<[number, Record<string, string>, CrmFaultKind, number | null]>([
    [400, {}, 'refused', null],
    [403, {}, 'not_permitted', null],
    [404, {}, 'not_found', null],
    [423, {}, 'away', 2_000],
    [477, { 'retry-after': '120' }, 'throttled', 120_000],
    [500, {}, 'away', null],
    [502, {}, 'away', null],
    [503, { 'retry-after': '7' }, 'away', 7_000],
    [524, {}, 'away', null],
  ])('says why: %i %j', async (status, headers, kind, waitMs) => {
    house.lab.switches.failNext(status, { headers, fault: { category: 'X', message: 'canary' } });
    const fault = await faultOf(anything());
    expect(fault).toMatchObject({ kind, waitMs });
    expect(house.lab.calls).toHaveLength(1);
  });

  it.each([
    ['a page of a proxy', 200, '<html>canary</html>', { 'content-type': 'text/html' }, 'away'],
    ['half an answer', 200, '{"results": [{"id": "canary', { 'content-type': 'application/json' }, 'away'],
    ['another server’s answer', 200, '{"canary": true}', { 'content-type': 'application/json' }, 'away'],
    ['an error that is no JSON', 500, 'canary', { 'content-type': 'text/plain' }, 'away'],
    ['a redirect', 302, '', { location: 'http://127.0.0.1:9/' }, 'refused'],
  ] as const)('says so of %s', async (_what, status, body, headers, kind) => {
    house.lab.switches.answerNext(status, body, headers);
    expect(await faultOf(anything())).toMatchObject({ kind });
    expect(house.lab.calls).toHaveLength(1);
  });

  it('is away where HubSpot does not answer in time', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    house.lab.switches.holdAnswers(promise);
    const crm = house.open({ deadlineMs: 200 });
    expect(await faultOf(crm.properties('contact', signal))).toMatchObject({ kind: 'away' });
    resolve();
  });

  it('ends with the caller’s abort reason', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    house.lab.switches.holdAnswers(promise);
    const given = new AbortController();
    const asked = house.crm.properties('contact', given.signal);
    given.abort(new Error('given up'));
    await expect(asked).rejects.toThrow('given up');
    resolve();
  });

  it('reveals nothing about requests and responses', async () => {
    await house.crm.ensureOwnKey('contact', signal);
    const { accessToken } = await house.access.current(signal);
    house.lab.switches.failNext(400, {
      path: /upsert/,
      fault: {
        category: 'VALIDATION_ERROR',
        message: 'canary@example.com is not right',
        context: { id: ['canary'] },
      },
    });
    house.lab.switches.failNext(500, { path: /read$/, fault: { category: 'X', message: 'canary' } });
    const write = { rowNo: 1, recordId: null, ownKey: 'canary_1', values: { email: 'canary@example.com' } };
    const told = [
      JSON.stringify(await house.crm.write('contact', [write], signal)),
      inWords(await faultOf(house.crm.find('contact', 'identifying', ['canary@example.com'], [], signal))),
    ].join('\n');
    expect(told).toContain('refused');
    expect(told).not.toMatch(/canary/);
    expect(told).not.toContain(accessToken);
  });
});

describe('the way out', () => {
  it.each([
    'http://127.0.0.1:1',
    'http://10.0.0.1',
    'https://[::1]',
    'http://localhost:1',
    'ftp://127.0.0.1',
  ])('is refused to %s before any host is contacted', async apiBaseUrl => {
    const guarded = await openHubSpotHouse({}, ['192.0.2.0/24']);
    const access = { accessToken: 'lab-canary', apiBaseUrl };
    const crm = guarded.open({}, { current: async () => access, renewed: async () => access });
    const fault = await faultOf(crm.properties('contact', signal));
    expect(fault.kind).toBe('refused');
    expect(inWords(fault)).not.toContain('canary');
    await guarded.close();
  });
});

/** All text of a fault that a log could show. */
function inWords(fault: Error): string {
  return [fault.message, fault.stack, JSON.stringify(fault), String(fault.cause)].join('\n');
}
