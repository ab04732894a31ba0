import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis, Result } from 'ioredis';
import { isOver } from '../../domain/deadline.ts';
import type { HostGate } from '../../domain/host-gate/host-gate.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeHostPlace(
      placesKey: string,
      capKey: string,
      cap: number,
      leaseMs: number,
      place: string,
    ): Result<0 | 1, Context>;
    leaveHostPlace(
      placesKey: string,
      capKey: string,
      place: string,
      crowded: 0 | 1,
      cap: number,
      learnedCapMs: number,
    ): Result<number, Context>;
  }
}

const takeScript = readFileSync(new URL('./take-host-place.lua', import.meta.url), 'utf8');
const leaveScript = readFileSync(new URL('./leave-host-place.lua', import.meta.url), 'utf8');

/** Longer than any session; a killed process's places come free after it. */
const leaseMs = 130_000;
/** How long a host that found itself crowded gets fewer sessions. */
const learnedCapMs = 600_000;
/** Time between two looks for a place; varied, so that those who wait do not look in step. */
const lookAgainMs = { shortest: 20, spread: 60 } as const;

export interface HostGateOptions {
  readonly redis: Redis;
  /** Sessions at one host at once, over all replicas. */
  readonly sessionsMax: number;
  /** Stands in while Redis is away, so that at least this process stays polite. */
  readonly fallback: HostGate;
  readonly onStoreFailed: (error: unknown) => void;
}

/** The host gate that all replicas share. */
export function createHostGate({ redis, sessionsMax, fallback, onStoreFailed }: HostGateOptions): HostGate {
  redis.defineCommand('takeHostPlace', { numberOfKeys: 2, lua: takeScript });
  redis.defineCommand('leaveHostPlace', { numberOfKeys: 2, lua: leaveScript });
  return {
    async enter(address, deadline) {
      const keys = { places: `host-places:${address}`, cap: `host-cap:${address}` };
      const place = randomUUID();
      try {
        while ((await redis.takeHostPlace(keys.places, keys.cap, sessionsMax, leaseMs, place)) === 0) {
          await pause(
            Math.min(deadline.remainingMs(), lookAgainMs.shortest + Math.random() * lookAgainMs.spread),
            deadline.signal,
          );
          if (isOver(deadline)) {
            return undefined;
          }
        }
      } catch (error) {
        onStoreFailed(error);
        return fallback.enter(address, deadline);
      }
      return {
        leave: crowding =>
          redis
            .leaveHostPlace(
              keys.places,
              keys.cap,
              place,
              crowding === 'crowded' ? 1 : 0,
              sessionsMax,
              learnedCapMs,
            )
            .catch(error => {
              // The place comes free when its lease ends.
              onStoreFailed(error);
              return 0;
            }),
      };
    },
  };
}

async function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(1, waitMs), undefined, { signal }).catch(() => undefined);
}
