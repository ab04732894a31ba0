import { type Advance, judgeFault, takeOver as takeOverWork } from '@mailproof/durable-work';
import { type ExportFailure, type ExportId, limits } from '@mailproof/shared-types';
import { destinationFaults, type Export, type ExportRow, hasEnded, type RowOutcome } from './export.ts';
import type { ExportPorts } from './export-ports.ts';
import type { BatchResult, LeavingRow } from './row-delivery.ts';
import { inColumns, type RowPage } from './row-sources.ts';

/** No page is started later than this in a batch, in milliseconds, so that its outcomes are recorded soon. */
const pagesMsMax = 3_000;

/** Makes a worker the runner of an export, unless it has ended. */
export function takeOver({ exports }: Pick<ExportPorts, 'exports'>, exportId: ExportId, runner: string) {
  return takeOverWork(exports, exportId, runner, hasEnded);
}

/**
 * Advances an export by one step. Every step ends with one change in the store, and all its external effects can be
 * repeated, so an export that is killed at any point resumes (ADR 0036).
 */
export async function advanceExport(
  ports: ExportPorts,
  exportId: ExportId,
  runner: string,
  signal: AbortSignal,
): Promise<Advance> {
  const record = await ports.exports.find(exportId);
  if (!record || hasEnded(record)) {
    await ports.delivery.forget(exportId);
    return 'ended';
  }
  if (record.runner !== runner) {
    return 'waits';
  }
  if (record.pauseReason !== null) {
    return waitOrResume(ports, record);
  }
  try {
    if (!record.isListed) {
      await listKeys(ports, record, signal);
      return 'more';
    }
    return record.target === 'csv' ? await finish(ports, record) : await deliverBatch(ports, record, signal);
  } catch (error) {
    if (ports.isSourceGone(error)) {
      return endExport(ports, record, 'source_gone');
    }
    throw error;
  }
}

/** Ends an export, as failed if there is a failure; pending rows stay pending. `more` if it has changed meanwhile. */
export async function endExport(
  ports: Pick<ExportPorts, 'exports' | 'delivery' | 'events' | 'now'>,
  record: Export,
  failure: ExportFailure | null,
): Promise<Advance> {
  const ended = await ports.exports.change(record, {
    status: failure === null ? 'succeeded' : 'failed',
    failure,
    pauseReason: null,
    resumesAt: null,
    endedAt: ports.now(),
  });
  if (!ended) {
    return 'more';
  }
  // The job of a worker that is killed here is retried, sees that the export has ended, and cleans up then.
  await ports.delivery.forget(record.exportId);
  ports.events.exportEnded(ended);
  return 'ended';
}

/** Records that a step failed, and ends the export after too many failures or too long without progress. */
export async function noteExportFault(
  ports: Pick<ExportPorts, 'exports' | 'delivery' | 'events' | 'now'>,
  exportId: ExportId,
  runner: string,
  isUnavailable: boolean,
): Promise<void> {
  const record = await ports.exports.find(exportId);
  // Faults of a worker that has lost the export to another one do not count.
  if (!record || hasEnded(record) || record.runner !== runner) {
    return;
  }
  const waitsForUser = record.pauseReason !== null && record.resumesAt === null;
  const judged = judgeFault(record, isUnavailable, ports.now());
  if (judged === 'count') {
    await ports.exports.change(record, { failedAttempts: record.failedAttempts + 1 });
  } else if (judged === 'could_not_continue' || (judged === 'timed_out' && !waitsForUser)) {
    await endExport(ports, record, 'could_not_continue');
  }
}

async function waitOrResume({ exports, now }: ExportPorts, record: Export): Promise<Advance> {
  const { resumesAt } = record;
  if (resumesAt === null) {
    return 'waits';
  }
  const waitMs = resumesAt.getTime() - now().getTime();
  if (waitMs > 0) {
    return (await exports.change(record, {}, { waitMs })) ? 'waits' : 'more';
  }
  // The pause must not count as a stall of ours.
  await exports.change(record, { pauseReason: null, resumesAt: null, movedAt: now() });
  return 'more';
}

