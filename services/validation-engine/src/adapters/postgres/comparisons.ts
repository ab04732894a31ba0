import type { RowOf } from '@mailproof/service-kit';
import type { ChangedAddress, ValidationResult } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { ComparedJobs, Comparisons } from '../../domain/intake/comparison.ts';
import { sql } from './comparisons.sql.ts';
import { readCursor } from './job-rows.ts';

export function createComparisons(pool: Pool): Comparisons {
  async function find({ accountId, jobId, earlierId }: ComparedJobs) {
    const ids = { account_id: accountId, job_id: jobId, other_id: earlierId };
    return (await sql.find_compared(pool, ids)).rows[0];
  }
  return {
    async groups(jobs) {
      const found = await find(jobs);
      if (!found) return undefined;
      const { rows } = await sql.count_changes(pool, { job_no: found.job_no, other_no: found.other_no });
      return rows.map(row => ({
        from: row.old_result as ValidationResult | null,
        to: row.new_result as ValidationResult | null,
        isAdded: row.is_added,
        isRemoved: row.is_removed,
        addresses: row.addresses,
      }));
    },
    async page(jobs, { from, to, cursor, limit }) {
      const after = readCursor(cursor) ?? '0';
      const found = await find(jobs);
      if (!found) return undefined;
      const { rows } = await sql.page_of_changes(pool, {
        job_no: found.job_no,
        other_no: found.other_no,
        after,
        rows_max: limit + 1,
        old_result: from,
        new_result: to,
      });
      const page = rows.slice(0, limit);
      return {
        addresses: page.map(addressOf),
        nextCursor: rows.length > limit ? String(page.at(-1)?.address_no) : undefined,
      };
    },
  };
}

function addressOf(row: RowOf<typeof sql.page_of_changes>): ChangedAddress {
  return {
    email: row.email,
    from: {
      result: row.old_result as ValidationResult,
      reason: row.old_reason ?? '',
      validated_at: row.old_checked_at?.toISOString() ?? null,
    },
    to: {
      result: row.new_result as ValidationResult,
      reason: row.new_reason ?? '',
      validated_at: row.new_checked_at?.toISOString() ?? null,
    },
  };
}
