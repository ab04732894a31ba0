import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountHeader,
  appOperations,
  endSession,
  getSession,
  listSecurityEvents,
  listSessions,
  sessionCookie,
  signIn,
  signOut,
  signOutEverywhere,
} from '@mailproof/shared-types';
import { accounting, openTestHouse, type Person, type TestHouse, testPassword } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';

let test: TestHouse;
let owner: Person;

beforeAll(async () => {
  test = await openTestHouse({
    only: accounting,
    replicas: { gateway: 2 },
    env: { gateway: { TRUSTED_PROXIES: 'loopback' } },
  });
  owner = await test.owner();
});

afterAll(() => test.stop());

describeOperation(signIn, {
  async success() {
    const { status, body, headers } = await owner.elsewhere().trySignIn();
    expect(status).toBe(200);
    expect(signIn.success.schema.parse(body)).toEqual({
      user_id: owner.userId,
      email: owner.email,
      role: 'owner',
      account: { account_id: owner.accountId, name: 'Test', plan: 'custom' },
      session_id: expect.stringMatching(/^sess_/),
    });
    const cookie = headers.getSetCookie().find(line => line.startsWith(`${sessionCookie}=`));
    expect(cookie).toMatch(
      /^__Host-mailproof_session=mp_session_[0-9a-f]{64}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
  },
  async badInput() {
    const visitor = test.stranger();
    for (const [body, code] of [
      [{ email: 'no address', password: testPassword }, 'invalid_email_address'],
      [{ email: owner.email }, 'invalid_request'],
      [{ email: owner.email, password: 'x'.repeat(129) }, 'invalid_request'],
      [{ email: owner.email, password: 'x\ud800' }, 'invalid_request'],
      [{ email: owner.email, password: testPassword, more: 1 }, 'invalid_request'],
      ['{', 'malformed_json'],
    ] as const) {
      expect(await visitor.post('/session', body)).toMatchObject({ status: 400, body: { code } });
    }
    const form = await visitor.post('/session', 'email=a', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(form).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  },
  async noCredentials() {
    const wrong = await owner.elsewhere().trySignIn('not the password');
    expect(wrong).toMatchObject({ status: 401, body: { code: 'wrong_credentials' } });
    expect(wrong.headers.getSetCookie()).toEqual([]);
  },
  async anotherTenant() {
    const other = await test.owner();
    const mixed = await other
      .elsewhere()
      .post('/session', { email: owner.email, password: 'their password' });
    expect(mixed.status).toBe(401);
    expect((await other.trySignIn()).body['user_id']).toBe(other.userId);
  },
});

describeOperation(getSession, {
  async success() {
    const person = await owner.elsewhere().signIn();
    const { status, body } = await person.get('/session');
    expect(status).toBe(200);
    expect(getSession.success.schema.parse(body)).toMatchObject({ email: owner.email, role: 'owner' });
  },
  badInput: async () => {
    const person = await owner.elsewhere().signIn();
    expect((await person.get('/session?more=1')).body['code']).toBe('invalid_request');
  },
  async noCredentials() {
    const visitor = test.stranger();
    const answer = await visitor.get('/session');
    expect(answer).toMatchObject({ status: 401, body: { code: 'not_signed_in' } });
    expect(answer.headers.get('www-authenticate')).toContain('Session');
    for (const value of ['x', `mp_session_${'0'.repeat(64)}`]) {
      const forged = await visitor.get('/session', { cookie: `${sessionCookie}=${value}` });
      expect(forged.body['code']).toBe('not_signed_in');
    }
  },
  async anotherTenant() {
    const [one, other] = [await (await test.owner()).signIn(), await (await test.owner()).signIn()];
    const [mine, theirs] = await Promise.all([one.get('/session'), other.get('/session')]);
    expect(mine.body['account']).not.toEqual(theirs.body['account']);
  },
});

describeOperation(signOut, {
  async success() {
    const person = await owner.elsewhere().signIn();
    const token = person.sessionToken ?? '';
    expect(await person.delete('/session')).toMatchObject({ status: 200, body: { done: true } });
    expect(person.sessionToken).toBeUndefined();
    for (const _gateway of test.house.gatewayUrls) {
      expect((await person.get('/session', { cookie: `${sessionCookie}=${token}` })).status).toBe(401);
    }
  },
  badInput: async () => {
    const person = await owner.elsewhere().signIn();
    expect((await person.delete('/session?more=1')).body['code']).toBe('invalid_request');
  },
  async noCredentials() {
    expect((await test.stranger().delete('/session')).status).toBe(401);
  },
  async anotherTenant() {
    const bystander = await (await test.owner()).signIn();
    await (await owner.elsewhere().signIn()).delete('/session');
    expect((await bystander.get('/session')).status).toBe(200);
  },
});

describeOperation(listSessions, {
  async success() {
    const person = await test.owner();
    const phone = await person.elsewhere().signIn();
    await person.post(
      '/session',
      { email: person.email, password: testPassword },
      { 'user-agent': 'x'.repeat(500) },
    );
    const { status, body } = await phone.get('/sessions');
    expect(status).toBe(200);
    const { sessions } = listSessions.success.schema.parse(body);
    expect(sessions).toHaveLength(2);
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
    expect(sessions.map(({ user_agent }) => user_agent)).toEqual(expect.arrayContaining(['x'.repeat(120)]));
  },
  async badInput() {
    const person = await owner.elsewhere().signIn();
    expect((await person.get('/sessions?more=1')).body['code']).toBe('invalid_request');
  },
  async noCredentials() {
    expect((await test.stranger().get('/sessions')).status).toBe(401);
  },
  async anotherTenant() {
    await owner.elsewhere().signIn();
    const other = await (await test.owner()).signIn();
    const { sessions } = listSessions.success.schema.parse((await other.get('/sessions')).body);
    expect(sessions).toHaveLength(1);
  },
});

describeOperation(endSession, {
  async success() {
    const person = await test.owner();
    const [laptop, phone] = [await person.elsewhere().signIn(), await person.elsewhere().signIn()];
    const phoneId = String((await phone.get('/session')).body['session_id']);
    expect(await laptop.delete(`/sessions/${phoneId}`)).toMatchObject({ status: 200 });
    for (const _gateway of test.house.gatewayUrls) {
      expect((await phone.get('/session')).status).toBe(401);
    }
    expect((await laptop.get('/session')).status).toBe(200);
    expect((await laptop.delete(`/sessions/${phoneId}`)).body['code']).toBe('session_not_found');
  },
  async badInput() {
    const person = await owner.elsewhere().signIn();
    expect((await person.delete('/sessions/nonsense')).body['code']).toBe('invalid_request');
  },
  async noCredentials() {
    expect((await test.stranger().delete(`/sessions/sess_${'0'.repeat(32)}`)).status).toBe(401);
  },
  async anotherTenant() {
    const mine = await owner.elsewhere().signIn();
    const id = String((await mine.get('/session')).body['session_id']);
    const other = await (await test.owner()).signIn();
    expect(await other.delete(`/sessions/${id}`)).toMatchObject({
      status: 404,
      body: { code: 'session_not_found' },
    });
    expect((await mine.get('/session')).status).toBe(200);
  },
});

describeOperation(signOutEverywhere, {
  async success() {
    const person = await test.owner();
    const [laptop, phone] = [await person.elsewhere().signIn(), await person.elsewhere().signIn()];
    const kept = { cookie: `${sessionCookie}=${laptop.sessionToken}` };
    expect(await laptop.delete('/sessions')).toMatchObject({ status: 200, body: { ended: 2 } });
    expect(laptop.sessionToken).toBeUndefined();
    for (const _gateway of test.house.gatewayUrls) {
      expect((await phone.get('/session')).status).toBe(401);
      expect((await laptop.get('/session', kept)).status).toBe(401);
    }
  },
  async badInput() {
    const person = await owner.elsewhere().signIn();
    expect((await person.delete('/sessions?more=1')).body['code']).toBe('invalid_request');
  },
  async noCredentials() {
    expect((await test.stranger().delete('/sessions')).status).toBe(401);
  },
  async anotherTenant() {
    const bystander = await (await test.owner()).signIn();
    await (await (await test.owner()).signIn()).delete('/sessions');
    expect((await bystander.get('/session')).status).toBe(200);
  },
});

describeOperation(listSecurityEvents, {
  async success() {
    const person = await test.owner();
    await person.trySignIn('not the password');
    await person.signIn();
    await person.elsewhere().signIn();
    const first = await person.get('/security-events?limit=2');
    const page = listSecurityEvents.success.schema.parse(first.body);
    expect(page.events.map(({ kind }) => kind)).toEqual(['sign_in', 'sign_in']);
    expect(page.events[0]).toMatchObject({ user_id: person.userId, client_network: '127.0.0.1' });
    const second = await person.get(`/security-events?limit=2&cursor=${page.next_cursor}`);
    const rest = listSecurityEvents.success.schema.parse(second.body);
    expect(rest.events.map(({ kind }) => kind)).toEqual(['sign_in_failed']);
    expect(rest.next_cursor).toBeUndefined();
    expect(JSON.stringify([first.body, second.body])).not.toContain('not the password');
  },
  async badInput() {
    const person = await owner.elsewhere().signIn();
    for (const query of ['limit=0', 'limit=201', 'cursor=', 'more=1']) {
      expect((await person.get(`/security-events?${query}`)).body['code']).toBe('invalid_request');
    }
    // The previous release used the event's number as the cursor.
    expect(await person.get('/security-events?cursor=1')).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor', detail: expect.stringContaining('Start from the first page') },
    });
  },
  async noCredentials() {
    expect((await test.stranger().get('/security-events')).status).toBe(401);
    const member = await test.member(await owner.elsewhere().signIn());
    expect(await member.get('/security-events')).toMatchObject({
      status: 403,
      body: { code: 'owner_required' },
    });
  },
  async anotherTenant() {
    const other = await (await test.owner()).signIn();
    const { events } = listSecurityEvents.success.schema.parse((await other.get('/security-events')).body);
    expect(new Set(events.map(({ user_id }) => user_id))).toEqual(new Set([other.userId]));
  },
});

