import { type Guard, type Route, route } from '@mailproof/service-kit';
import {
  type AccountId,
  type OutcomeReport,
  type ReportedOutcome,
  recordOutcomes,
} from '@mailproof/shared-types';
import type { Events } from '../events.ts';

export function recordOutcomesRoute(
  guard: Guard<unknown>,
  record: (accountId: AccountId, outcomes: readonly ReportedOutcome[]) => Promise<OutcomeReport>,
  events: Events,
): Route {
  return route(recordOutcomes, guard, async ({ body }, { requestId }) => {
    const report = await record(body.accountId, body.outcomes);
    events.outcomesRecorded(requestId, body.accountId, report);
    return report;
  });
}
