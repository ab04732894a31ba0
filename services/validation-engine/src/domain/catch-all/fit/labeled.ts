import type { EmailAddress } from '@mailproof/shared-types';
import type { Observation } from '../observation.ts';
import { weights } from '../weights.ts';

/** What the sources found about an address, and whether its mailbox turned out to exist. */
export interface Labeled {
  /** Distinguishes domains; a name or a hash. */
  readonly domain: string;
  readonly exists: boolean;
  readonly observations: readonly Observation[];
}

/** Whether a source of this name can have this finding; findings stored by another release may be unknown here. */
export function isObservation(read: {
  readonly source: string;
  readonly finding: string;
  readonly ageDays?: number | undefined;
}): read is Observation {
  const known: Readonly<Record<string, { readonly llr: Readonly<Record<string, number>> }>> = weights.sources;
  return Object.hasOwn(known, read.source) && Object.hasOwn(known[read.source]?.llr ?? {}, read.finding);
}

/** Keeps what sources found, so that later outcomes show how far the sources can be believed. */
export interface EvidenceSnapshots {
  /** Keeps the first snapshot per day for each address. */
  take(email: EmailAddress, observations: readonly Observation[]): Promise<void>;
}

/** Snapshots of mailboxes that have since turned out to exist or not. */
export interface LabeledSnapshots {
  labeled(): Promise<readonly Labeled[]>;
}
