import { idOfKey, receiptIdOf } from '@mailproof/durable-work';
import {
  type Handlers,
  Problem,
  publicRequestId,
  type RequestContext,
  readRequestKey,
  unavailable,
} from '@mailproof/service-kit';
import {
  createValidationJob,
  createValidationJobFromList,
  isDeliverable,
  isSandboxAccount,
  newId,
  revalidateUnknownRows,
  type ValidationJob,
  type ValidationJobRow,
  validationJobFailures,
  validationResults,
} from '@mailproof/shared-types';
import type { AcceptJob, JobRequest } from '../domain/intake/accept-job.ts';
import type { ChangeJob } from '../domain/intake/change-job.ts';
import { exportedColumnNames } from '../domain/intake/column-names.ts';
import { IntakeFault } from '../domain/intake/intake-fault.ts';
import type { JobRemoval } from '../domain/intake/job-removal.ts';
import { summaryOf } from '../domain/intake/job-summary.ts';
import type { JobView, JobViews, JobWait, RowView } from '../domain/intake/job-view.ts';
import type { JsonForm } from '../domain/intake/open-json.ts';
import type { Revalidate } from '../domain/intake/revalidation.ts';

export interface ValidationJobPorts {
  readonly take: AcceptJob;
  readonly views: JobViews;
  readonly change: ChangeJob;
  readonly remove: JobRemoval['remove'];
  readonly revalidate: Revalidate;
}

/** Handlers that create, show, change and remove validation jobs. */
export function validationJobHandlers({ take, views, change, remove, revalidate }: ValidationJobPorts) {
  return {
    createValidationJob({ params, query, body }, context) {
      const { name, delimiter, encoding, has_header: hasHeader, sheet } = query;
      const given = {
        ...(delimiter !== undefined && { delimiter }),
        ...(encoding !== undefined && { encoding }),
        ...(hasHeader !== undefined && { hasHeader }),
        ...(sheet !== undefined && { sheet }),
      };
      const { accountId, callerId: creatorId } = params;
      const json = jsonFormOf(context);
      if (json && Object.keys(given).length > 0) {
        throw new Problem('invalid_request', {
          detail: `The parameters delimiter, encoding, has_header and sheet are for CSV and workbooks. JSON is UTF-8, and its fields have names.`,
        });
      }
      const source = { origin: 'file' as const, octets: body, ...(json ? { json } : { given }) };
      const key = readRequestKey(createValidationJob, accountId, { query, json: json ?? null }, context);
      return takenIn(take, { accountId, creatorId, name, source, key }, context);
    },

    createValidationJobFromList(
      { params: { accountId, callerId: creatorId }, query: { name }, body },
      context,
    ) {
      const source = { origin: 'list' as const, octets: body };
      const key = readRequestKey(createValidationJobFromList, accountId, { name }, context);
      return takenIn(take, { accountId, creatorId, name, source, key }, context);
    },

    async listValidationJobs({ params: { accountId }, query }) {
      const { jobs, nextCursor } = await views.list(accountId, query);
      return { jobs: jobs.map(jobAnswer), next_cursor: nextCursor };
    },

    async getValidationJob({ params: { accountId, job_id: jobId } }) {
      const job = await views.find(accountId, jobId);
      if (!job) {
        throw new Problem('job_not_found');
      }
      return jobAnswer(job);
    },

    async changeValidationJob({ params: { accountId, job_id: jobId }, body }) {
      const { name, address_column: addressColumn, has_header: hasHeader } = body;
      const changed = await orIntakeProblem(
        change(accountId, jobId, {
          ...(name !== undefined && { name }),
          ...(addressColumn !== undefined && { addressColumn }),
          ...(hasHeader !== undefined && { hasHeader }),
        }),
      );
      if (changed === 'not_found') {
        throw new Problem('job_not_found');
      }
      if (changed === 'started') {
        throw new Problem('job_started');
      }
      if (changed === 'turned_away') {
        throw tooManyChanges();
      }
      return jobAnswer(changed);
    },

    async deleteValidationJob({ params: { accountId, job_id: jobId } }) {
      if (!(await remove(accountId, jobId))) {
        throw new Problem((await views.find(accountId, jobId)) ? 'job_under_way' : 'job_not_found');
      }
      return { job_id: jobId };
    },

    async revalidateUnknownRows({ params }, context) {
      const { accountId, callerId: createdBy, job_id: sourceId } = params;
      const key = readRequestKey(revalidateUnknownRows, accountId, { sourceId }, context);
      const outcome = await revalidate({
        jobId: key ? idOfKey('validationJob', accountId, key.requestHash) : newId('validationJob'),
        accountId,
        createdBy,
        requestId: publicRequestId(context),
        sourceId,
      });
      if (outcome === 'turned_away') {
        throw tooManyChanges();
      }
      if (typeof outcome === 'string') {
        throw new Problem(revalidationProblems[outcome]);
      }
      return jobAnswer(outcome);
    },

    async listValidationJobRows({ params: { accountId, job_id: jobId }, query }) {
      const page = await views.rows(accountId, jobId, query);
      if (!page) {
        throw new Problem('job_not_found');
      }
      const rows = page.rows.map(rowAnswer);
      return {
        rows: query.with_cells ? rows : rows.map(row => ({ ...row, cells: [] })),
        next_cursor: page.nextCursor,
      };
    },

    async summarizeValidationJob({ params: { accountId, job_id: jobId } }) {
      const groups = await views.groups(accountId, jobId);
      if (!groups) {
        throw new Problem('job_not_found');
      }
      return summaryOf(groups);
    },
  } satisfies Partial<Handlers<'validation-engine'>>;
}

