import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type EmailAddress,
  type HoldState,
  newId,
  parseEmailAddress,
  type ValidationResult,
  type Verdict,
} from '@mailproof/shared-types';
import type { CreditPort } from './credit-port.ts';
import { type ValidationPorts, validateSingleEmail } from './validate-single-email.ts';

const parsed = parseEmailAddress('alice@ordinary.example');
const email = (parsed.ok && parsed.value) as EmailAddress;

/** A ledger of one account that fails on request, and throws on a call that makes no sense. */
class FakeLedger implements CreditPort {
  balance = 5;
  held = 0;
  readonly away = new Set<'reserve' | 'release'>();
  readonly runs: string[] = [];
  /** States of the holds that earlier attempts of the run left behind. */
  leftBehind: HoldState[] = [];
  leftForMs = 60_000;

  available = () => Promise.resolve(this.balance);
  grant = () => Promise.reject(new Error('nothing is granted here'));

  settle = () => Promise.reject(new Error('nothing is settled before the answer'));

  async reserve({ amount, holdRunId }: { amount: number; holdRunId: string }) {
    this.failIfAway('reserve');
    this.runs.push(holdRunId);
    const state = this.leftBehind.shift() ?? 'pending';
    const isNew = state === 'pending' && this.held === 0;
    if (isNew) {
      this.balance -= amount;
      this.held += amount;
    }
    const expiresInMs = isNew ? 60_000 : this.leftForMs;
    return { holdId: newId('hold'), state, expiresInMs, available: this.balance };
  }

  async release() {
    this.failIfAway('release');
    this.balance += this.held;
    this.held = 0;
    return this.balance;
  }

  private failIfAway(call: 'reserve' | 'release'): void {
    if (this.away.has(call)) {
      throw new Error('ledger away');
    }
  }
}

const runId = newId('request');

let ledger: FakeLedger;
let client: AbortController;

beforeEach(() => {
  ledger = new FakeLedger();
  client = new AbortController();
});

function verdictOf(result: ValidationResult): Verdict {
  const details = {
    reason: 'mailbox_exists',
    explanation: 'Because.',
    normalised_email: email.normalized,
    role: false,
    disposable: false,
    age_seconds: 0,
    time_ms: 1,
    sessions: [],
  } as const;
  return { result, reason: 'mailbox_exists', details: { ...details, sessions: [] }, elapsedMs: 1 };
}

function validate(answer: () => Promise<Verdict>) {
  const ports: ValidationPorts = {
    credits: ledger,
    engine: { validate: answer },
    attemptMsMax: 45_000,
  };
  return validateSingleEmail(ports, {
    accountId: newId('account'),
    runId,
    cause: 'validate-single-email',
    email,
    signal: client.signal,
  });
}

describe('a single validation', () => {
  it.each(['ok', 'catch_all', 'catch_all_validated', 'invalid'] as const)(
    'costs one credit for %s',
    async result => {
      const outcome = await validate(async () => verdictOf(result));
      expect(outcome).toMatchObject({ charged: true, charge: { amount: 1 }, creditsRemaining: 4 });
      expect(ledger).toMatchObject({ balance: 4, held: 1 });
    },
  );

  it('costs nothing for unknown', async () => {
    const outcome = await validate(async () => verdictOf('unknown'));
    expect(outcome).toMatchObject({ charged: false, creditsRemaining: 5 });
    expect(ledger).toMatchObject({ balance: 5, held: 0 });
  });

  it('calls no engine when credits cannot be reserved', async () => {
    ledger.away.add('reserve');
    let asked = false;
    const attempt = validate(async () => {
      asked = true;
      return verdictOf('ok');
    });
    await expect(attempt).rejects.toThrow('ledger away');
    expect(asked).toBe(false);
  });

  it('gives the credit back when the engine fails', async () => {
    await expect(validate(() => Promise.reject(new Error('engine away')))).rejects.toThrow('engine away');
    expect(ledger).toMatchObject({ balance: 5, held: 0 });
  });

  it('gives the credit back when the client has gone before the verdict came', async () => {
    const attempt = validate(async () => {
      client.abort();
      return verdictOf('ok');
    });
    await expect(attempt).rejects.toThrow();
    expect(ledger).toMatchObject({ balance: 5, held: 0 });
  });

  it('reports the engine’s failure even when the credit cannot be returned at once', async () => {
    ledger.away.add('release');
    await expect(validate(() => Promise.reject(new Error('engine away')))).rejects.toThrow('engine away');
  });

  it('takes up the hold that a killed attempt left behind', async () => {
    Object.assign(ledger, { balance: 4, held: 1 });
    const outcome = await validate(async () => verdictOf('ok'));
    expect(outcome).toMatchObject({ charge: { amount: 1 }, creditsRemaining: 4 });
    expect(ledger).toMatchObject({ balance: 4, held: 1, runs: [runId] });
  });

  it.each(['expired', 'released'] as const)('holds again where the hold of the run was %s', async state => {
    ledger.leftBehind = [state];
    const outcome = await validate(async () => verdictOf('ok'));
    expect(outcome).toMatchObject({ charge: { amount: 1 } });
    expect(ledger).toMatchObject({ balance: 4, held: 1, runs: [runId, `${runId}.2`] });
  });

  it('releases a hold that would expire on the way, and holds again', async () => {
    Object.assign(ledger, { balance: 4, held: 1, leftForMs: 10_000 });
    await validate(async () => verdictOf('ok'));
    expect(ledger).toMatchObject({ balance: 4, held: 1, runs: [runId, `${runId}.2`] });
  });

  it('charges nothing more where the run was paid before', async () => {
    ledger.leftBehind = ['settled'];
    const outcome = await validate(async () => verdictOf('ok'));
    expect(outcome.charge).toBeUndefined();
    expect(outcome.charged).toBe(true);
  });
});
