import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis, Result } from 'ioredis';
import { isOver } from '../../domain/concurrency/deadline.ts';
import type { Crowding, HostGate, HostLimits } from '../../domain/host-gate/host-gate.ts';
import { levelMaxOf, recoveryMs as usualRecoveryMs } from '../../domain/host-gate/host-pace.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeHostSlot(
      slotsKey: string,
      capKey: string,
      startsKey: string,
      slowedKey: string,
      cap: number,
      leaseMs: number,
      slot: string,
      startsPerMinuteMax: number,
      recoveryMs: number,
    ): Result<[taken: 0 | 1, waitMs: number, nowMs: number, others: number], Context>;
    keepHostSlot(slotsKey: string, leaseMs: number, slot: string): Result<1, Context>;
    leaveHostSlot(
      slotsKey: string,
      capKey: string,
      slowedKey: string,
      slot: string,
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

const takeScript = readFileSync(new URL('./take-host-slot.lua', import.meta.url), 'utf8');
const keepScript = readFileSync(new URL('./keep-host-slot.lua', import.meta.url), 'utf8');
const leaveScript = readFileSync(new URL('./leave-host-slot.lua', import.meta.url), 'utf8');

/** How long the slots of a killed process stay taken, in milliseconds; a live session renews its slot. */
const usualLeaseMs = 30_000;
/** How long a crowded host gets fewer sessions, in milliseconds. */
const learnedCapMs = 600_000;
/**
 * Time between two attempts to get a slot, in milliseconds; randomized, so that waiting processes do not retry in
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
  redis.defineCommand('takeHostSlot', { numberOfKeys: 4, lua: takeScript });
  redis.defineCommand('keepHostSlot', { numberOfKeys: 1, lua: keepScript });
  redis.defineCommand('leaveHostSlot', { numberOfKeys: 3, lua: leaveScript });

  function take(keys: HostKeys, slot: string) {
    return redis.takeHostSlot(
      keys.slots,
      keys.cap,
      keys.starts,
      keys.slowed,
      sessionsMax,
      leaseMs,
      slot,
      startsPerMinuteMax,
      recoveryMs,
    );
  }

  function leave(keys: HostKeys, slot: string, crowding: Crowding, started: Started): Promise<number> {
    return redis.leaveHostSlot(
      keys.slots,
      keys.cap,
      keys.slowed,
      slot,
      crowding,
      sessionsMax,
      learnedCapMs,
      started.atMs,
      levelMaxOf(startsPerMinuteMax),
      recoveryMs,
      started.alone ? 1 : 0,
    );
  }

  return {
    async enter(address, deadline) {
      const keys = keysOf(address);
      const slot = randomUUID();
      let started: Started;
      try {
        for (;;) {
          const [taken, waitMs, nowMs, others] = await take(keys, slot);
          if (taken === 1) {
            started = { atMs: nowMs, alone: others === 0 };
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
        redis.keepHostSlot(keys.slots, leaseMs, slot).catch(onStoreFailed);
      }, leaseMs / 3).unref();
      return {
        leave(crowding) {
          clearInterval(keeping);
          return leave(keys, slot, crowding, started).catch(error => {
            // The slot becomes free when its lease expires.
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
  readonly slots: string;
  readonly cap: string;
  readonly starts: string;
  readonly slowed: string;
}

function keysOf(address: string): HostKeys {
  return {
    slots: `host-places:${address}`,
    cap: `host-cap:${address}`,
    starts: `host-starts:${address}`,
    slowed: `host-slowed:${address}`,
  };
}

async function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(1, waitMs), undefined, { signal }).catch(() => undefined);
}