/** When a client may repeat an upload whose first attempt is still being read. */
const keyRetrySeconds = 2;

/** Which JSON the body is; undefined for a file. */
function jsonFormOf({ header }: Pick<RequestContext<unknown>, 'header'>): JsonForm | undefined {
  const mediaType = header('content-type')?.split(';')[0]?.trim().toLowerCase();
  return mediaType === 'application/json'
    ? 'array'
    : mediaType === 'application/x-ndjson'
      ? 'lines'
      : undefined;
}

const revalidationProblems = {
  notFound: 'job_not_found',
  underWay: 'job_under_way',
  nothingLeft: 'no_unknown_rows',
  tooMany: 'too_many_unstarted_jobs',
} as const;

function tooManyChanges(): Problem {
  return unavailable('Too many lists of the account are being changed right now.');
}

/** Accepts a job and returns the answer. */
export async function takenIn(
  take: AcceptJob,
  request: Omit<JobRequest, 'requestId'>,
  context: Pick<RequestContext<unknown>, 'header' | 'requestId'>,
): Promise<ValidationJob> {
  const taken = await orIntakeProblem(take({ ...request, requestId: publicRequestId(context) }));
  switch (taken.kind) {
    case 'accepted':
    case 'repeated':
      return jobAnswer(taken.job);
    case 'keyInUse':
      throw new Problem('idempotency_key_in_use', { headers: { 'retry-after': String(keyRetrySeconds) } });
    case 'keyReused':
      throw new Problem('idempotency_key_reused');
    case 'turnedAway':
      throw unavailable('Too many uploads are in progress right now.');
  }
}

/** Converts faults of incoming rows into problems. */
async function orIntakeProblem<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof IntakeFault
      ? new Problem(error.code, {
          detail: error.message,
          cause: error,
          ...(error.otherSheets.length > 0 && { extra: { sheets: [...error.otherSheets] } }),
        })
      : error;
  }
}

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
    test: isSandboxAccount(job.accountId),
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
    spent_so_far: job.spent ?? job.charged * job.price,
    done: job.done,
    rows_open: rowsOpenOf(job),
    waiting: waitingOf(job),
    waiting_for: job.waits.map(waitAnswer),
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

/** Null for JSON, of which there is nothing to correct. */
function fileOf({ content: { layout } }: JobView): ValidationJob['file'] {
  return layout === null || layout.format === 'ndjson'
    ? null
    : {
        format: layout.format ?? 'csv',
        octets: layout.octets,
        encoding: layout.encoding,
        encoding_is_guess: layout.encodingIsGuess,
        delimiter: layout.delimiter,
        has_header: layout.hasHeader,
        sheet: layout.sheet ?? null,
        sheets: [...(layout.sheets ?? [])],
      };
}

function columnsOf({ content: { columns, columnFacts, addressColumn } }: JobView): ValidationJob['columns'] {
  const exported = exportedColumnNames(columns, addressColumn);
  return columns.map((name, index) => {
    const { samples = [], filled = 0, addresses = 0 } = columnFacts[index] ?? {};
    return {
      name,
      exported_as: exported[index] ?? 'email',
      samples: [...samples],
      address_share: filled === 0 ? 0 : addresses / filled,
    };
  });
}

/** Broken rows count as `invalid` from the start of the job, but are never open. */
function rowsOpenOf({ content: { counts }, results, startedAt }: JobView): number {
  const settled = Object.values(results).reduce((sum, rows) => sum + rows, 0);
  const probed = startedAt === null ? settled : settled - counts.broken;
  return Math.max(0, counts.valid - probed);
}

function waitingOf({ waits }: JobView): number {
  return waits.reduce((sum, { addresses }) => sum + addresses, 0);
}

function waitAnswer({ reason, addresses, rows, nextAt, until, mailHosts }: JobWait) {
  return {
    reason,
    addresses,
    rows,
    next_at: nextAt.toISOString(),
    until: until.toISOString(),
    mail_hosts: mailHosts.map(host => ({
      mail_host: host.mailHost,
      addresses: host.addresses,
      next_at: host.nextAt.toISOString(),
    })),
  };
}

function progressOf(job: JobView): number {
  const { state, content } = job;
  if (state === 'succeeded') {
    return 1;
  }
  const isStarted = state !== 'receiving' && state !== 'ready';
  return isStarted && content.counts.total > 0 ? 1 - rowsOpenOf(job) / content.counts.total : 0;
}

/**
 * Estimates the time until every address has been probed: at the recent pace, and no sooner than the last of the known
 * waits ends.
 */
function secondsLeftOf(job: JobView): number | null {
  const { state, done, perSecond, content, waits } = job;
  const left = content.addresses - done - waitingOf(job);
  if (state !== 'running' || (left > 0 && !perSecond)) {
    return null;
  }
  const waitsSeconds = Math.max(0, ...waits.map(({ secondsLeft }) => secondsLeft));
  const seconds = Math.max(waitsSeconds, left > 0 && perSecond ? Math.ceil(left / perSecond) : 0);
  return seconds === 0 ? null : seconds;
}

/** A row as the application shows it. */
function rowAnswer({ verdict, ...row }: RowView): ValidationJobRow {
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
