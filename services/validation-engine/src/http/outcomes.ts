import type { ForgetAccount, Handlers } from '@mailproof/service-kit';
import { hasPaidHeader, type OutcomeReport, type ReportedOutcome } from '@mailproof/shared-types';
import type { Reporter } from '../domain/outcomes/outcome-store.ts';
import type { Events } from '../events.ts';

export interface OutcomePorts {
  readonly record: (reporter: Reporter, outcomes: readonly ReportedOutcome[]) => Promise<OutcomeReport>;
  readonly forget: ForgetAccount;
  readonly events: Events;
}

/** Handlers for the outcomes of mail that accounts report. */
export function outcomeHandlers({ record, forget, events }: OutcomePorts) {
  return {
    async recordOutcomes({ body: { accountId, outcomes } }, { requestId, header }) {
      const report = await record({ accountId, hasPaid: header(hasPaidHeader) === 'true' }, outcomes);
      events.outcomesRecorded(requestId, accountId, report);
      return report;
    },

    async forgetAccountOutcomes({ body }) {
      const forgotten = await forget(body.accountId);
      events.outcomesForgotten(body.accountId, forgotten.deleted);
      return forgotten;
    },
  } satisfies Partial<Handlers<'validation-engine'>>;
}
