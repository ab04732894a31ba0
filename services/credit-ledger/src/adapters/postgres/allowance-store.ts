import { onlyRow } from '@mailproof/service-kit';
import type { AllowanceName } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { AllowanceStore } from '../../domain/allowance.ts';
import { sql } from './ledger.sql.ts';
import type { StoreOptions } from './ledger-store.ts';

export function createAllowanceStore(pool: Pool, { now }: StoreOptions = {}): AllowanceStore {
  return {
    async take({ useId, accountId, allowance, cause, requestId }) {
      const row = await onlyRow(
        sql.take_allowance_v1(pool, {
          use_id: useId,
          account_id: accountId,
          allowance,
          cause,
          request_id: requestId,
          now: now?.(),
        }),
      );
      return row.outcome === 'answered'
        ? { kind: 'answered', taken: row.taken, remaining: Number(row.remaining) }
        : { kind: 'idReused' };
    },

    async returnUse(useId) {
      const row = await onlyRow(sql.return_allowance_v1(pool, { use_id: useId, now: now?.() }));
      return row.outcome === 'answered'
        ? { kind: 'answered', remaining: Number(row.remaining) }
        : { kind: 'notFound' };
    },

    async allowancesOf(accountId) {
      const { rows } = await sql.allowances_of_cycle(pool, { account_id: accountId, now: now?.() });
      return rows.map(row => ({
        allowance: row.allowance as AllowanceName,
        limit: Number(row.allowed),
        used: Number(row.used),
        cycleStartsAt: row.starts_at,
        cycleEndsAt: row.ends_at,
      }));
    },
  };
}