async function listKeys(ports: ExportPorts, record: Export, signal: AbortSignal): Promise<void> {
  const { accountId, source, target } = record;
  const page = await ports.sources.list(accountId, source, record.listingPosition ?? undefined, signal);
  await ports.exports.appendKeys(record, {
    keys: page.keys,
    open: page.open,
    isLast: page.isLast,
    rowsMax: limits.exportRowsMax,
    // A file is written when it is downloaded, so nothing remains to be done for its rows.
    state: target === 'csv' ? 'delivered' : 'pending',
    movedAt: ports.now(),
  });
}

/**
 * Ends an export whose rows are all delivered, given up, or gone. A file may be empty; a push that delivered nothing
 * has failed.
 */
async function finish(ports: ExportPorts, record: Export): Promise<Advance> {
  const nothing = record.target !== 'csv' && record.rowsDelivered === 0;
  return endExport(ports, record, nothing ? 'nothing_delivered' : null);
}

async function deliverBatch(ports: ExportPorts, record: Export, signal: AbortSignal): Promise<Advance> {
  const { exports, delivery } = ports;
  const now = ports.now();
  const rowsMax = Math.max(1, delivery.rowsAtOnce(record));
  const claimedUntil = new Date(now.getTime() + ports.claimMs);
  const claimed = await exports.claimRows(record.exportNo, { rowsMax, now, claimedUntil });
  if (claimed.length === 0) {
    const dueAt = await exports.nextDueAt(record.exportNo, now);
    return dueAt === undefined
      ? finish(ports, record)
      : (await exports.change(record, {}, { waitMs: Math.max(0, dueAt.getTime() - now.getTime()) }))
        ? 'waits'
        : 'more';
  }
  const { outcomes, result } = await deliverClaimed(ports, record, claimed, signal);
  const after = await exports.recordRows(record.exportNo, outcomes, {
    ...result.change,
    failedAttempts: 0,
    movedAt: ports.now(),
  });
  return after && result.failure !== undefined && !hasEnded(after)
    ? endExport(ports, after, result.failure)
    : 'more';
}

/**
 * Reads and delivers claimed rows page by page, reading the next page while one is delivered. Returns the outcome of
 * each row; rows that were not reached become pending again.
 */
async function deliverClaimed(
  ports: ExportPorts,
  record: Export,
  claimed: readonly ExportRow[],
  signal: AbortSignal,
): Promise<{ readonly outcomes: readonly RowOutcome[]; readonly result: BatchResult }> {
  const lastPageAtMs = ports.now().getTime() + pagesMsMax;
  const outcomes: RowOutcome[] = [];
  let result: BatchResult = { outcomes: [], change: {} };

  /** Delivers one page; returns whether the next page may follow. */
  async function deliverPage(looked: readonly ExportRow[], page: RowPage): Promise<boolean> {
    const leaving = leavingRows(record, looked, page);
    if (leaving.length === 0) {
      outcomes.push(...outcomesOf(looked, leaving, []));
      return true;
    }
    const delivered = await ports.delivery.deliverRows(record, leaving, signal);
    const current = await ports.exports.find(record.exportId);
    const isReplaced = current?.runner !== record.runner;
    result = isReplaced ? withoutRefusals(delivered) : delivered;
    outcomes.push(...outcomesOf(looked, leaving, result.outcomes));
    const { change, failure } = delivered;
    const isHeldUp =
      failure !== undefined || change.pauseReason || delivered.outcomes.length < leaving.length;
    // Between two pages, a user may have paused or canceled the export.
    const isStopped = !current || hasEnded(current) || current.pauseReason !== null;
    return !isReplaced && !isStopped && !isHeldUp && !signal.aborted;
  }

  async function deliverPages(): Promise<void> {
    let reading: Promise<RowPage> | undefined = readPage(ports, record, claimed, signal);
    while (reading) {
      const page: RowPage = await reading;
      const reached = outcomes.length + page.keysRead;
      const looked = claimed.slice(outcomes.length, reached);
      reading =
        reached < claimed.length ? readPage(ports, record, claimed.slice(reached), signal) : undefined;
      if (!(await deliverPage(looked, page)) || ports.now().getTime() >= lastPageAtMs) {
        return;
      }
    }
  }

  await whileClaimed(ports, record.exportNo, claimed, () =>
    deliverPages().catch((error: unknown) => {
      // Pages that were delivered before are recorded; the next batch meets the fault again.
      if (outcomes.length === 0) {
        throw error;
      }
    }),
  );
  const unreached = claimed.slice(outcomes.length).map(row => outcomeWithout(row, 'pending'));
  return { outcomes: [...outcomes, ...unreached], result };
}

