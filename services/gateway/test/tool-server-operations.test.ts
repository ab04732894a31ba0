import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AccountId,
  checkPassword,
  getAssistantAccess,
  listSecurityEvents,
  newId,
  recordAssistantConnected,
  type UserId,
} from '@mailproof/shared-types';
import { accounting, openTestHouse, type Person, type TestHouse, testPassword } from './house.ts';
import { type Peer, peerOf } from './peer-of.ts';

let test: TestHouse;
let toolServer: Peer;
let ledger: Peer;

const networkFailuresMax = 40;

const browser = { clientAddress: '2001:db8:1:2:3:4:5:6', userAgent: 'Browser/1\n' };

beforeAll(async () => {
  test = await openTestHouse({
    only: [...accounting, 'mcp-server'],
    env: {
      gateway: {
        SIGN_IN_FAILURES_PER_USER_MAX: '3',
        SIGN_IN_FAILURES_PER_NETWORK_MAX: String(networkFailuresMax),
        AUTH_FAILURES_PER_MINUTE_MAX: '10000',
      },
    },
  });
  toolServer = await peerOf(test.house, 'mcp-server', 'gateway');
  ledger = await peerOf(test.house, 'credit-ledger', 'gateway');
});

afterAll(async () => {
  await Promise.all([toolServer?.close(), ledger?.close()]);
  await test.stop();
});

const check = (
  email: string,
  password = testPassword,
  more: { device?: string; clientAddress?: string } = {},
) => toolServer.ask(checkPassword, { params: {}, body: { email, password, ...browser, ...more } });

async function signInOf(person: Person, password = testPassword, device?: string) {
  const answer = await check(person.email, password, device === undefined ? {} : { device });
  if (answer.kind !== 'accepted') {
    throw new Error(`The password was answered with ${answer.kind}.`);
  }
  return answer;
}

const eventsOf = async (owner: Person) =>
  listSecurityEvents.success.schema.parse((await owner.get('/security-events')).body).events;

function idsOf({ accountId, userId }: Person) {
  return { accountId: accountId as AccountId, userId: userId as UserId };
}

const access = (params: { accountId: AccountId; userId: UserId }) =>
  toolServer.ask(getAssistantAccess, { params, body: undefined });

