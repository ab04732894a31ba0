import { inTransaction, onlyRow, traceParent } from '@mailproof/service-kit';
import { isSandboxAccount, limits, prices } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createColumnFacts } from '../../domain/intake/column-facts.ts';
import type { RevalidationStore } from '../../domain/intake/revalidation.ts';
import { sql } from './intake.sql.ts';
import { layoutOf } from './intake-store.ts';

/** How many rows show what the columns contain. */
const factRowsMax = 20;
/** How many addresses or rows of the source a statement copies; all of a long list take longer than one may. */
const copiedAtOnceMax = 5_000;

export function createRevalidationStore(pool: Pool): RevalidationStore {
  return {
    create: (revalidation, nameOf) =>
      inTransaction(pool, async client => {
        const { jobId, accountId, sourceId } = revalidation;
        const findEarlier = async () => {
          const [earlier] = (await sql.find_revalidation(client, { account_id: accountId, job_id: jobId }))
            .rows;
          return earlier && (earlier.is_gone ? 'notFound' : 'created');
        };
        const earlier = await findEarlier();
        if (earlier) {
          return earlier;
        }
        const [source] = (await sql.lock_revalidated(client, { account_id: accountId, job_id: sourceId }))
          .rows;
        if (!source) {
          return 'notFound';
        }
        if (source.is_active) {
          return 'underWay';
        }
        if (!source.has_rest) {
          return 'nothingLeft';
        }
        const { rows: made } = await sql.begin_revalidation(client, {
          job_id: jobId,
          source_no: source.job_no,
          created_by: revalidation.createdBy,
          request_id: revalidation.requestId,
          name: nameOf(source.name),
          price: isSandboxAccount(accountId) ? 0 : prices.validation,
          created_at: revalidation.createdAt,
          deleted_at: revalidation.deletedAt,
          trace_parent: traceParent(),
          unstarted_max: limits.unstartedJobsMax,
        });
        const jobNo = made[0]?.job_no;
        if (jobNo === undefined) {
          // The same request at the same time, or too many jobs.
          return (await findEarlier()) ?? 'tooMany';
        }
        const copied = { job_no: jobNo, source_no: source.job_no };
        for (const range of ranges(source.last_address)) {
          await sql.copy_rest_addresses(client, { ...copied, ...range });
        }
        let rowsBefore = layoutOf(source)?.hasHeader ? 1 : 0;
        for (const range of ranges(source.last_row)) {
          const { rowCount } = await sql.copy_rest_rows(client, {
            ...copied,
            ...range,
            rows_before: rowsBefore,
          });
          rowsBefore += rowCount ?? 0;
        }
        const facts = createColumnFacts();
        const { rows } = await sql.first_rows(client, { job_no: jobNo, rows_max: factRowsMax });
        for (const { cells } of rows) {
          facts.look(cells);
        }
        await onlyRow(
          sql.finish_revalidation(client, { job_no: jobNo, column_facts: JSON.stringify(facts.facts()) }),
        );
        return 'created';
      }),
  };
}

/** Divides the numbers from 1 to `last`. */
function* ranges(last: number): Generator<{ readonly after: number; readonly last: number }> {
  for (let after = 0; after < last; after += copiedAtOnceMax) {
    yield { after, last: after + copiedAtOnceMax };
  }
}
