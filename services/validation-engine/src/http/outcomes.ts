import type { ForgetAccount, Handlers } from '@mailproof/service-kit';
import type { AccountId, OutcomeReport, ReportedOutcome } from '@mailproof/shared-types';
import type { Events } from '../events.ts';

export interface OutcomePorts {
  readonly record: (accountId: AccountId, outcomes: readonly ReportedOutcome[]) => Promise<OutcomeReport>;
  readonly forget: ForgetAccount;
  readonly events: Events;
}

/** Handlers for the outcomes of mail that accounts report. */
export function outcomeHandlers({ record, forget, events }: OutcomePorts) {
  return {
    async recordOutcomes({ body }, { requestId }) {
      const report = await record(body.accountId, body.outcomes);
      events.outcomesRecorded(requestId, body.accountId, report);
      return report;
    },

    async forgetAccountOutcomes({ body }) {
      const forgotten = await forget(body.accountId);
      events.outcomesForgotten(body.accountId, forgotten.deleted);
      return forgotten;
    },
  } satisfies Partial<Handlers<'validation-engine'>>;
}
