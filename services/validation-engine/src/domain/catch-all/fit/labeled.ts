import type { EmailAddress } from '@mailproof/shared-types';
import type { Observation } from '../observation.ts';
import { weights } from '../weights.ts';

/** What the sources found about an address, and whether its mailbox turned out to exist. */
export interface Labeled {
  /** Distinguishes domains; a name or a hash. */
  readonly domain: string;
  readonly exists: boolean;
  readonly observations: readonly Observation[];
  /** Whose outcome says so; left out in a file of the operator. */
  readonly account?: string | undefined;
}

/** Whether a source of this name can have this finding; findings stored by another release may be unknown here. */
export function isObservation(read: {
  readonly source: string;
  readonly finding: string;
  readonly ageDays?: number | undefined;
}): read is Observation {
  if (read.source === 'mail_provider') {
    return /^\w{1,100}$/.test(read.finding);
  }
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

/** A labeled address, and for how much of one it counts. */
export interface Counted {
  readonly address: Labeled;
  readonly weight: number;
}

/** How many addresses an account counts for, unless others together have more. */
const accountAddressesMax = 1_000;

/**
 * Bounds what one account can move: it counts for at most as many addresses as all others together, or for 1,000. What
 * accounts that have not paid report counts like one account (ADR 0017).
 */
export function boundAccounts(labeled: readonly Labeled[]): Counted[] {
  const counts = new Map<string, number>();
  for (const { account } of labeled) {
    if (account !== undefined) {
      counts.set(account, (counts.get(account) ?? 0) + 1);
    }
  }
  return labeled.map(address => {
    const own = address.account === undefined ? undefined : counts.get(address.account);
    const most = own && Math.max(accountAddressesMax, labeled.length - own);
    return { address, weight: own && most ? Math.min(1, most / own) : 1 };
  });
}
