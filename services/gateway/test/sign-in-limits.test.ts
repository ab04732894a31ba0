import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listSecurityEvents } from '@mailproof/shared-types';
import { accounting, openTestHouse, type Person, type TestHouse } from './house.ts';

const failuresMax = 4;
let test: TestHouse;

beforeAll(async () => {
  test = await openTestHouse({
    only: accounting,
    replicas: { gateway: 2 },
    env: {
      gateway: {
        SIGN_IN_FAILURES_PER_USER_MAX: String(failuresMax),
        SIGN_IN_FAILURES_PER_NETWORK_MAX: '12',
        VISITOR_REQUESTS_PER_MINUTE_MAX: '30',
        SESSION_REQUESTS_PER_SECOND_MAX: '5',
        TRUSTED_PROXIES: 'loopback',
      },
    },
  });
});

afterAll(() => test.stop());

let networks = 0;
/** A client address that no other test in this file uses. */
const newNetwork = () => ({ 'x-forwarded-for': `192.0.2.${++networks}` });

const times = <Result>(count: number, work: () => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, work));

const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();

describe('wrong passwords', () => {
  it('are taken so many times for one user over all gateways, also at once and from many addresses', async () => {
    const person = await test.owner();
    const answers = await times(10, () => person.elsewhere().trySignIn('wrong', newNetwork()));
    expect(statuses(answers)).toEqual([...Array(failuresMax).fill(401), ...Array(6).fill(429)]);
    const locked = await person.trySignIn(person.password, newNetwork());
    expect(locked).toMatchObject({ status: 429, body: { code: 'signing_in_locked' } });
    const seconds = Number(locked.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(800);
    expect(seconds).toBeLessThanOrEqual(900);
  });

  it('are counted for an unregistered address in the same way', async () => {
    const [person, stranger] = [await test.owner(), test.stranger()];
    const ask = (who: Person) => who.trySignIn('wrong', newNetwork());
    for (let count = 0; count < failuresMax + 1; count += 1) {
      const [known, unknown] = [await ask(person), await ask(stranger)];
      expect(known.status).toBe(unknown.status);
      expect(known.body['code']).toBe(unknown.body['code']);
      expect([...known.headers.keys()]).toEqual([...unknown.headers.keys()]);
    }
  });

  it('are not counted when the password was right', async () => {
    const person = await test.owner();
    for (let count = 0; count < 2 * failuresMax; count += 1) {
      expect((await person.elsewhere().trySignIn(person.password, newNetwork())).status).toBe(200);
    }
  });

  it('lock out unknown devices, but not a device that the user has signed in with before', async () => {
    const person = await test.owner();
    await person.trySignIn(person.password, newNetwork());
    await times(2 * failuresMax, () => person.elsewhere().trySignIn('wrong', newNetwork()));
    expect((await person.elsewhere().trySignIn(person.password, newNetwork())).status).toBe(429);
    expect((await person.trySignIn(person.password, newNetwork())).status).toBe(200);
    // The device's own failures are limited too, and its cookie is invalid for another address.
    await times(failuresMax, () => person.trySignIn('wrong', newNetwork()));
    expect((await person.trySignIn(person.password, newNetwork())).status).toBe(429);
    const other = await test.owner();
    await times(failuresMax, () => other.elsewhere().trySignIn('wrong', newNetwork()));
    for (const [name, value] of person.cookies) {
      other.cookies.set(name, value);
    }
    expect((await other.trySignIn(other.password, newNetwork())).status).toBe(429);
  });

  it('are forgotten once the password has been reset', async () => {
    const person = await test.owner();
    await times(failuresMax, () => person.elsewhere().trySignIn('wrong', newNetwork()));
    expect((await person.trySignIn(person.password, newNetwork())).status).toBe(429);
    await person.post('/password-resets', { email: person.email }, newNetwork());
    const { token } = await test.mail(person.email);
    const password = 'another password for tests';
    const reset = await person.post('/password-resets/confirmation', { token, password }, newNetwork());
    expect(reset.status).toBe(200);
    expect((await person.trySignIn(password, newNetwork())).status).toBe(200);
  });

  it('are taken so many times from one network, whomever they are tried on', async () => {
    const network = newNetwork();
    const answers = await times(14, () => test.stranger().trySignIn('wrong', network));
    expect(statuses(answers)).toEqual([...Array(12).fill(401), 429, 429]);
    const person = await test.owner();
    expect((await person.trySignIn(person.password, network)).status).toBe(429);
    expect((await person.trySignIn(person.password, newNetwork())).status).toBe(200);
  });

  it('are recorded with one event for the lock-out, and without the password', async () => {
    const person = await test.owner();
    await person.trySignIn(person.password, newNetwork());
    await times(failuresMax + 2, () => person.elsewhere().trySignIn('wrong', newNetwork()));
    const { body } = await person.get('/security-events');
    const { events } = listSecurityEvents.success.schema.parse(body);
    const kinds = Map.groupBy(events, ({ kind }) => kind);
    expect(kinds.get('sign_in_failed')).toHaveLength(failuresMax);
    expect(kinds.get('signing_in_locked')).toHaveLength(1);
    expect(JSON.stringify(body)).not.toContain('wrong');
  });
});

describe('requests', () => {
  it('of visitors are limited for each network', async () => {
    const network = newNetwork();
    const ask = () => test.stranger().post('/email-changes/confirmation', { token: 'x' }, network);
    expect(statuses(await times(32, ask))).toEqual([...Array(30).fill(410), 429, 429]);
    const refused = await ask();
    expect(refused.body['code']).toBe('too_many_requests');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('of one session are limited in any one second, over all gateways', async () => {
    const person = await test.owner();
    await person.trySignIn(person.password, newNetwork());
    const answers = await times(60, () => person.get('/session'));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { body, headers } of refused) {
      expect(body['code']).toBe('rate_limited');
      expect(headers.get('retry-after')).toBe('1');
    }
  });
});
