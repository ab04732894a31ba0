import { type AccountId, allowanceNames, type HoldId, newId } from '@mailproof/shared-types';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { createAllowanceStore } from '../../src/adapters/postgres/allowance-store.ts';
import { createLedgerStore } from '../../src/adapters/postgres/ledger-store.ts';

/**
 * State that all clients share: accounts, the holds that any of them created, and the time, which any of them advances.
 */
export interface Crowd {
  readonly accountIds: readonly AccountId[];
  readonly holds: { readonly holdId: HoldId; readonly runId: string; readonly accountId: AccountId }[];
  offsetMs: number;
}

const operation = fc.record({
  kind: fc.constantFrom(
    ...(['grant', 'cycle', 'hold', 'hold', 'hold', 'settle', 'settle', 'release', 'renew'] as const),
    ...(['refund', 'take', 'sweepHolds', 'sweepCredits', 'pass'] as const),
  ),
  account: fc.nat({ max: 1_000 }),
  hold: fc.nat({ max: 1_000_000 }),
  amount: fc.integer({ min: 1, max: 12 }),
});

export const crowdOperations = fc.array(operation, { minLength: 1, maxLength: 16, size: 'max' });

interface CrowdOperation {
  readonly kind: string;
  readonly account: number;
  readonly hold: number;
  readonly amount: number;
}

const cause = 'test-run';
const [allowance = 'people_preview'] = allowanceNames;

/**
 * Plays one client's history among the others'. Checks the answers as far as they are predictable under concurrency.
 */
export async function playInCrowd(
  pool: Pool,
  crowd: Crowd,
  operations: readonly CrowdOperation[],
): Promise<void> {
  const now = () => new Date(Date.now() + crowd.offsetMs);
  const ledger = createLedgerStore(pool, { now });
  const allowances = createAllowanceStore(pool, { now });
  for (const { kind, account, hold, amount } of operations) {
    const accountId = crowd.accountIds[account % crowd.accountIds.length] as AccountId;
    // One of the latest holds, so that several clients try to resolve the same one.
    const known = crowd.holds[Math.max(0, crowd.holds.length - 1 - (hold % 32))];
    switch (kind) {
      case 'grant': {
        const expiresAt = amount > 9 ? null : new Date(now().getTime() + amount * 2_000);
        const kind = 'top_up' as const;
        await ledger.grant({ grantId: newId('creditGrant'), accountId, kind, amount, expiresAt, cause });
        break;
      }
      case 'cycle': {
        const startsAt = new Date(Math.floor(now().getTime() / 10_000) * 10_000);
        const endsAt = new Date(startsAt.getTime() + 20_000);
        await ledger.openCycle({
          ...{ accountId, startsAt, endsAt, credits: 10, grantId: newId('creditGrant') },
          ...{ allowances: { people_preview: 3 }, cause },
        });
        break;
      }
      case 'hold': {
        const request = { holdId: newId('hold'), runId: newId('request'), accountId, amount, cause };
        const outcome = await ledger.hold({ ...request, expiresInMs: amount * 1_000 });
        if (outcome.kind === 'held') {
          crowd.holds.push(request);
        }
        break;
      }
      case 'settle':
        if (known) await ledger.settle(known.holdId, amount);
        break;
      case 'release':
        if (known) await ledger.release(known.holdId);
        break;
      case 'renew':
        if (known) await ledger.renew(known.holdId, amount * 1_000);
        break;
      case 'refund':
        if (known) {
          await ledger.refund({
            ...{ refundId: newId('refund'), grantId: newId('creditGrant'), accountId: known.accountId },
            ...{ runId: known.runId, amount, validDays: 1, cause },
          });
        }
        break;
      case 'take':
        await allowances.take({ useId: newId('allowanceUse'), accountId, allowance, cause });
        break;
      case 'sweepHolds':
        await ledger.expireOne();
        break;
      case 'sweepCredits':
        await ledger.expireCredits();
        break;
      default:
        crowd.offsetMs += amount * 100;
    }
    const { available, held } = await ledger.balanceOf(accountId);
    if (available < 0 || held < 0) {
      throw new Error(`overspent: ${available} available and ${held} held`);
    }
  }
}
