import { describe, expect, it } from '@jest/globals';
import { newId, type RateLimiter } from '@mailproof/shared-types';
import { AccountDeleted } from '../accounts/account.ts';
import type { SignedIn } from '../accounts/signed-in.ts';
import { createPasswordCheck } from './check-password.ts';
import type { SecurityEvent } from './security-event.ts';
import type { UserWithPassword } from './user.ts';

const user: UserWithPassword = {
  userId: newId('user'),
  accountId: newId('account'),
  email: 'ada@ordinary.example',
  role: 'owner',
  passwordHash: 'hash of right',
};

const signedIn: SignedIn = {
  account: { accountId: user.accountId, name: 'Ordinary', plan: 'free', requestsPerSecond: 1 },
  userId: user.userId,
  sessionId: newId('session'),
  email: user.email,
  role: user.role,
};

/** A limiter without a clock that remembers the counted attempts. */
function limiterOf(counted: Map<string, Set<string>>): RateLimiter {
  const window = (subject: string) => {
    const found = counted.get(subject) ?? new Set<string>();
    counted.set(subject, found);
    return found;
  };
  return {
    async admit(subject, requestId, limit) {
      const requests = window(subject);
      const admitted = requests.size < limit;
      if (admitted) {
        requests.add(requestId);
      }
      return { admitted, limit, remaining: limit - requests.size, resetAtMs: 1, resetInMs: 1 };
    },
    uncount: async (subject, requestId) => void window(subject).delete(requestId),
    forget: async subject => void counted.delete(subject),
  };
}

function setUp(change: { rateLimiter?: RateLimiter; verify?: () => Promise<boolean> } = {}) {
  const counted = new Map<string, Set<string>>();
  const events: SecurityEvent[] = [];
  const verified: string[] = [];
  let { passwordHash } = user;
  const check = createPasswordCheck({
    users: { findByEmail: async email => (email === user.email ? { ...user, passwordHash } : undefined) },
    passwords: {
      hash: async password => `hash of ${password}`,
      async verify(passwordHash, password) {
        verified.push(passwordHash);
        return change.verify ? change.verify() : passwordHash === `hash of ${password}`;
      },
    },
    rateLimiter: change.rateLimiter ?? limiterOf(counted),
    record: async event => void events.push(event),
    subjectKey: Buffer.alloc(32),
    failuresPerUserMax: 3,
    failuresPerNetworkMax: 5,
  });
  let attempts = 0;
  return {
    counted,
    events,
    verified,
    attempt(
      password: string,
      email = user.email,
      more: { signedIn?: SignedIn; knownDevice?: string; network?: string } = {},
    ) {
      attempts += 1;
      const client = { network: more.network ?? '192.0.2.1', userAgent: '' };
      return check({ email, password, client, requestId: String(attempts), now: new Date(0), ...more });
    },
    setPassword(password: string) {
      passwordHash = `hash of ${password}`;
    },
    sizes: () => [...counted.values()].map(({ size }) => size),
  };
}