describe('a session', () => {
  it('is always a new one: a token that was planted beforehand is worth nothing, and an earlier one ends', async () => {
    const person = owner.elsewhere();
    const planted = `mp_session_${'a'.repeat(64)}`;
    person.cookies.set(sessionCookie, planted);
    await person.signIn();
    const first = person.sessionToken ?? '';
    expect(first).not.toBe(planted);
    await person.signIn();
    expect(person.sessionToken).not.toBe(first);
    expect((await person.get('/session', { cookie: `${sessionCookie}=${first}` })).status).toBe(401);
    expect((await person.get('/session')).status).toBe(200);
  });

  it.each([
    ['another website by Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }, 403],
    ['another origin, from an old browser', { origin: 'https://evil.example' }, 403],
    ['a page without origin', { origin: 'null' }, 403],
    ['our own page', { 'sec-fetch-site': 'same-origin' }, 200],
    ['the address bar', { 'sec-fetch-site': 'none' }, 200],
    ['a program', {}, 200],
  ])('that a request from %s begins or ends is answered accordingly', async (_from, headers, status) => {
    const person = owner.elsewhere();
    expect((await person.trySignIn(person.password, headers as Record<string, string>)).status).toBe(status);
    const signedIn = await owner.elsewhere().signIn();
    const ended = await signedIn.delete('/session', headers as Record<string, string>);
    expect(ended.status).toBe(status);
    if (status === 403) {
      expect(ended.body['code']).toBe('cross_site_request');
    }
  });

  it('may be created from our origin by a browser without Sec-Fetch-Site', async () => {
    const origin = new URL(test.house.environments.gateway['PUBLIC_BASE_URL'] ?? '').origin;
    expect((await owner.elsewhere().trySignIn(owner.password, { origin })).status).toBe(200);
  });
});

describe('a request that names the account of its page', () => {
  let other: Person;

  beforeAll(async () => {
    other = await test.owner();
  });

  it.each(appOperations.filter(({ access }) => access.kind === 'session'))(
    'is refused by $id when the session is another account’s',
    async ({ method, path }) => {
      const person = await owner.elsewhere().signIn();
      const refused = await person.send(path.replace('/app/v1', ''), {
        method: method.toUpperCase(),
        headers: { [accountHeader]: other.accountId },
      });
      expect(refused).toMatchObject({ status: 409, body: { code: 'other_account' } });
      expect((await person.get('/session')).status).toBe(200);
    },
  );

  it('is answered when the session is that account’s, for every member of it', async () => {
    const person = await owner.elsewhere().signIn();
    const member = await test.member(person);
    for (const each of [person, member]) {
      expect((await each.get('/session', { [accountHeader]: owner.accountId })).status).toBe(200);
    }
  });

  it('may name it in the address of a download, which the browser requests without headers', async () => {
    const person = await owner.elsewhere().signIn();
    const rowsFor = (account: string) =>
      fetch(`${test.house.gatewayUrls[0]}/app/v1/statement.csv?for_account=${account}`, {
        headers: { cookie: `${sessionCookie}=${person.sessionToken}` },
      });
    const answered = await rowsFor(owner.accountId);
    expect([answered.status, answered.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/csv'),
    ]);
    await answered.text();
    const refused = await rowsFor(other.accountId);
    expect([refused.status, await refused.json()]).toEqual([
      409,
      expect.objectContaining({ code: 'other_account' }),
    ]);
    // Where headers can be sent, the contract does not have this parameter.
    expect(await person.get(`/session?for_account=${owner.accountId}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });

  it('learns first that there is no session', async () => {
    expect(await test.stranger().get('/session', { [accountHeader]: other.accountId })).toMatchObject({
      status: 401,
      body: { code: 'not_signed_in' },
    });
  });
});
