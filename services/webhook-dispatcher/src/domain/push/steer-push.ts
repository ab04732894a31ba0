import { type NextJob, untilChanged } from '@mailproof/durable-work';
import type { AccountId, ExportId, WebhookDestination } from '@mailproof/shared-types';
import { endExport } from '../exports/advance-export.ts';
import { type Export, type ExportChange, hasEnded, rowsLeft } from '../exports/export.ts';
import type { ExportPorts } from '../exports/export-ports.ts';
import { type BeginPushPorts, destinationOf, keepDestination } from './begin-push.ts';
import type { Destination } from './destination.ts';

export interface SteerPorts extends Pick<ExportPorts, 'exports' | 'delivery' | 'events' | 'now'> {
  readonly push: BeginPushPorts;
  /**
   * Makes rows pending again that were refused because of a wrong destination, as if they had not been sent. Returns
   * the changed export.
   */
  readonly requeueRefused: (record: Export) => Promise<Export | undefined>;
  /** How many exports of an account may run at once. */
  readonly activeMax: number;
}

/** Why an export cannot be paused, resumed, canceled, or redirected. */
export type SteerFault = 'not_found' | 'ended' | 'no_push' | 'too_many';

export type Steered = { readonly kind: 'done'; readonly record: Export } | { readonly kind: SteerFault };

/** Pauses a push until a user resumes it. */
export async function pausePush(
  ports: SteerPorts,
  accountId: AccountId,
  exportId: ExportId,
): Promise<Steered> {
  const paused = await steer(ports, accountId, exportId, record =>
    record.pauseReason === 'asked'
      ? undefined
      : {
          change: {
            status: 'running',
            startedAt: record.startedAt ?? ports.now(),
            pauseReason: 'asked',
            resumesAt: null,
          },
        },
  );
  if (paused.kind === 'done') {
    // Restarts the destination's expiry: a pause that a user asked for can be long.
    await ports.push.destinations.find(exportId);
  }
  return paused;
}

/**
 * Resumes a push that a user paused, or that waits for its CRM to be reconnected. A push that waits for its receiver
 * resumes automatically.
 */
export async function resumePush(
  ports: SteerPorts,
  accountId: AccountId,
  exportId: ExportId,
): Promise<Steered> {
  return steer(ports, accountId, exportId, record =>
    record.pauseReason === 'asked' || record.pauseReason === 'access_revoked'
      ? {
          change: { pauseReason: null, resumesAt: null, movedAt: ports.now() },
          nextJob: { waitMs: 0 },
        }
      : undefined,
  );
}

/** Cancels an export that has not ended. An export that is already canceled stays as it is. */
export async function cancelExport(
  ports: Pick<SteerPorts, 'exports' | 'delivery' | 'events' | 'now'>,
  accountId: AccountId,
  exportId: ExportId,
): Promise<Steered> {
  return untilChanged(async () => {
    const record = await ports.exports.findOf(accountId, exportId);
    if (!record) {
      return { kind: 'not_found' };
    }
    if (hasEnded(record)) {
      return record.failure === 'cancelled' ? { kind: 'done', record } : { kind: 'ended' };
    }
    if ((await endExport(ports, record, 'cancelled')) === 'more') {
      return undefined;
    }
    const ended = await ports.exports.findOf(accountId, exportId);
    return ended ? { kind: 'done', record: ended } : { kind: 'not_found' };
  });
}

/**
 * Replaces the destination of a push, and resumes a failed push with its remaining rows. The order matters: a worker
 * that finds an ended export deletes its destination, so the new one is stored only after the export is revived.
 *
 * @throws DestinationFault
 */
export async function replaceDestination(
  ports: SteerPorts,
  accountId: AccountId,
  exportId: ExportId,
  wanted: WebhookDestination,
): Promise<Steered & { readonly destination?: Destination }> {
  destinationOf(ports.push, wanted);
  const revived = await revive(ports, accountId, exportId);
  if (revived.kind !== 'done') {
    return revived;
  }
  const destination = await keepDestination(ports.push, exportId, wanted);
  // The new receiver has not asked for a pause; a user's pause stays. A worker with rows in flight to the previous
  // receiver no longer runs the export, so that receiver's answers do not end the push.
  const done = await steer(ports, accountId, exportId, ({ pauseReason }) =>
    pauseReason === 'asked'
      ? { change: { runner: null } }
      : {
          change: { runner: null, pauseReason: null, resumesAt: null, movedAt: ports.now() },
          nextJob: { waitMs: 0 },
        },
  );
  if (done.kind !== 'done') {
    // It was canceled or deleted just now, by a request that found no destination to delete yet.
    await ports.delivery.forget(exportId);
  }
  return { ...done, destination };
}

/** Restarts a failed push, without a job yet; in any push, marks refused rows to be resent. */
function revive(ports: SteerPorts, accountId: AccountId, exportId: ExportId): Promise<Steered> {
  return untilChanged(async () => {
    const found = await ports.exports.findOf(accountId, exportId);
    // The export itself names its CRM, and a new address does not fix a faulty mapping.
    if (found?.target !== 'webhook') {
      return { kind: found ? 'no_push' : 'not_found' };
    }
    if (!hasEnded(found)) {
      const record = await ports.requeueRefused(found);
      return record ? { kind: 'done', record } : { kind: 'not_found' };
    }
    if (found.status !== 'failed' || found.failure === 'cancelled' || found.failure === 'source_gone') {
      return { kind: 'ended' };
    }
    if ((await ports.exports.countActive(accountId)) >= ports.activeMax) {
      return { kind: 'too_many' };
    }
    const record = await ports.requeueRefused(found);
    if (record?.isListed && rowsLeft(record) === 0) {
      return { kind: 'ended' };
    }
    const changed = record && (await ports.exports.change(record, restarted(ports.now())));
    return changed && { kind: 'done', record: changed };
  });
}

/** Discards what was learned about another destination, or about this one while it was wrong. */
function restarted(now: Date): ExportChange {
  return {
    status: 'queued',
    failure: null,
    endedAt: null,
    pauseReason: null,
    resumesAt: null,
    pausedMs: 0,
    pace: null,
    failedAttempts: 0,
    movedAt: now,
  };
}

function steer(
  { exports }: SteerPorts,
  accountId: AccountId,
  exportId: ExportId,
  decide: (record: Export) => { readonly change: ExportChange; readonly nextJob?: NextJob } | undefined,
): Promise<Steered> {
  return untilChanged(async () => {
    const record = await exports.findOf(accountId, exportId);
    if (!record || record.target === 'csv') {
      return { kind: record ? 'no_push' : 'not_found' };
    }
    if (hasEnded(record)) {
      return { kind: 'ended' };
    }
    const decided = decide(record);
    const changed = decided ? await exports.change(record, decided.change, decided.nextJob) : record;
    return changed && { kind: 'done', record: changed };
  });
}
