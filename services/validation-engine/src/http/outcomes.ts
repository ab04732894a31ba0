import type { ForgetAccount, Handlers } from '@mailproof/service-kit';
import type { OutcomeReport, ReportedOutcome } from '@mailproof/shared-types';
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
    async recordOutcomes({ body }, { requestId }) {
      const report = await record(
        { accountId: body.accountId, hasPaid: body.hasPaid === true },
        body.outcomes,
      );
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
