import type { AccountId, ExportId, WebhookDestination } from '@mailproof/shared-types';
import { type Advance, endExport } from '../exports/advance-export.ts';
import { type Export, type ExportChange, hasEnded, rowsLeft } from '../exports/export.ts';
import type { ExportPorts } from '../exports/export-ports.ts';
import type { NextJob } from '../exports/export-store.ts';
import { type BeginPushPorts, destinationOf, keepDestination } from './begin-push.ts';
import type { Destination } from './destination.ts';

export interface SteerPorts extends Pick<ExportPorts, 'exports' | 'delivery' | 'events' | 'now'> {
  readonly push: BeginPushPorts;
  /**
   * Makes rows pending again that were refused because their destination was wrong, as if they had not been sent. Answers
   * the export as it is then.
   */
  readonly takeBackRefused: (record: Export) => Promise<Export | undefined>;
  /** Exports of an account that may be under way at once. */
  readonly activeMax: number;
}

/** Why an export cannot be steered in this way. */
export type SteerFault = 'not_found' | 'ended' | 'no_push' | 'too_many';

export type Steered = { readonly kind: 'done'; readonly record: Export } | { readonly kind: SteerFault };

/** Whoever changes an export at the same moment is few: a worker once in a batch, and people. */
const triesMax = 20;

/** Lets a push stand still until somebody resumes it. */
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
    // Its time begins anew: a pause that somebody asked for can be long.
    await ports.push.destinations.find(exportId);
  }
  return paused;
}

/**
 * Lets a push go on that somebody paused, or that waits for its CRM to be connected again. What waits for its receiver
 * does so by itself.
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

/** Ends an export, whatever it is doing. One that was cancelled before stays so. */
export async function cancelExport(
  ports: Pick<SteerPorts, 'exports' | 'delivery' | 'events' | 'now'>,
  accountId: AccountId,
  exportId: ExportId,
): Promise<Steered> {
  for (let tries = 0; tries < triesMax; tries++) {
    const record = await ports.exports.findOf(accountId, exportId);
    if (!record) {
      return { kind: 'not_found' };
    }
    if (hasEnded(record)) {
      return record.failure === 'cancelled' ? { kind: 'done', record } : { kind: 'ended' };
    }
    const advance: Advance = await endExport(ports, record, 'cancelled');
    if (advance === 'ended') {
      const ended = await ports.exports.findOf(accountId, exportId);
      return ended ? { kind: 'done', record: ended } : { kind: 'not_found' };
    }
  }
  throw new Error('The export changes faster than it can be cancelled.');
}

/**
 * Replaces where the rows of a push go to, and lets one that has failed go on with what is left. The order matters: a
 * worker that finds an ended export forgets its destination, so that it is kept only once the export has not ended.
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
  // Another receiver has asked for no pause; what somebody has paused stays so. Whoever has rows on their way to the one
  // before does not have the export any more, so that the push does not end for what that one answers.
  const done = await steer(ports, accountId, exportId, ({ pauseReason }) =>
    pauseReason === 'asked'
      ? { change: { runner: null } }
      : {
          change: { runner: null, pauseReason: null, resumesAt: null, movedAt: ports.now() },
          nextJob: { waitMs: 0 },
        },
  );
  if (done.kind !== 'done') {
    // It was cancelled or deleted at this very moment, by somebody who found nothing to forget yet.
    await ports.delivery.forget(exportId);
  }
  return { ...done, destination };
}

/** Takes a push that has failed back among those under way, without a job yet; in any, what was refused is to be sent again. */
async function revive(ports: SteerPorts, accountId: AccountId, exportId: ExportId): Promise<Steered> {
  for (let tries = 0; tries < triesMax; tries++) {
    const found = await ports.exports.findOf(accountId, exportId);
    // A CRM is named by the export itself, and what its mapping lacks is no matter of another address.
    if (found?.target !== 'webhook') {
      return { kind: found ? 'no_push' : 'not_found' };
    }
    if (!hasEnded(found)) {
      const record = await ports.takeBackRefused(found);
      return record ? { kind: 'done', record } : { kind: 'not_found' };
    }
    if (found.status !== 'failed' || found.failure === 'cancelled' || found.failure === 'source_gone') {
      return { kind: 'ended' };
    }
    if ((await ports.exports.countUnderWay(accountId)) >= ports.activeMax) {
      return { kind: 'too_many' };
    }
    const record = await ports.takeBackRefused(found);
    if (record?.isListed && rowsLeft(record) === 0) {
      return { kind: 'ended' };
    }
    const changed = record && (await ports.exports.change(record, anew(ports.now())));
    if (changed) {
      return { kind: 'done', record: changed };
    }
  }
  throw new Error('The export changes faster than it can be continued.');
}

/** What was learned of another destination, or of this one while it was wrong, does not hold any more. */
function anew(now: Date): ExportChange {
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

async function steer(
  { exports }: SteerPorts,
  accountId: AccountId,
  exportId: ExportId,
  decide: (record: Export) => { readonly change: ExportChange; readonly nextJob?: NextJob } | undefined,
): Promise<Steered> {
  for (let tries = 0; tries < triesMax; tries++) {
    const record = await exports.findOf(accountId, exportId);
    if (!record || record.target === 'csv') {
      return { kind: record ? 'no_push' : 'not_found' };
    }
    if (hasEnded(record)) {
      return { kind: 'ended' };
    }
    const decided = decide(record);
    const changed = decided ? await exports.change(record, decided.change, decided.nextJob) : record;
    if (changed) {
      return { kind: 'done', record: changed };
    }
  }
  throw new Error('The export changes faster than it can be steered.');
}
