import { Problem } from '@mailproof/service-kit';
import type { DiscoveryRun } from '@mailproof/shared-types';
import type { StartOutcome } from '../domain/discovery/start-run.ts';
import { runAnswer } from './run-answer.ts';

/** The run that was started, of either kind, or the problem that kept it from starting. */
export function runOrProblem(outcome: StartOutcome): DiscoveryRun {
  switch (outcome.kind) {
    case 'started':
    case 'repeated':
      return runAnswer(outcome.run);
    case 'tooFewCredits':
      throw new Problem('credits_exhausted', {
        detail: `The run needs ${outcome.required} credits, and ${outcome.available} are available.`,
        extra: { required: outcome.required, available: outcome.available },
      });
    case 'runActive':
      throw new Problem('run_active', {
        ...(outcome.runId && { detail: `The run ${outcome.runId} is under way.` }),
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
