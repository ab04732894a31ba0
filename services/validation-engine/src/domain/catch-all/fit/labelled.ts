import type { Observation } from '../observation.ts';
import { weights } from '../weights.ts';

/** What the sources found about an address, and whether its mailbox turned out to exist. */
export interface Labelled {
  /** Tells domains apart; a name or a hash. */
  readonly domain: string;
  readonly exists: boolean;
  readonly observations: readonly Observation[];
}

/** Whether a source of this name can find this; what another release wrote down may be unknown here. */
export function isObservation(read: {
  readonly source: string;
  readonly finding: string;
  readonly ageDays?: number | undefined;
}): read is Observation {
  const known: Readonly<Record<string, { readonly llr: Readonly<Record<string, number>> }>> = weights.sources;
  return Object.hasOwn(known, read.source) && Object.hasOwn(known[read.source]?.llr ?? {}, read.finding);
}
