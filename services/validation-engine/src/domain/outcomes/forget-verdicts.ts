import type { OutcomeReportId } from '@mailproof/shared-types';
import type { AddressKey, OutcomeStore } from './outcome-store.ts';

export interface ForgetPorts {
  readonly outcomes: Pick<OutcomeStore, 'addressesIn'>;
  /** Forgets what is remembered of addresses, for everybody and for single accounts. */
  readonly forget: (addresses: readonly AddressKey[]) => Promise<void>;
}

/** Sees to it that the addresses of a report are asked about anew. Running twice is safe. */
export async function forgetVerdicts(ports: ForgetPorts, reportId: OutcomeReportId): Promise<void> {
  await ports.forget(await ports.outcomes.addressesIn(reportId));
}