describe('checking a password', () => {
  it('counts nothing when it is right', async () => {
    const { attempt, sizes, events } = setUp();
    expect(await attempt('right')).toMatchObject({ kind: 'accepted', user: { userId: user.userId } });
    expect(sizes()).toEqual([0, 0]);
    expect(events).toEqual([]);
  });

  it('verifies a hash for an unknown address too, and lets no one in by it', async () => {
    const { attempt, verified, events } = setUp();
    expect(await attempt('no user has this password', 'bob@ordinary.example')).toEqual({ kind: 'refused' });
    expect(verified).toHaveLength(1);
    expect(events).toEqual([]);
  });

  it.each([
    ['has gone', { ...signedIn, email: 'bob@ordinary.example' }],
    ['has gone, and whose address is another user’s by now', { ...signedIn, userId: newId('user') }],
  ])('of a user who has signed in and %s, says so, and counts nothing', async (_, gone) => {
    const { attempt, verified, sizes } = setUp();
    await expect(attempt('right', gone.email, { signedIn: gone })).rejects.toThrow(AccountDeleted);
    expect(verified).toEqual([]);
    expect(sizes()).toEqual([]);
    expect(await attempt('right', user.email, { signedIn })).toMatchObject({ kind: 'accepted' });
  });

  it('stops at the limit before any hash is computed, and records one event', async () => {
    const { attempt, verified, events } = setUp();
    const verdicts = await Promise.all(['a', 'b', 'c', 'right'].map(password => attempt(password)));
    expect(verdicts.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'refused', 'locked']);
    expect(verified).toHaveLength(3);
    expect(events.map(({ kind }) => kind).filter(kind => kind === 'signing_in_locked')).toHaveLength(1);
  });

  it.each([
    ['ada@ordinary.example', 'ADA@Ordinary.example'],
    ['ΑΣ@ordinary.example', 'ασ@ordinary.example'],
    ['σ.σ@ordinary.example', 'Σ.Σ@ordinary.example'],
    ['kim@ordinary.example', 'k\u0130m@ordinary.example'],
    // The Kelvin sign.
    ['kim@ordinary.example', '\u212aim@ordinary.example'],
  ])('counts %s and %s together', async (one, other) => {
    const { attempt, sizes } = setUp();
    await attempt('wrong', one);
    await attempt('wrong', other);
    expect(sizes()).toEqual([2, 2]);
  });

  it('counts known devices separately from unknown ones, also per network', async () => {
    const { attempt, counted } = setUp();
    for (let n = 0; n < 5; n += 1) {
      await attempt('wrong', `stranger${n}@ordinary.example`);
    }
    expect(await attempt('right')).toEqual({ kind: 'locked', retryInMs: 1, count: 'network' });
    const knownDevice = 'a device';
    expect((await attempt('right', user.email, { knownDevice })).kind).toBe('accepted');
    const ofStrangers = counted.get('sign-in-network:192.0.2.1');
    await attempt('wrong', user.email, { knownDevice });
    const ofDevices = [...counted].find(([subject]) =>
      subject.startsWith('sign-in-device-network:192.0.2.1:'),
    );
    expect([ofStrangers?.size, ofDevices?.[1].size]).toEqual([5, 1]);
    for (const network of ['192.0.2.2', '192.0.2.3']) {
      await attempt('wrong', user.email, { knownDevice, network });
    }
    expect(await attempt('right', user.email, { knownDevice, network: '192.0.2.4' })).toMatchObject({
      kind: 'locked',
      count: 'user',
    });
    expect((await attempt('right', user.email, { network: '192.0.2.4' })).kind).toBe('accepted');
  });

  it('allows the known devices of one network together no more wrong passwords than unknown ones', async () => {
    const { attempt } = setUp();
    for (let n = 0; n < 5; n += 1) {
      expect((await attempt('wrong', user.email, { knownDevice: `device ${n}` })).kind).toBe('refused');
    }
    expect(await attempt('right', user.email, { knownDevice: 'another' })).toMatchObject({
      kind: 'locked',
      count: 'network',
    });
  });

  it('keeps no user out by wrong passwords that another makes on known devices in the same network', async () => {
    const { attempt } = setUp();
    for (let n = 0; n < 5; n += 1) {
      await attempt('wrong', 'eve@ordinary.example', { knownDevice: `device ${n}` });
    }
    expect(await attempt('wrong', 'eve@ordinary.example', { knownDevice: 'another' })).toMatchObject({
      kind: 'locked',
      count: 'network',
    });
    expect((await attempt('right', user.email, { knownDevice: 'a device' })).kind).toBe('accepted');
  });

  it('resets the count of a known device with a new password', async () => {
    const { attempt, setPassword } = setUp();
    const known = { knownDevice: 'a device' };
    for (let n = 0; n < 3; n += 1) {
      await attempt('wrong', user.email, known);
    }
    expect((await attempt('right', user.email, known)).kind).toBe('locked');
    setPassword('new');
    expect((await attempt('new', user.email, known)).kind).toBe('accepted');
  });

  it('names no address where it counts', async () => {
    const { attempt, counted } = setUp();
    await attempt('wrong');
    expect([...counted.keys()].join()).not.toContain('ada');
  });

  it('takes an attempt back that could not be checked', async () => {
    const failing = setUp({ verify: () => Promise.reject(new Error('too many at once')) });
    await expect(failing.attempt('right')).rejects.toThrow('too many at once');
    expect(failing.sizes()).toEqual([0, 0]);
  });

  it('looks at no password while attempts cannot be counted', async () => {
    const away = () => Promise.reject(new Error('away'));
    const { attempt, verified } = setUp({ rateLimiter: { admit: away, uncount: away, forget: away } });
    await expect(attempt('right')).rejects.toThrow('away');
    expect(verified).toEqual([]);
  });
});
