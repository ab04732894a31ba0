import { type OperationClient, Problem } from '@mailproof/service-kit';
import {
  getCrmJob,
  limits,
  startCrmJob,
  stopCrmJob,
  takeCrmRows,
  type ValidationJob,
} from '@mailproof/shared-types';
import { type ImportedJob, RowsRefused, type ValidationJobs } from '../../domain/crm/imports/import-ports.ts';

/** The deadline for an operation that needs at most a lookup or a credit hold, in milliseconds. */
const deadlineMs = 15_000;

/** Why the engine rejects rows, by the code of its problem. */
const refusals: Readonly<Record<string, RowsRefused['failure']>> = {
  no_addresses_found: 'no_addresses_found',
  too_many_rows: 'too_many_records',
  body_too_large: 'too_much_text',
  too_many_unstarted_jobs: 'too_many_unstarted_jobs',
};

const startOutcomes = {
  price_above_limit: 'price_above_limit',
  credits_exhausted: 'too_few_credits',
  too_many_jobs: 'too_many_jobs',
  job_not_ready: 'not_started',
  no_addresses_found: 'not_started',
  job_not_found: 'gone',
} as const;

/** Validation jobs of imports, in the validation engine. */
export function createValidationJobs(engine: OperationClient): ValidationJobs {
  return {
    async take({ accountId, creatorId, requestId, jobId, name, addressColumn, replaces, lines }, signal) {
      try {
        const job = await engine.call(
          takeCrmRows,
          {
            params: { accountId, creatorId, jobId },
            query: { name, address_column: addressColumn, ...(replaces !== null && { replaces }) },
            body: lines,
          },
          { deadlineMs: limits.uploadMsMax, signal, headers: { 'x-request-id': requestId } },
        );
        return jobOf(job);
      } catch (error) {
        if (error instanceof Problem && error.code === 'request_timeout') {
          // The rows arrived too slowly, or others needed the slot. That is no fault of the import, and it is retried.
          throw new Problem('service_unavailable', { cause: error });
        }
        const failure = error instanceof Problem ? refusals[error.code] : undefined;
        throw failure === undefined ? error : new RowsRefused(failure, { cause: error });
      }
    },
    async find(accountId, jobId, signal) {
      try {
        const request = { params: { accountId, jobId }, body: undefined };
        return jobOf(await engine.call(getCrmJob, request, { deadlineMs, signal }));
      } catch (error) {
        if (error instanceof Problem && error.code === 'job_not_found') {
          return undefined;
        }
        throw error;
      }
    },
    async start(accountId, jobId, { requestId, creditsMax }, signal) {
      try {
        const body = { request_id: requestId, credits_max: creditsMax };
        await engine.call(startCrmJob, { params: { accountId, jobId }, body }, { deadlineMs, signal });
        return 'started';
      } catch (error) {
        if (error instanceof Problem && error.code in startOutcomes) {
          return startOutcomes[error.code as keyof typeof startOutcomes];
        }
        throw error;
      }
    },
    async stop(accountId, jobId, signal) {
      await engine.call(
        stopCrmJob,
        { params: { accountId, jobId }, body: undefined },
        { deadlineMs, signal },
      );
    },
  };
}

function jobOf(job: ValidationJob): ImportedJob {
  return {
    jobId: job.job_id,
    state: job.state,
    isInterrupted: job.failure?.code === 'upload_broken_off',
    rows: job.rows.total,
    addresses: job.addresses,
    costMax: job.cost_max,
    validated: job.done,
    secondsLeft: job.seconds_left,
  };
}