/** Reads the first of these rows. */
function readPage(
  { sources }: Pick<ExportPorts, 'sources'>,
  { accountId, source }: Export,
  rows: readonly ExportRow[],
  signal: AbortSignal,
): Promise<RowPage> {
  const keys = rows.slice(0, limits.exportRowsPerReadMax).map(({ recordKey }) => recordKey);
  const page = sources.read(accountId, source, keys, signal);
  // A page that was read ahead may not be needed any more.
  page.catch(() => undefined);
  return page;
}

/**
 * If another worker has taken over the export, its destination may have changed. Then the refusals and throttling of
 * the old destination are ignored; rows that it accepted still count.
 */
function withoutRefusals({ outcomes }: BatchResult): BatchResult {
  const isRefused = ({ state, fault }: RowOutcome) =>
    state === 'failed' && destinationFaults.some(each => each === fault);
  return { outcomes: outcomes.filter(outcome => !isRefused(outcome)), change: {} };
}

function leavingRows(record: Export, claimed: readonly ExportRow[], page: RowPage): LeavingRow[] {
  const arrange = inColumns(page, record.columns);
  const values = new Map(page.rows.map(row => [row.key, arrange(row.values)]));
  return claimed.flatMap(({ rowNo, recordKey, attempts, action: intent }) => {
    const found = values.get(recordKey);
    return found ? [{ rowNo, attempts, intent, values: found }] : [];
  });
}

/**
 * Delivered rows have their outcome, rows that the source no longer has are gone, and the rest become pending again.
 */
function outcomesOf(
  claimed: readonly ExportRow[],
  leaving: readonly LeavingRow[],
  outcomes: readonly RowOutcome[],
): RowOutcome[] {
  const known = new Map(outcomes.map(outcome => [outcome.rowNo, outcome]));
  const left = new Set(leaving.map(({ rowNo }) => rowNo));
  return claimed.map(
    row => known.get(row.rowNo) ?? outcomeWithout(row, left.has(row.rowNo) ? 'pending' : 'gone'),
  );
}

/** The outcome of a row that was not sent. */
function outcomeWithout({ rowNo, attempts }: ExportRow, state: 'pending' | 'gone'): RowOutcome {
  return { rowNo, state, attempts, statusCode: null, fault: null, retryAt: null, attemptedAt: null };
}

/**
 * Works on claimed rows and renews their claim meanwhile. Otherwise, if a slow receiver takes longer for a batch than a
 * claim lasts, another worker would claim the rows and send them a second time.
 */
async function whileClaimed<Result>(
  { exports, now, claimMs }: Pick<ExportPorts, 'exports' | 'now' | 'claimMs'>,
  exportNo: string,
  claimed: readonly ExportRow[],
  work: () => Promise<Result>,
): Promise<Result> {
  const rowNos = claimed.map(({ rowNo }) => rowNo);
  let renewal: Promise<void> = Promise.resolve();
  // The first renewal is in time even if reading the rows took most of the claim; some may fail while Postgres is
  // unavailable.
  const timer = setInterval(() => {
    const claimedUntil = new Date(now().getTime() + claimMs);
    renewal = renewal.then(() => exports.renewClaims(exportNo, rowNos, claimedUntil)).catch(() => undefined);
  }, claimMs / 5);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    // A renewal after the outcomes were recorded would mark rows that are due for a retry as claimed.
    await renewal;
  }
}
