import type { Deadline } from '../concurrency/deadline.ts';

/** How a session ended, as far as it shows how many sessions the host accepts. */
export type Crowding =
  | 'fine'
  /** The host accepts no more sessions. */
  | 'crowded'
  /** The host said that we come too often. */
  | 'throttled';

/** A slot at a mail host. */
export interface HostSlot {
  /**
   * Releases the slot and returns how many of our other sessions are still there. A host that was crowded gets fewer
   * concurrent sessions for a while. A host that throttled us, or turned away our only session, gets new sessions more
   * slowly. Never rejects.
   */
  leave(crowding: Crowding): Promise<number>;
}

/** The operator's limits for one host, across all replicas. */
export interface HostLimits {
  /** Concurrent sessions. */
  readonly sessionsMax: number;
  /** Sessions that may start in any minute. */
  readonly startsPerMinuteMax: number;
}

/**
 * Limits the sessions that a mail host sees from us, both concurrent and per minute, across all replicas: hosts count
 * sessions by our address, so one replica's share depends on the others.
 */
export interface HostGate {
  /** Waits for a slot; undefined if none is free in time. Never rejects. */
  enter(address: string, deadline: Deadline): Promise<HostSlot | undefined>;
}
