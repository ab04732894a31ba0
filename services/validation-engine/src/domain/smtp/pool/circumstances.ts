import type { Finding } from '../conversation.ts';

/** Where in its session a recipient was asked about. */
export interface Circumstances {
  /** Asked about in the first transaction of the session. */
  readonly firstTransaction: boolean;
  /** The finding about the first recipient of the same transaction. */
  readonly firstOfTransaction: Finding | undefined;
  /** Commands that the host refused in this session. */
  readonly refusals: number;
  /** Whether the host said that an earlier recipient of this session exists, or that it does not. */
  readonly forthcoming: boolean;
  /** The positions in which it was asked about; none for the first recipient of the session. */
  readonly positions: ReadonlySet<Position>;
  readonly depth: Depth;
}

/**
 * How the position of a recipient differs from that of the first one of its session: it follows another in its
 * transaction, it is in a later transaction, or it has a different domain. Some hosts refuse every recipient in such a
 * position with the code of a missing mailbox.
 */
export type Position = 'same_transaction' | 'later_transaction' | 'other_domain';

/**
 * How late in its session a recipient was asked about. Some hosts call every recipient unknown after a certain number
 * of recipients, acceptances, refusals or transactions; others then accept every recipient.
 */
export interface Depth {
  /** Recipients asked about before it, and those of them that the host accepted or refused. */
  readonly recipients: number;
  readonly acceptances: number;
  readonly refusals: number;
  /** Transactions before its own. */
  readonly transactions: number;
  /** Domains other than its own that the session was asked about before. */
  readonly otherDomains: number;
  /** The same for the recipients of its transaction. */
  readonly inTransaction: number;
  readonly acceptancesInTransaction: number;
  readonly refusalsInTransaction: number;
}

/** The depth of the first recipient of a session. */
export const noDepth: Depth = {
  recipients: 0,
  acceptances: 0,
  refusals: 0,
  transactions: 0,
  otherDomains: 0,
  inTransaction: 0,
  acceptancesInTransaction: 0,
  refusalsInTransaction: 0,
};

const counts = Object.keys(noDepth) as readonly (keyof Depth)[];

/** True if a depth exceeds another in any way. */
export function isDeeper(depth: Depth, other: Depth): boolean {
  return counts.some(count => depth[count] > other[count]);
}

/** The greater count of two depths, for each count separately. */
export function deepestOf(one: Depth, other: Depth): Depth {
  const deepest = counts.map(count => [count, Math.max(one[count], other[count])]);
  return Object.fromEntries(deepest) as Record<keyof Depth, number>;
}

/** The depth of the first recipient of a transaction. */
export function atStartOfTransaction(depth: Depth): Depth {
  return { ...depth, inTransaction: 0, acceptancesInTransaction: 0, refusalsInTransaction: 0 };
}

/** The depth in the transaction alone. */
export function withinTransaction({
  inTransaction,
  acceptancesInTransaction,
  refusalsInTransaction,
}: Depth): Depth {
  return { ...noDepth, inTransaction, acceptancesInTransaction, refusalsInTransaction };
}

/** The refusals that are doubted in such a position, because a verdict may rest on them. */
export const doubtedRefusals: ReadonlySet<Finding> = new Set(['missing', 'disabled', 'refused']);
