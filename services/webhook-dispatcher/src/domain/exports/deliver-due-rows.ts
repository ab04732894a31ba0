import { type ExportFailure, limits } from '@mailproof/shared-types';
import {
  destinationFaults,
  type Export,
  type ExportChange,
  type ExportRow,
  hasEnded,
  type RowOutcome,
} from './export.ts';
import type { ExportPorts } from './export-ports.ts';
import type { BatchResult, LeavingRow } from './row-delivery.ts';
import { inColumns, type RowPage } from './row-sources.ts';

/** No page is started later than this in a batch, in milliseconds, so that other exports get their turn. */
const pagesMsMax = 3_000;

/** What a batch of rows has led to. */
interface DeliveredBatch {
  /** The export after the last record; undefined if it is gone. */
  readonly after: Export | undefined;
  /** The export fails for this reason. */
  readonly failure: ExportFailure | undefined;
}

/** Claimed rows with what their source says about them; `leaving` lacks those that the source no longer has. */
interface ClaimedPage {
  readonly looked: readonly ExportRow[];
  readonly leaving: readonly LeavingRow[];
}

/**
 * Delivers a batch of due rows, page by page: while a page is delivered, the next one is claimed and read, and the
 * outcomes of the previous one are recorded. So at most two pages repeat after a kill, and never more than the batch.
 * Rows that were not reached become pending again. Undefined if no row is due.
 */
export async function deliverDueRows(
  ports: ExportPorts,
  record: Export,
  signal: AbortSignal,
): Promise<DeliveredBatch | undefined> {
  const claims = openClaims(ports, record.exportNo);
  try {
    return await deliverPages(ports, record, claims, signal);
  } finally {
    await claims.close();
  }
}

async function deliverPages(
  ports: ExportPorts,
  record: Export,
  claims: Claims,
  signal: AbortSignal,
): Promise<DeliveredBatch | undefined> {
  const lastPageAtMs = ports.now().getTime() + pagesMsMax;
  const readingAhead = new AbortController();
  const nextPage = createPages(ports, record, claims, AbortSignal.any([signal, readingAhead.signal]));
  let page: ClaimedPage | undefined = await nextPage();
  if (!page) {
    return undefined;
  }
  let recording: Promise<Export | undefined> = Promise.resolve(undefined);
  let ahead: Promise<ClaimedPage | undefined> = Promise.resolve(undefined);
  let failure: ExportFailure | undefined;
  try {
    for (let [pageMs, isFirst] = [0, true]; page; isFirst = false) {
      const startedMs = ports.now().getTime();
      ahead = startedMs + pageMs < lastPageAtMs ? nextPage() : Promise.resolve(undefined);
      // It may not be needed any more.
      ahead.catch(() => undefined);
      const delivering: Promise<DeliveredPage> = deliverPage(ports, record, page, signal);
      const delivered = await delivering.catch((error: unknown) => {
        // Pages that were delivered before are recorded; the next batch meets the fault again.
        if (isFirst) throw error;
      });
      if (!delivered) {
        break;
      }
      const { outcomes, result, isLast } = delivered;
      await recording;
      recording = claims.record(outcomes, { ...result.change, failedAttempts: 0, movedAt: ports.now() });
      recording.catch(() => undefined);
      failure = result.failure;
      pageMs = ports.now().getTime() - startedMs;
      const isOver = isLast || ports.now().getTime() >= lastPageAtMs;
      // If the page could not be read, the next batch meets the fault again.
      page = isOver ? undefined : await ahead.catch(() => undefined);
    }
  } finally {
    readingAhead.abort();
    await ahead.catch(() => undefined);
  }
  const after = await recording;
  const unreached = claims.held();
  return {
    after: unreached.length === 0 ? after : await claims.record(unreached.map(returned), {}),
    failure,
  };
}

