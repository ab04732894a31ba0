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
  /** Whether a recipient that the host accepted in this session can be asked about again in such a position. */
  readonly hasWitness: boolean;
}

/**
 * How the position of a recipient differs from that of the first one of its session: it follows another in its
 * transaction, it is in a later transaction, or it has a different domain. Some hosts refuse every recipient in such a
 * position with the code of a missing mailbox.
 */
export type Position = 'same_transaction' | 'later_transaction' | 'other_domain';

/**
 * How late in its session a recipient was asked about. Some hosts call every recipient unknown after a certain number
 * of recipients, or of refusals.
 */
export interface Depth {
  /** Recipients asked about before it. */
  readonly recipients: number;
  /** Those of them in the same transaction. */
  readonly inTransaction: number;
  /** Those of them that the host refused. */
  readonly refusals: number;
}

/** The depth of the first recipient of a session. */
export const noDepth: Depth = { recipients: 0, inTransaction: 0, refusals: 0 };

/** The refusals that are doubted in such a position, because a verdict may rest on them. */
export const doubtedRefusals: ReadonlySet<Finding> = new Set(['missing', 'disabled', 'refused']);