describe('check-password', () => {
  it('says whose password it is, and records a sign-in of its kind', async () => {
    const { accountId } = await test.accounts.create({ name: 'Firm', plan: 'starter', credits: 0 });
    const owner = await test.owner({ accountId });
    const accepted = await check(` ${owner.email.toUpperCase()}`);
    expect(accepted).toEqual({
      kind: 'accepted',
      accountId,
      userId: owner.userId,
      accountName: 'Firm',
      email: owner.email,
      signInId: expect.stringMatching(/^\d+$/),
      device: expect.stringMatching(/^[0-9a-f]{32}\.[0-9a-f]{64}$/),
    });
    await owner.signIn();
    const [, event] = await eventsOf(owner);
    expect(event).toMatchObject({
      kind: 'assistant_sign_in',
      user_id: owner.userId,
      client_network: '2001:db8:1:2::',
      user_agent: 'Browser/1?',
      details: {},
    });
  });

  it('answers an unknown address, a wrong password and an impossible password alike', async () => {
    const owner = await test.owner();
    for (const [email, password] of [
      [owner.email, 'a wrong password of some length'],
      [test.stranger().email, testPassword],
      ['not an address', testPassword],
      ['', ''],
      [owner.email, 'x'.repeat(2_000)],
    ] as const) {
      expect(await check(email, password)).toEqual({ kind: 'refused' });
    }
    for (const [email, password] of [
      [`${owner.email}\0`, testPassword],
      [owner.email, '\ud800'],
    ] as const) {
      await expect(check(email, password)).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });

  it('has one count of wrong passwords with the application', async () => {
    const owner = await test.owner();
    for (const password of ['wrong password one', 'wrong password two']) {
      expect(await check(owner.email, password)).toEqual({ kind: 'refused' });
    }
    expect((await owner.trySignIn('wrong password three')).status).toBe(401);
    expect(await check(owner.email)).toEqual({
      kind: 'locked',
      retryInMs: expect.any(Number),
      count: 'user',
    });
    expect((await owner.trySignIn()).body['code']).toBe('signing_in_locked');
  });

  it('recognizes a browser while strangers fill their counts, and names the full count to strangers', async () => {
    const owner = await test.owner();
    const { device } = await signInOf(owner);
    for (const [at, password] of ['wrong one', 'wrong two', 'wrong three'].entries()) {
      await check(owner.email, password, { clientAddress: `198.51.100.${at}` });
    }
    expect(await check(owner.email)).toMatchObject({ kind: 'locked', count: 'user' });
    // The value stays the same, so the browser stays known.
    expect(await signInOf(owner, testPassword, device)).toMatchObject({ device });
    // A stranger in the same network does not lock it out either.
    const network = { clientAddress: '198.51.100.200' };
    for (let n = 0; n < networkFailuresMax; n += 1) {
      await check(test.stranger().email, 'wrong password', network);
    }
    expect(await check(test.stranger().email, testPassword, network)).toMatchObject({
      kind: 'locked',
      count: 'network',
    });
    expect((await check(owner.email, testPassword, { ...network, device })).kind).toBe('accepted');
  });

  it('accepts no device that it did not issue for this address', async () => {
    const [owner, other] = [await test.owner(), await test.owner()];
    const { device: others } = await signInOf(other);
    const { device } = await signInOf(owner);
    const [name = '', signature = ''] = device.split('.');
    const forged = [`${name}.${'0'.repeat(64)}`, `${'0'.repeat(32)}.${signature}`, others, '', 'x'];
    const elsewhere = { clientAddress: '198.51.100.99' };
    for (const password of ['wrong one', 'wrong two', 'wrong three']) {
      await check(owner.email, password, elsewhere);
    }
    for (const value of forged) {
      expect(await check(owner.email, testPassword, { ...elsewhere, device: value })).toMatchObject({
        kind: 'locked',
      });
    }
    expect(`${others}${device}`).not.toContain(owner.userId);
    expect((await signInOf(owner, testPassword, device)).kind).toBe('accepted');
  });

  it('admits a new password immediately, from an unknown browser and from a known one whose own count is full', async () => {
    const owner = await test.owner();
    const { device } = await signInOf(owner);
    for (const password of ['wrong one', 'wrong two', 'wrong three']) {
      await check(owner.email, password, { clientAddress: '198.51.100.7' });
      await check(owner.email, password, { device });
    }
    const stranger = { clientAddress: '198.51.100.8' };
    expect((await check(owner.email, testPassword, stranger)).kind).toBe('locked');
    expect((await check(owner.email, testPassword, { device })).kind).toBe('locked');
    await owner.post('/password-resets', { email: owner.email });
    const { token } = await test.mail(owner.email);
    const password = 'another password for tests';
    const reset = await owner.post('/password-resets/confirmation', { token, password });
    expect(reset.status).toBe(200);
    expect((await check(owner.email, password, stranger)).kind).toBe('accepted');
    expect((await check(owner.email, password, { device })).kind).toBe('accepted');
  });

  it('accepts only the tool server', async () => {
    const body = { email: 'ada@ordinary.example', password: testPassword, ...browser };
    await expect(ledger.ask(checkPassword, { params: {}, body })).rejects.toThrow();
    const url = `${test.house.services['gateway']?.internalUrl}/internal/v1/password-checks`;
    const headers = { 'content-type': 'application/json' };
    const bare = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(bare.status).toBe(401);
    expect(await bare.json()).toMatchObject({ code: 'invalid_service_token' });
  });
});

describe('get-assistant-access', () => {
  it('is ready for a member of an account with plan and key', async () => {
    const created = await test.accounts.create({ name: 'Firm', plan: 'starter', credits: 0 });
    const owner = await test.owner({ accountId: created.accountId });
    expect(await access(idsOf(owner))).toEqual({
      kind: 'ready',
      accountName: 'Firm',
      email: owner.email,
    });
  });
});

describe('record-assistant-connected', () => {
  const connect = (person: Person, signInId: string, assistantId = newId('assistant')) =>
    toolServer.ask(recordAssistantConnected, {
      params: {},
      body: { ...idsOf(person), assistantId, signInId, ...browser },
    });

  it('writes the assistant’s id down, and answers the moment of connecting', async () => {
    const owner = await test.owner();
    const { signInId } = await signInOf(owner);
    const assistantId = newId('assistant');
    expect(await connect(owner, signInId, assistantId)).toEqual({
      kind: 'recorded',
      connectedAt: expect.stringMatching(/Z$/),
    });
    await owner.signIn();
    expect((await eventsOf(owner))[1]).toMatchObject({
      kind: 'assistant_connected',
      user_id: owner.userId,
      details: { assistant_id: assistantId },
    });
  });

  it('takes no sign-in that is another’s, unknown, or made void since', async () => {
    const [one, other] = [await test.owner(), await test.owner()];
    const { signInId } = await signInOf(one);
    expect(await connect(other, signInId)).toEqual({ kind: 'sign_in_over' });
    expect(await connect(one, '999999999')).toEqual({ kind: 'sign_in_over' });
    const stray = { ...idsOf(one), accountId: other.accountId as AccountId };
    expect(
      await toolServer.ask(recordAssistantConnected, {
        params: {},
        body: { ...stray, assistantId: newId('assistant'), signInId, ...browser },
      }),
    ).toEqual({ kind: 'sign_in_over' });

    await one.signIn();
    expect((await one.delete('/sessions')).status).toBe(200);
    expect(await connect(one, signInId)).toEqual({ kind: 'sign_in_over' });

    const again = await signInOf(one);
    await one.signIn();
    const change = { current_password: testPassword, new_password: 'another password for tests' };
    expect((await one.put('/password', change)).status).toBe(200);
    expect(await connect(one, again.signInId)).toEqual({ kind: 'sign_in_over' });
    const { signInId: afterward } = await signInOf(one, change.new_password);
    expect(await connect(one, afterward)).toMatchObject({ kind: 'recorded' });
  });
});