/** Returns a function that claims and reads the next rows of a batch; undefined when no more are due. */
function createPages(
  ports: ExportPorts,
  record: Export,
  claims: Claims,
  signal: AbortSignal,
): () => Promise<ClaimedPage | undefined> {
  let left = Math.max(1, ports.delivery.rowsAtOnce(record));
  let unread: readonly ExportRow[] = [];
  return async () => {
    if (unread.length === 0 && left > 0) {
      const wanted = Math.min(left, limits.exportRowsPerReadMax);
      unread = await claims.claim(wanted);
      left = unread.length < wanted ? 0 : left - wanted;
    }
    if (unread.length === 0) {
      return undefined;
    }
    const { accountId, source } = record;
    const keys = unread.map(({ recordKey }) => recordKey);
    const page = await ports.sources.read(accountId, source, keys, signal);
    const looked = unread.slice(0, page.keysRead);
    unread = unread.slice(page.keysRead);
    return { looked, leaving: leavingRows(record, looked, page) };
  };
}

/** The outcome of each row of a page, and whether no other page may follow. */
interface DeliveredPage {
  readonly outcomes: readonly RowOutcome[];
  readonly result: BatchResult;
  readonly isLast: boolean;
}

async function deliverPage(
  ports: ExportPorts,
  record: Export,
  { looked, leaving }: ClaimedPage,
  signal: AbortSignal,
): Promise<DeliveredPage> {
  if (leaving.length === 0) {
    const result = { outcomes: [], change: {} };
    return { outcomes: outcomesOf(looked, leaving, []), result, isLast: false };
  }
  const delivered = await ports.delivery.deliverRows(record, leaving, signal);
  const current = await ports.exports.find(record.exportId);
  const isReplaced = current?.runner !== record.runner;
  const result = isReplaced ? withoutRefusals(delivered) : delivered;
  const { change, failure } = delivered;
  const isHeldUp =
    failure !== undefined ||
    (change.pauseReason ?? null) !== null ||
    delivered.outcomes.length < leaving.length;
  // Meanwhile, a user may have paused or canceled the export.
  const isStopped = !current || hasEnded(current) || current.pauseReason !== null;
  return {
    outcomes: outcomesOf(looked, leaving, result.outcomes),
    result,
    isLast: isReplaced || isStopped || isHeldUp || signal.aborted,
  };
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

/** The outcome of a claimed row that was not reached. */
function returned(row: ExportRow): RowOutcome {
  return outcomeWithout(row, 'pending');
}

/** The rows that a worker has claimed and not yet recorded. */
interface Claims {
  claim(rowsMax: number): Promise<ExportRow[]>;
  /** Records outcomes, which ends the claim of their rows, after all records before it. */
  record(outcomes: readonly RowOutcome[], change: ExportChange): Promise<Export | undefined>;
  held(): ExportRow[];
  close(): Promise<void>;
}

/**
 * Renews claims until they are closed. Otherwise, if a slow receiver takes longer for a page than a claim lasts, another
 * worker would claim the rows and send them a second time.
 */
function openClaims({ exports, now, claimMs }: ExportPorts, exportNo: string): Claims {
  const held = new Map<number, ExportRow>();
  let last: Promise<unknown> = Promise.resolve();
  const claimedUntil = () => new Date(now().getTime() + claimMs);
  // A renewal after the outcomes were recorded would mark rows that are due for a retry as claimed.
  function inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }
  // The first renewal is in time even if reading the rows took most of the claim; some may fail while Postgres is
  // unavailable.
  const timer = setInterval(() => {
    void inOrder(async () => {
      await exports.renewClaims(exportNo, [...held.keys()], claimedUntil());
    }).catch(() => undefined);
  }, claimMs / 5);
  return {
    async claim(rowsMax) {
      const rows = await exports.claimRows(exportNo, { rowsMax, now: now(), claimedUntil: claimedUntil() });
      for (const row of rows) {
        held.set(row.rowNo, row);
      }
      return rows;
    },
    record: (outcomes, change) =>
      inOrder(async () => {
        const after = await exports.recordRows(exportNo, outcomes, change);
        for (const { rowNo } of outcomes) {
          held.delete(rowNo);
        }
        return after;
      }),
    held: () => [...held.values()],
    async close() {
      clearInterval(timer);
      await last;
    },
  };
}
