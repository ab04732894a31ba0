import {
  type AccountId,
  type CreatorId,
  type ExportFailure,
  newId,
  type WebhookOptions,
} from '@mailproof/shared-types';
import type { Export, RowOutcome } from '../../exports/export.ts';
import type { Answer } from '../answer.ts';
import type { SentRow } from '../deliver-batch.ts';
import type { Destination } from '../destination.ts';
import { createWebhookDelivery } from '../webhook-delivery.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface PushRun {
  readonly rows: number;
  readonly clock: VirtualClock;
  readonly receive: (row: SentRow) => Promise<Answer>;
  readonly cellOf?: (rowNo: number) => string;
  readonly options?: WebhookOptions;
  readonly destination?: Partial<Destination>;
  readonly pausedMsMax?: number;
  readonly random?: () => number;
  /** How long it takes to read rows and to record their outcomes, in milliseconds. */
  readonly betweenMs?: number;
}

export interface PushEnd {
  readonly record: Export;
  readonly outcomes: ReadonlyMap<number, RowOutcome>;
  readonly failure: ExportFailure | undefined;
  readonly tookMs: number;
  /** Pauses with their reasons. */
  readonly pauses: readonly string[];
}

/** Runs a push from its first row to its end, with rows and progress kept in memory as in the store. */
export async function runPush(run: PushRun): Promise<PushEnd> {
  const { clock } = run;
  const destination = {
    url: 'https://receiver.example/hook',
    header: null,
    signingSecret: 'whsec_',
    ...run.destination,
  };
  const delivery = createWebhookDelivery({
    destinations: { find: async () => destination, forget: async () => undefined },
    send: (_destination, row) => run.receive(row),
    clock,
    random: run.random ?? (() => 0.5),
    pausedMsMax: run.pausedMsMax ?? 86_400_000,
    events: { batchPushed: () => undefined, pushPaused: () => undefined },
  });
  const startedAtMs = clock.nowMs();
  const outcomes = new Map<number, RowOutcome>();
  const pauses: string[] = [];
  let record = exportOf(run);
  for (;;) {
    const due = dueRows(run.rows, outcomes, clock.nowMs());
    if (due === 'none') {
      return { record, outcomes, failure: undefined, tookMs: clock.nowMs() - startedAtMs, pauses };
    }
    if (typeof due === 'number') {
      await clock.wait(due - clock.nowMs());
      continue;
    }
    const rows = due.slice(0, delivery.rowsAtOnce(record)).map(rowNo => ({
      rowNo,
      attempts: outcomes.get(rowNo)?.attempts ?? 0,
      values: [run.cellOf?.(rowNo) ?? `row ${rowNo}`],
    }));
    const result = await delivery.deliverRows(record, rows, new AbortController().signal);
    for (const outcome of result.outcomes) {
      outcomes.set(outcome.rowNo, outcome);
    }
    record = { ...record, pauseReason: null, resumesAt: null, ...result.change };
    if (result.failure) {
      return { record, outcomes, failure: result.failure, tookMs: clock.nowMs() - startedAtMs, pauses };
    }
    if (record.resumesAt && record.pauseReason) {
      pauses.push(record.pauseReason);
      await clock.wait(record.resumesAt.getTime() - clock.nowMs());
    }
    await clock.wait(run.betweenMs ?? 10);
  }
}

/** The most rows in a page. */
const batchMax = 500;

/** The rows that are due, or the time at which the next one is due. */
function dueRows(
  rows: number,
  outcomes: ReadonlyMap<number, RowOutcome>,
  nowMs: number,
): number[] | number | 'none' {
  const due: number[] = [];
  let nextMs = Number.POSITIVE_INFINITY;
  for (let rowNo = 1; rowNo <= rows && due.length < batchMax; rowNo++) {
    const outcome = outcomes.get(rowNo);
    const dueMs = outcome?.retryAt?.getTime() ?? 0;
    if (outcome && outcome.state !== 'pending') {
      continue;
    }
    if (dueMs <= nowMs) {
      due.push(rowNo);
    }
    nextMs = Math.min(nextMs, dueMs);
  }
  if (due.length > 0) {
    return due;
  }
  return nextMs === Number.POSITIVE_INFINITY ? 'none' : nextMs;
}

export function exportOf({ rows, options, clock }: PushRun): Export {
  const at = new Date(clock.nowMs());
  return {
    exportNo: '1',
    exportId: newId('export'),
    accountId: newId('account') as AccountId,
    createdBy: newId('user') as CreatorId,
    requestId: null,
    name: 'A push',
    source: { kind: 'saved_people' },
    failedRowsOf: null,
    target: 'webhook',
    options: options ?? {},
    columns: ['name'],
    status: 'running',
    pauseReason: null,
    resumesAt: null,
    failure: null,
    listingPosition: null,
    isListed: true,
    rowsTotal: rows,
    rowsOpen: 0,
    rowsDelivered: 0,
    rowsFailed: 0,
    rowsGone: 0,
    rowsCreated: 0,
    rowsUpdated: 0,
    rowsSkipped: 0,
    undo: null,
    pausedMs: 0,
    throttled: 0,
    pace: null,
    failedAttempts: 0,
    runner: null,
    version: 1,
    createdAt: at,
    startedAt: at,
    movedAt: at,
    endedAt: null,
    deletedAt: at,
  };
}
