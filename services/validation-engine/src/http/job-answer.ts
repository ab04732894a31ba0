import { receiptIdOf } from '@mailproof/paid-runs';
import {
  isDeliverable,
  type ValidationJob,
  type ValidationJobRow,
  validationJobFailures,
  validationResults,
} from '@mailproof/shared-types';
import { exportedColumnNames } from '../domain/intake/column-names.ts';
import type { JobView, RowView } from '../domain/intake/job-view.ts';

/** A job as the application shows it. */
export function jobAnswer(job: JobView): ValidationJob {
  const { content, failure } = job;
  const isReceiving = job.state === 'receiving';
  return {
    job_id: job.jobId,
    name: job.name,
    origin: job.origin,
    state: job.state,
    file: fileOf(job),
    columns: columnsOf(job),
    address_column: isReceiving || content.columns.length === 0 ? null : content.addressColumn,
    rows: content.counts,
    addresses: content.addresses,
    price: job.price,
    cost_max: job.price * content.addresses,
    reserved: job.holdAmount,
    spent: job.spent,
    returned: job.spent === null ? null : job.holdAmount - job.spent,
    receipt_id: receiptIdOf({ runId: job.jobId, holds: job.holds }),
    done: job.done,
    waiting: job.waiting,
    progress: progressOf(job),
    per_second: job.perSecond,
    seconds_left: secondsLeftOf(job),
    results: Object.fromEntries(
      validationResults.map(result => [result, job.results[result] ?? 0]),
    ) as ValidationJob['results'],
    failure: failure && { code: failure, detail: validationJobFailures[failure] },
    created_by: job.createdBy,
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    ended_at: job.endedAt?.toISOString() ?? null,
    deleted_at: job.deletedAt.toISOString(),
    version: job.version,
  };
}

function fileOf({ content: { layout } }: JobView): ValidationJob['file'] {
  return (
    layout && {
      octets: layout.octets,
      encoding: layout.encoding,
      encoding_is_guess: layout.encodingIsGuess,
      delimiter: layout.delimiter,
      has_header: layout.hasHeader,
    }
  );
}

function columnsOf({ content: { columns, columnFacts, addressColumn } }: JobView): ValidationJob['columns'] {
  const exported = exportedColumnNames(columns, addressColumn);
  return columns.map((name, place) => {
    const { samples = [], filled = 0, addresses = 0 } = columnFacts[place] ?? {};
    return {
      name,
      exported_as: exported[place] ?? 'email',
      samples: [...samples],
      address_share: filled === 0 ? 0 : addresses / filled,
    };
  });
}

function progressOf({ state, done, content }: JobView): number {
  return state === 'succeeded' ? 1 : content.addresses === 0 ? 0 : done / content.addresses;
}

/** Nothing can be said while all that is left waits for its hosts. */
function secondsLeftOf({ done, waiting, perSecond, content }: JobView): number | null {
  const left = content.addresses - done - waiting;
  return perSecond === null || perSecond === 0 || left <= 0 ? null : Math.ceil(left / perSecond);
}

/** A row as the application shows it. */
export function rowAnswer({ verdict, ...row }: RowView): ValidationJobRow {
  return {
    row: row.row,
    cells: [...row.cells],
    email: row.email,
    fault: row.fault,
    is_duplicate: row.isDuplicate,
    verdict: verdict && {
      result: verdict.result,
      reason: verdict.reason,
      valid: isDeliverable(verdict.result),
      mx_domain: verdict.mxDomain,
      mx_provider: verdict.mxProvider,
      email_type: verdict.emailType,
    },
  };
}
