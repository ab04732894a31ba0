import type { EmailAddress } from '@mailproof/shared-types';
import type { Labelled } from './fit/labelled.ts';
import type { Observation } from './observation.ts';

/** Keeps what sources found, so that later outcomes tell how far they can be believed. */
export interface EvidenceSnapshots {
  /** Keeps the first of a day for each address. */
  take(email: EmailAddress, observations: readonly Observation[]): Promise<void>;
}

/** Snapshots whose mailboxes have turned out to exist or not. */
export interface LabelledSnapshots {
  labelled(): Promise<readonly Labelled[]>;
}
