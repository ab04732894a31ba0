import type { AllowanceName } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { AllowanceStore } from '../../domain/allowance.ts';
import { createCall, type StoreOptions } from './call.ts';

interface UseRow {
  readonly outcome: 'answered' | 'id_reused' | 'not_found';
  readonly taken: boolean;
  readonly remaining: string;
}

interface AllowanceRow {
  readonly allowance: AllowanceName;
  readonly allowed: string;
  readonly used: string;
  readonly starts_at: Date;
  readonly ends_at: Date;
}

export function createAllowanceStore(pool: Pool, options: StoreOptions = {}): AllowanceStore {
  const call = createCall(pool, options);
  return {
    async take({ useId, accountId, allowance, cause, requestId }) {
      const row = await call<UseRow>(
        'take_allowance_v1',
        ...[useId, accountId, allowance, cause, requestId ?? null],
      );
      return row.outcome === 'answered'
        ? { kind: 'answered', taken: row.taken, remaining: Number(row.remaining) }
        : { kind: 'idReused' };
    },

    async giveBack(useId) {
      const row = await call<UseRow>('return_allowance_v1', useId);
      return row.outcome === 'answered'
        ? { kind: 'answered', remaining: Number(row.remaining) }
        : { kind: 'notFound' };
    },

    async allowancesOf(accountId) {
      const { rows } = await pool.query<AllowanceRow>(allowancesQuery, [accountId, options.now?.() ?? null]);
      return rows.map(row => ({
        allowance: row.allowance,
        limit: Number(row.allowed),
        used: Number(row.used),
        cycleStartsAt: row.starts_at,
        cycleEndsAt: row.ends_at,
      }));
    },
  };
}

const allowancesQuery = `
  WITH cycle AS (
    SELECT account_id, starts_at, ends_at FROM billing_cycle
    WHERE account_id = $1 AND starts_at <= coalesce($2, now()) AND ends_at > coalesce($2, now())
    ORDER BY starts_at DESC LIMIT 1
  )
  SELECT allowance, allowed, used, starts_at, ends_at
  FROM cycle JOIN allowance ON allowance.account_id = cycle.account_id AND cycle_starts_at = starts_at
  ORDER BY allowance`;
