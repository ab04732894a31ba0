import { hasEnded, receiptIdOf } from '@mailproof/durable-work';
import { type Follow, type Handlers, Problem, publicRequestId, readRequestKey } from '@mailproof/service-kit';
import {
  type AccountId,
  type DiscoveryRun,
  type DiscoveryRunId,
  limits,
  runFailures,
  startCompanyRun,
  startDiscoveryRun,
  startLookalikeRun,
} from '@mailproof/shared-types';
import type { Run, RunViews } from '../domain/discovery/run.ts';
import type { RunRequest, StartOutcome } from '../domain/discovery/start-run.ts';
import { answeringProblems } from './lookalike-searches.ts';
import { orSearchProblem } from './search-problem.ts';

export interface DiscoveryRunPorts {
  readonly start: (request: RunRequest) => Promise<StartOutcome>;
  readonly views: RunViews;
  readonly cancel: (accountId: AccountId, runId: DiscoveryRunId) => Promise<Run | undefined>;
  readonly follow: Follow;
}

/** Handlers of paid runs of all kinds of search. */
export function discoveryRunHandlers({ start, views, cancel, follow }: DiscoveryRunPorts) {
  return {
    async startLookalikeRun({ params, body }, context) {
      const { accountId, callerId: creatorId, search_id: searchId } = params;
      const key = readRequestKey(startLookalikeRun, accountId, { searchId, ...body }, context);
      const outcome = await answeringProblems([], () =>
        start({
          accountId,
          creatorId,
          searchId,
          kind: 'lookalikes',
          records: body.companies,
          recordsMax: limits.companiesPerRunMax,
          listId: body.list_id ?? null,
          requestId: key ? null : publicRequestId(context),
          key,
        }),
      );
      return runOrProblem(outcome);
    },

    async startDiscoveryRun({ params, body }, context) {
      const { accountId, callerId: creatorId, search_id: searchId } = params;
      const key = readRequestKey(startDiscoveryRun, accountId, { searchId, ...body }, context);
      const outcome = await orSearchProblem(
        start({
          accountId,
          creatorId,
          searchId,
          kind: 'people',
          records: body.people ?? 'all',
          recordsMax: limits.peoplePerRunMax,
          chosen: body.person_ids,
          listId: body.list_id ?? null,
          requestId: key ? null : publicRequestId(context),
          key,
        }),
        '',
      );
      return runOrProblem(outcome);
    },

    async startCompanyRun({ params, body }, context) {
      const { accountId, callerId: creatorId, search_id: searchId } = params;
      const key = readRequestKey(startCompanyRun, accountId, { searchId, ...body }, context);
      const outcome = await orSearchProblem(
        start({
          accountId,
          creatorId,
          searchId,
          kind: 'companies',
          records: body.companies ?? 'all',
          recordsMax: limits.companiesPerRunMax,
          chosen: body.company_ids,
          listId: body.list_id ?? null,
          requestId: key ? null : publicRequestId(context),
          key,
        }),
        '',
      );
      return runOrProblem(outcome);
    },

    async listDiscoveryRuns({ params: { accountId }, query }) {
      const { runs, nextCursor } = await views.list(accountId, query);
      return { runs: runs.map(runAnswer), next_cursor: nextCursor };
    },

    async getDiscoveryRun({ params: { accountId, run_id: runId } }) {
      const run = await views.find(accountId, runId);
      if (!run) {
        throw new Problem('run_not_found');
      }
      return runAnswer(run);
    },

    async cancelDiscoveryRun({ params: { accountId, run_id: runId } }) {
      const run = await cancel(accountId, runId);
      if (!run) {
        throw new Problem('run_not_found');
      }
      return runAnswer(run);
    },

    async followDiscoveryRun({ params: { accountId, run_id: runId } }, context) {
      if (!(await views.find(accountId, runId))) {
        throw new Problem('run_not_found');
      }
      return follow(accountId, context, {
        find: () => views.find(accountId, runId),
        hasEnded,
        event: 'run',
        answer: runAnswer,
      });
    },
  } satisfies Partial<Handlers<'enrichment'>>;
}

/** Returns the started run, of any kind of search, or throws the problem that prevented it. */
function runOrProblem(outcome: StartOutcome): DiscoveryRun {
  switch (outcome.kind) {
    case 'started':
    case 'repeated':
      return runAnswer(outcome.run);
    case 'tooFewCredits':
      throw new Problem('credits_exhausted', {
        detail: `The run costs up to ${outcome.required} credits; ${outcome.available} are available.`,
        extra: { required: outcome.required, available: outcome.available },
      });
    case 'runActive':
      throw new Problem('run_active', {
        ...(outcome.runId && { detail: `The run ${outcome.runId} is in progress.` }),
      });
    default:
      throw new Problem(problems[outcome.kind]);
  }
}

const problems = {
  keyReused: 'idempotency_key_reused',
  searchNotFound: 'search_not_found',
  listNotFound: 'saved_list_not_found',
  nothingToDeliver: 'nothing_to_deliver',
  tooManyRuns: 'too_many_runs',
  searchChanged: 'search_changed',
} as const;

/** A run as shown to customers. */
function runAnswer(run: Run): DiscoveryRun {
  const ended = hasEnded(run);
  const reserved = run.holdId === null && ended ? 0 : run.holdAmount;
  return {
    run_id: run.runId,
    search_id: run.searchId,
    kind: run.kind,
    state: run.state,
    cancel_requested: run.ending === 'cancelled',
    requested: run.requested,
    delivered: run.delivered,
    progress: ended ? 1 : Math.min(1, run.delivered / run.requested),
    ...paceOf(run, ended),
    price: run.price,
    reserved,
    spent: run.spent,
    returned: run.spent === null ? null : reserved - run.spent,
    receipt_id: receiptIdOf(run),
    failure: run.failure === null ? null : { code: run.failure, detail: runFailures[run.failure] },
    list_id: run.listId,
    has_more: run.hasMore,
    created_by: run.createdBy,
    created_at: run.createdAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    ended_at: run.endedAt?.toISOString() ?? null,
    version: run.version,
  };
}

/** Computes the pace from the first chunk to the last one delivered. */
function paceOf(
  { startedAt, movedAt, delivered, requested }: Run,
  ended: boolean,
): Pick<DiscoveryRun, 'per_second' | 'seconds_left'> {
  const seconds = startedAt === null ? 0 : (movedAt.getTime() - startedAt.getTime()) / 1_000;
  const perSecond = seconds > 0 ? Math.round((delivered / seconds) * 10) / 10 : null;
  const secondsLeft =
    ended || perSecond === null || perSecond === 0 ? null : Math.ceil((requested - delivered) / perSecond);
  return { per_second: perSecond, seconds_left: secondsLeft };
}
