import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type EmailAddress,
  newId,
  parseEmailAddress,
  type ValidationResult,
  type Verdict,
} from '@mailproof/shared-types';
import type { CreditPort } from './credit-port.ts';
import { type ValidationPorts, validateSingleEmail } from './validate-single-email.ts';

const parsed = parseEmailAddress('alice@ordinary.example');
const email = (parsed.ok && parsed.value) as EmailAddress;

/** A ledger of one account that fails where it is told to, and throws on a call that makes no sense. */
class FakeLedger implements CreditPort {
  balance = 5;
  held = 0;
  readonly settledLater: number[] = [];
  readonly away = new Set<'reserve' | 'settle' | 'release'>();
  expired = false;

  available = () => Promise.resolve(this.balance);
  grant = () => Promise.reject(new Error('nothing is granted here'));

  async reserve({ amount }: { amount: number }) {
    this.failIfAway('reserve');
    this.balance -= amount;
    this.held += amount;
    return { holdId: newId('hold'), available: this.balance };
  }

  async settle(_holdId: unknown, delivered: number) {
    this.failIfAway('settle');
    if (this.expired) {
      return undefined;
    }
    this.balance += this.held - delivered;
    this.held = 0;
    return this.balance;
  }

  async release() {
    this.failIfAway('release');
    this.balance += this.held;
    this.held = 0;
    return this.balance;
  }

  private failIfAway(call: 'reserve' | 'settle' | 'release'): void {
    if (this.away.has(call)) {
      throw new Error('ledger away');
    }
  }
}

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
    normalised_email: email.normalised,
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
    settleLater: async (_holdId, delivered) => void ledger.settledLater.push(delivered),
    isUnavailable: error => error instanceof Error && error.message === 'ledger away',
  };
  return validateSingleEmail(ports, {
    accountId: newId('account'),
    requestId: newId('request'),
    email,
    signal: client.signal,
  });
}

describe('a single validation', () => {
  it.each(['ok', 'catch_all', 'catch_all_validated', 'invalid'] as const)(
    'costs one credit for %s',
    async result => {
      const outcome = await validate(async () => verdictOf(result));
      expect(outcome).toMatchObject({ charged: true, creditsRemaining: 4 });
      expect(ledger).toMatchObject({ balance: 4, held: 0 });
    },
  );

  it('costs nothing for unknown', async () => {
    const outcome = await validate(async () => verdictOf('unknown'));
    expect(outcome).toMatchObject({ charged: false, creditsRemaining: 5 });
    expect(ledger).toMatchObject({ balance: 5, held: 0 });
  });

  it('asks nobody when credits cannot be reserved', async () => {
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

  it('tells of the engine’s failure even when the credit cannot be given back at once', async () => {
    ledger.away.add('release');
    await expect(validate(() => Promise.reject(new Error('engine away')))).rejects.toThrow('engine away');
  });

  it('answers all the same when the ledger goes away, and settles later', async () => {
    ledger.away.add('settle');
    const outcome = await validate(async () => verdictOf('ok'));
    expect(outcome).toMatchObject({ charged: true, creditsRemaining: 4 });
    expect(ledger.settledLater).toEqual([1]);
  });

  it('is free when its hold has expired', async () => {
    ledger.expired = true;
    const outcome = await validate(async () => verdictOf('ok'));
    expect(outcome).toMatchObject({ charged: false, creditsRemaining: 5 });
  });
});
