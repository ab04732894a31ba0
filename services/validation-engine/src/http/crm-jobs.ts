import { type Handlers, Problem } from '@mailproof/service-kit';
import type { AccountId, ValidationJobId } from '@mailproof/shared-types';
import type { AcceptJob } from '../domain/intake/accept-job.ts';
import type { StartJobOutcome, StartJobRequest } from '../domain/job-runs/start-job.ts';
import { type FindJob, foundJob, startProblems } from './validation-job-runs.ts';
import { takenIn } from './validation-jobs.ts';

export interface CrmJobPorts {
  readonly take: AcceptJob;
  readonly find: FindJob;
  readonly start: (request: StartJobRequest) => Promise<StartJobOutcome>;
  readonly stop: (accountId: AccountId, jobId: ValidationJobId) => Promise<unknown>;
}

/** Validation jobs of CRM imports. */
export function crmJobHandlers({ take, find, start, stop }: CrmJobPorts) {
  return {
    takeCrmRows({ params: { accountId, creatorId, jobId }, query, body }, context) {
      const { name, address_column: addressColumn, replaces } = query;
      const source = { origin: 'crm', octets: body, addressColumn, jobId, replaces } as const;
      return takenIn(take, { accountId, creatorId, name, source }, context);
    },

    getCrmJob: ({ params: { accountId, jobId } }) => foundJob(find, accountId, jobId),

    async startCrmJob({ params: { accountId, jobId }, body }) {
      const { request_id: requestId, credits_max: creditsMax } = body;
      const outcome = await start({ accountId, jobId, requestId, key: null, creditsMax });
      if (outcome.kind === 'tooFewCredits') {
        const { required, available } = outcome;
        throw new Problem('credits_exhausted', { extra: { required, available } });
      }
      if (outcome.kind === 'simulated') {
        throw new Error('An import of a CRM has no sandbox.');
      }
      // A retry after a lost answer finds the job already started.
      if (outcome.kind !== 'started' && outcome.kind !== 'repeated' && outcome.kind !== 'startedBefore') {
        throw new Problem(startProblems[outcome.kind]);
      }
      return foundJob(find, accountId, jobId);
    },

    async stopCrmJob({ params: { accountId, jobId } }) {
      await stop(accountId, jobId);
      return { jobId };
    },
  } satisfies Partial<Handlers<'validation-engine'>>;
}
