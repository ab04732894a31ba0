import { type AccountId, newId } from '@mailproof/shared-types';
import type { Pool } from 'pg';

/** The ids of an account with every kind of history. */
export interface LivedInAccount {
  readonly accountId: AccountId;
  readonly cycleGrant: string;
  readonly topUp: string;
  readonly settled: string;
  readonly released: string;
  readonly pending: string;
  readonly settledRun: string;
  readonly use: string;
}

/**
 * An account with a cycle, a top-up, an expired grant, holds in every state, a refund and allowances. It has 105
 * credits available and 4 held; 7 were spent, on March 2, 2026, and 5 expired.
 */
export async function liveInAccount(pool: Pool): Promise<LivedInAccount> {
  const accountId = newId('account');
  const call = async (name: string, ...values: unknown[]) => {
    const parameters = values.map((_, at) => `$${at + 1}`).join(', ');
    const { rows } = await pool.query<Record<string, unknown>>(
      `SELECT * FROM ${name}(${parameters})`,
      values,
    );
    return rows[0] ?? {};
  };
  const at = (text: string) => new Date(`2026-03-${text}Z`);
  const [cycle, topUp, old] = [newId('creditGrant'), newId('creditGrant'), newId('creditGrant')];
  await call(
    'grant_credits_v1',
    old,
    accountId,
    'adjustment',
    5,
    at('01T12:00'),
    'test-grant',
    null,
    at('01T00:00'),
  );
  await call('grant_credits_v1', topUp, accountId, 'top_up', 100, null, 'test-top-up', null, at('01T00:01'));
  await call('expire_credits_v1', accountId, at('01T13:00'));
  await call(
    ...(['open_billing_cycle_v1', accountId, at('02T00:00'), '2100-01-01T00:00:00Z', 13] as const),
    ...[JSON.stringify({ people_preview: 3 }), cycle, 'test-cycle', null, at('02T00:00')],
  );
  async function hold(amount: number): Promise<[holdId: string, runId: string]> {
    const [holdId, runId] = [newId('hold'), newId('request')];
    await call(
      'create_hold_v1',
      holdId,
      accountId,
      runId,
      amount,
      'test-run',
      null,
      86_400_000,
      at('02T01:00'),
    );
    return [holdId, runId];
  }
  const [settled, settledRun] = await hold(9);
  await call('settle_hold_v1', settled, 7, at('02T01:01'));
  const [released] = await hold(3);
  await call('release_hold_v1', released, at('02T01:02'));
  await hold(2);
  await call('expire_hold_v1', accountId, at('04T00:00'));
  await call(
    ...([
      'refund_credits_v1',
      newId('refund'),
      newId('creditGrant'),
      accountId,
      settledRun,
      3,
      30_000,
    ] as const),
    ...['test-refund', null, at('04T00:01')],
  );
  const [pending, run] = [newId('hold'), newId('request')];
  await call('create_hold_v1', pending, accountId, run, 4, 'test-run', null, 86_400_000_000, at('04T00:02'));
  const use = newId('allowanceUse');
  await call('take_allowance_v1', use, accountId, 'people_preview', 'test-search', null, at('04T00:03'));
  const returned = newId('allowanceUse');
  await call('take_allowance_v1', returned, accountId, 'people_preview', 'test-search', null, at('04T00:03'));
  await call('return_allowance_v1', returned, at('04T00:04'));
  return { accountId, cycleGrant: cycle, topUp, settled, released, pending, settledRun, use };
}
