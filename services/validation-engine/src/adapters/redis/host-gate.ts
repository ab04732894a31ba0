import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis, Result } from 'ioredis';
import { isOver } from '../../domain/concurrency/deadline.ts';
import type { Crowding, HostGate, HostLimits } from '../../domain/host-gate/host-gate.ts';
import { levelMaxOf, recoveryMs as usualRecoveryMs } from '../../domain/host-gate/host-pace.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeHostPlace(
      placesKey: string,
      capKey: string,
      startsKey: string,
      slowedKey: string,
      cap: number,
      leaseMs: number,
      place: string,
      startsPerMinuteMax: number,
      recoveryMs: number,
    ): Result<[taken: 0 | 1, waitMs: number, nowMs: number, others: number], Context>;
    keepHostPlace(placesKey: string, leaseMs: number, place: string): Result<1, Context>;
    leaveHostPlace(
      placesKey: string,
      capKey: string,
      slowedKey: string,
      place: string,
      crowding: Crowding,
      cap: number,
      learnedCapMs: number,
      startedAtMs: number,
      levelMax: number,
      recoveryMs: number,
      startedAlone: 0 | 1,
    ): Result<number, Context>;
  }
}

const takeScript = readFileSync(new URL('./take-host-place.lua', import.meta.url), 'utf8');
const keepScript = readFileSync(new URL('./keep-host-place.lua', import.meta.url), 'utf8');
const leaveScript = readFileSync(new URL('./leave-host-place.lua', import.meta.url), 'utf8');

/** How long the places of a killed process stay taken, in milliseconds; a live session renews its place. */
const usualLeaseMs = 30_000;
/** How long a crowded host gets fewer sessions, in milliseconds. */
const learnedCapMs = 600_000;
/**
 * Time between two attempts to get a place, in milliseconds; randomized, so that waiting processes do not retry in
 * step.
 */
const lookAgainMs = { shortest: 20, spread: 60 } as const;

export interface HostGateOptions extends HostLimits {
  readonly redis: Redis;
  /** Used while Redis is unavailable, so that at least this process stays within the limits. */
  readonly fallback: HostGate;
  readonly onStoreFailed: (error: unknown) => void;
  /** Period without complaint after which a slowed host gets twice as many sessions again, in milliseconds. */
  readonly recoveryMs?: number;
  readonly leaseMs?: number;
}

/** Creates the host gate that all replicas share. */
export function createHostGate({
  redis,
  sessionsMax,
  startsPerMinuteMax,
  fallback,
  onStoreFailed,
  recoveryMs = usualRecoveryMs,
  leaseMs = usualLeaseMs,
}: HostGateOptions): HostGate {
  redis.defineCommand('takeHostPlace', { numberOfKeys: 4, lua: takeScript });
  redis.defineCommand('keepHostPlace', { numberOfKeys: 1, lua: keepScript });
  redis.defineCommand('leaveHostPlace', { numberOfKeys: 3, lua: leaveScript });

  function take(keys: HostKeys, place: string) {
    return redis.takeHostPlace(
      keys.places,
      keys.cap,
      keys.starts,
      keys.slowed,
      sessionsMax,
      leaseMs,
      place,
      startsPerMinuteMax,
      recoveryMs,
    );
  }

  function leave(keys: HostKeys, place: string, crowding: Crowding, begun: Started): Promise<number> {
    return redis.leaveHostPlace(
      keys.places,
      keys.cap,
      keys.slowed,
      place,
      crowding,
      sessionsMax,
      learnedCapMs,
      begun.atMs,
      levelMaxOf(startsPerMinuteMax),
      recoveryMs,
      begun.alone ? 1 : 0,
    );
  }

  return {
    async enter(address, deadline) {
      const keys = keysOf(address);
      const place = randomUUID();
      let begun: Started;
      try {
        for (;;) {
          const [taken, waitMs, nowMs, others] = await take(keys, place);
          if (taken === 1) {
            begun = { atMs: nowMs, alone: others === 0 };
            break;
          }
          // The pace can only become slower, so waiting would not help.
          if (waitMs > deadline.remainingMs()) {
            return undefined;
          }
          const lookMs = waitMs + lookAgainMs.shortest + Math.random() * lookAgainMs.spread;
          await pause(Math.min(deadline.remainingMs(), lookMs), deadline.signal);
          if (isOver(deadline)) {
            return undefined;
          }
        }
      } catch (error) {
        onStoreFailed(error);
        return fallback.enter(address, deadline);
      }
      const keeping = setInterval(() => {
        redis.keepHostPlace(keys.places, leaseMs, place).catch(onStoreFailed);
      }, leaseMs / 3).unref();
      return {
        leave(crowding) {
          clearInterval(keeping);
          return leave(keys, place, crowding, begun).catch(error => {
            // The place becomes free when its lease expires.
            onStoreFailed(error);
            return 0;
          });
        },
      };
    },
  };
}

/** When a session started, by Redis's clock, and whether it was the only one. */
interface Started {
  readonly atMs: number;
  readonly alone: boolean;
}

interface HostKeys {
  readonly places: string;
  readonly cap: string;
  readonly starts: string;
  readonly slowed: string;
}

function keysOf(address: string): HostKeys {
  return {
    places: `host-places:${address}`,
    cap: `host-cap:${address}`,
    starts: `host-starts:${address}`,
    slowed: `host-slowed:${address}`,
  };
}

async function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(1, waitMs), undefined, { signal }).catch(() => undefined);
}
