import { beforeEach, describe, expect, it } from '@jest/globals';
import { type EnrichmentOutcome, newId } from '@mailproof/shared-types';
import { type EnrichmentPorts, enrichProfile } from './enrich-profile.ts';

const exhausted = new Error('exhausted');
const found: EnrichmentOutcome = {
  outcome: 'found',
  profile: { first_name: 'Ada' },
  provenance: {},
  ageSeconds: 0,
};

let balance: number;
let held: number;
let client: AbortController;

beforeEach(() => {
  balance = 3;
  held = 0;
  client = new AbortController();
});

function enrich(
  answer: () => Promise<EnrichmentOutcome>,
  check: () => Promise<void> = async () => undefined,
) {
  const ports: EnrichmentPorts = {
    credits: {
      async reserve({ amount }) {
        if (balance < amount) throw exhausted;
        balance -= amount;
        held += amount;
        return { holdId: newId('hold'), state: 'pending', expiresInMs: 60_000, available: balance };
      },
      async release() {
        balance += held;
        held = 0;
        return balance;
      },
    },
    profiles: { enrich: answer, check },
    attemptMsMax: 1_000,
    isExhausted: error => error === exhausted,
  };
  return enrichProfile(ports, {
    accountId: newId('account'),
    runId: newId('request'),
    profileUrl: 'https://www.linkedin.com/in/ada',
    signal: client.signal,
  });
}

describe('looking up a profile', () => {
  it('costs one credit when it is found', async () => {
    expect(await enrich(async () => found)).toMatchObject({ charge: { amount: 1 }, creditsRemaining: 2 });
    expect({ balance, held }).toEqual({ balance: 2, held: 1 });
  });

  it('costs nothing when it is not', async () => {
    const outcome = await enrich(async () => ({ outcome: 'notFound' }));
    expect(outcome).toMatchObject({ creditsRemaining: 3 });
    expect(outcome.charge).toBeUndefined();
    expect({ balance, held }).toEqual({ balance: 3, held: 0 });
  });

  it('gives the credit back when a source fails, and when the customer has gone', async () => {
    await expect(enrich(() => Promise.reject(new Error('source away')))).rejects.toThrow('source away');
    const attempt = enrich(async () => {
      client.abort(new Error('gone'));
      return found;
    });
    await expect(attempt).rejects.toThrow('gone');
    expect({ balance, held }).toEqual({ balance: 3, held: 0 });
  });

  it('asks no source without a credit, and tells of a wrong URL first', async () => {
    balance = 0;
    const never = () => Promise.reject(new Error('asked'));
    await expect(enrich(never)).rejects.toBe(exhausted);
    await expect(enrich(never, () => Promise.reject(new Error('no profile')))).rejects.toThrow('no profile');
  });
});
