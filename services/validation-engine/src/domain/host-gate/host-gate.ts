import type { Deadline } from '../deadline.ts';

/** How a session ended, as far as it tells how many the host likes. */
export type Crowding =
  | 'fine'
  /** The host has no room for a session beside those that it has. */
  | 'crowded'
  /** The host said that we come too often. */
  | 'throttled';

/** A place at a mail host. */
export interface HostPlace {
  /**
   * Gives the place back and answers how many others of ours are there still. A host that found itself crowded gets
   * fewer sessions at once for a while; one that throttled us, or turned our only session away, gets them more slowly.
   * Never rejects.
   */
  leave(crowding: Crowding): Promise<number>;
}

/** What the operator allows at one host, over all replicas. */
export interface HostLimits {
  /** Sessions at once. */
  readonly sessionsMax: number;
  /** Sessions that may begin in any minute. */
  readonly startsPerMinuteMax: number;
}

/**
 * Keeps the number of sessions that a mail host sees from us, at once and in a minute, within bounds over all replicas:
 * hosts count sessions by our address, so what one replica may do depends on the others.
 */
export interface HostGate {
  /** Waits for a place; nothing when none came free in time. Never rejects. */
  enter(address: string, deadline: Deadline): Promise<HostPlace | undefined>;
}
