import type { AccountId, OutcomeReportId } from '@mailproof/shared-types';
import type { AddressKey, OutcomeStore } from './outcome-store.ts';

export interface ForgetPorts {
  readonly outcomes: Pick<OutcomeStore, 'subjectsOf'>;
  /** Forgets what is remembered for everybody and for each of the accounts. */
  readonly forget: (addresses: readonly AddressKey[], accounts: readonly AccountId[]) => Promise<void>;
}

/** Sees to it that the addresses of a report are asked about anew. Running twice is safe. */
export async function forgetVerdicts(ports: ForgetPorts, reportId: OutcomeReportId): Promise<void> {
  const { addresses, reporters } = await ports.outcomes.subjectsOf(reportId);
  await ports.forget(addresses, reporters);
}
