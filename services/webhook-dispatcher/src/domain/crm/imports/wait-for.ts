import type { Advance } from '@mailproof/durable-work';
import type { CrmImportFailure, CrmImportPauseReason } from '@mailproof/shared-types';
import { CrmFault } from '../crm.ts';
import type { CrmImport, ImportChange } from './crm-import.ts';
import { fail } from './end-import.ts';
import type { ImportPorts } from './import-ports.ts';

type WaitPorts = Pick<ImportPorts, 'imports' | 'events' | 'now'>;

/** The longest wait without progress, for any reason, in milliseconds. */
const standsStillMsMax = 2 * 86_400_000;
const minuteMs = 60_000;

/** Pauses of unspecified length by reason: the first one, and the longest after doubling. */
const pausesMs = {
  crm_asked: [10_000, 10 * minuteMs],
  crm_exhausted: [15 * minuteMs, 60 * minuteMs],
  crm_away: [30_000, 15 * minuteMs],
  too_many_unstarted_jobs: [30_000, 10 * minuteMs],
  too_many_exports: [5_000, 2 * minuteMs],
} as const satisfies Partial<Record<CrmImportPauseReason, readonly [number, number]>>;

/** The longest wait that is honored when a CRM asks for one, in milliseconds. */
const askedMsMax = 86_400_000;

/** Pauses an import, which then resumes automatically; ends it after too long without progress. */
export async function pause(
  ports: WaitPorts,
  record: CrmImport,
  reason: keyof typeof pausesMs,
  askedMs: number | null = null,
): Promise<Advance> {
  const now = ports.now();
  const since = record.isIn ? record.movedAt : record.createdAt;
  const [firstMs, mostMs] = pausesMs[reason];
  const pauseMs =
    askedMs === null ? Math.min(firstMs * 2 ** record.looks, mostMs) : Math.min(askedMs, askedMsMax);
  if (now.getTime() + pauseMs - since.getTime() > standsStillMsMax) {
    return fail(ports, record, tooLate(reason));
  }
  const resumesAt = new Date(now.getTime() + pauseMs);
  const change = { pauseReason: reason, resumesAt, looks: record.looks + 1, failedAttempts: 0 };
  const paused = await ports.imports.change(record, change, { waitMs: pauseMs });
  if (paused) {
    ports.events.importPaused(paused);
  }
  return paused ? 'waits' : 'more';
}

function tooLate(reason: keyof typeof pausesMs): CrmImportFailure {
  switch (reason) {
    case 'too_many_unstarted_jobs':
      return reason;
    case 'too_many_exports':
      return 'write_back_failed';
    default:
      return 'crm_away_too_long';
  }
}

/**
 * Pauses an import after a fault of its CRM, or ends it if waiting cannot help. Rethrows an error that is not a
 * `CrmFault`.
 */
export function waitOrFail(ports: WaitPorts, record: CrmImport, error: unknown): Promise<Advance> {
  if (!(error instanceof CrmFault)) {
    throw error;
  }
  switch (error.kind) {
    case 'throttled':
      return pause(ports, record, 'crm_asked', error.waitMs);
    case 'exhausted':
      return pause(ports, record, 'crm_exhausted', error.waitMs);
    case 'away':
      return pause(ports, record, 'crm_away', error.waitMs);
    default:
      return fail(ports, record, failureOf[error.kind]);
  }
}

const failureOf = {
  revoked: 'access_revoked',
  not_permitted: 'not_permitted',
  not_found: 'selection_gone',
  refused: 'refused_by_crm',
} as const;

/** Polls again later, at growing intervals. */
export async function pollLater(
  ports: WaitPorts,
  record: CrmImport,
  change: ImportChange,
  everyMs: readonly [first: number, most: number],
): Promise<Advance> {
  const [firstMs, mostMs] = everyMs;
  const waitMs = Math.min(firstMs * 1.5 ** record.looks, mostMs);
  const looked = { looks: record.looks + 1, failedAttempts: 0, movedAt: ports.now() };
  return (await ports.imports.change(record, { ...looked, ...change }, { waitMs })) ? 'waits' : 'more';
}
