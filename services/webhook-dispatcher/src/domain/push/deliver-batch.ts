import { type ExportedValue, type ExportId, limits } from '@mailproof/shared-types';
import type { RowOutcome } from '../exports/export.ts';
import type { LeavingRow } from '../exports/row-delivery.ts';
import { type Answer, type Judgment, judgeAnswer, retryDelayMs } from './answer.ts';
import type { PushState } from './push-state.ts';

/** A row as it is sent. */
export interface SentRow {
  readonly webhookId: string;
  readonly body: string;
}

/** The clock of the delivery; tests replace it. */
export interface Clock {
  nowMs(): number;
  wait(ms: number): Promise<void>;
}

interface DeliverBatchOptions {
  readonly exportId: ExportId;
  readonly columns: readonly string[];
  readonly rows: readonly LeavingRow[];
  readonly state: PushState;
  /** Sends one row; never rejects because of a receiver's behavior. */
  readonly send: (row: SentRow) => Promise<Answer>;
  readonly clock: Clock;
  readonly random: () => number;
  /** No more rows are sent after the signal is aborted. */
  readonly signal: AbortSignal;
}

/** No further row is sent after this time, so that the outcomes of the batch are recorded first, in milliseconds. */
const batchMsMax = 4_000;
/** The longest wait before checking again whether something has changed, in milliseconds. */
const waitMsMax = 250;

/**
 * Sends rows as fast as their receiver accepts them, and returns the outcomes of the rows that were sent. A row to
 * retry waits in the store and delays no other row.
 */
export async function deliverBatch(options: DeliverBatchOptions): Promise<RowOutcome[]> {
  const { rows, state, clock, signal } = options;
  const outcomes: RowOutcome[] = [];
  const inFlight = createInFlight();
  const endMs = clock.nowMs() + batchMsMax;
  const isOver = () =>
    signal.aborted || state.failure !== undefined || isPaused(state, clock) || clock.nowMs() >= endMs;
  let fault: { readonly error: unknown } | undefined;

  for (const row of rows) {
    const body = writeRowBody(options.columns, row.values);
    if (body === undefined) {
      outcomes.push(tooLarge(row));
      continue;
    }
    await untilFree(state, clock, inFlight, () => isOver() || fault !== undefined);
    if (isOver() || fault !== undefined) {
      break;
    }
    state.pace.sent(clock.nowMs());
    inFlight.add(
      deliverRow(options, row, body).then(
        outcome => {
          outcomes.push(...outcome);
        },
        (error: unknown) => {
          fault = { error };
        },
      ),
    );
  }
  while (inFlight.count() > 0) {
    await inFlight.oneEnded();
  }
  if (fault) {
    throw fault.error;
  }
  return outcomes;
}

function isPaused({ pause }: PushState, clock: Clock): boolean {
  return pause !== undefined && pause.untilMs > clock.nowMs();
}

/** The requests in flight. One waiter is enough, and costs far less than a race of all of them for each row. */
interface InFlight {
  count(): number;
  add(delivery: Promise<void>): void;
  /** Resolves when the next request ends. */
  oneEnded(): Promise<void>;
}

function createInFlight(): InFlight {
  let count = 0;
  let ended = Promise.withResolvers<void>();
  return {
    count: () => count,
    add(delivery) {
      count += 1;
      void delivery.finally(() => {
        count -= 1;
        ended.resolve();
        ended = Promise.withResolvers();
      });
    },
    oneEnded: () => ended.promise,
  };
}

/** Waits until the pace and the requests in flight allow another row, or until the batch is over. */
async function untilFree(
  state: PushState,
  clock: Clock,
  inFlight: InFlight,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    if (inFlight.count() >= state.concurrencyMax) {
      await inFlight.oneEnded();
      continue;
    }
    const waitMs = state.pace.nextAtMs() - clock.nowMs();
    if (waitMs <= 0) {
      return;
    }
    await clock.wait(Math.min(waitMs, waitMsMax));
  }
}

/** Makes one attempt. A throttled request is not an attempt and has no outcome. */
async function deliverRow(
  { exportId, state, send, clock, random }: DeliverBatchOptions,
  row: LeavingRow,
  body: string,
): Promise<RowOutcome[]> {
  const sentAtMs = clock.nowMs();
  const answer = await send({ webhookId: webhookIdOf(exportId, row.rowNo), body });
  const nowMs = clock.nowMs();
  const judgment = judgeAnswer(answer, { preset: state.preset, now: new Date(nowMs) });
  state.learn(judgment, { nowMs, sentAtMs });
  return judgment.kind === 'throttled'
    ? []
    : [outcomeOf(row, judgment, { at: new Date(sentAtMs), nowMs, random })];
}

function outcomeOf(
  { rowNo, attempts: before }: LeavingRow,
  judgment: Exclude<Judgment, { kind: 'throttled' }>,
  { at: attemptedAt, nowMs, random }: { at: Date; nowMs: number; random: () => number },
): RowOutcome {
  const attempts = before + 1;
  const { statusCode } = judgment;
  const made = { rowNo, attempts, statusCode, attemptedAt, retryAt: null };
  if (judgment.kind === 'delivered') {
    return { ...made, state: 'delivered', fault: null };
  }
  const { fault } = judgment;
  if (judgment.kind !== 'retry' || attempts >= limits.webhookAttemptsMax) {
    return { ...made, state: 'failed', fault };
  }
  return { ...made, state: 'pending', fault, retryAt: new Date(nowMs + retryDelayMs(attempts, random)) };
}

/** The outcome of a row that is too large for any receiver, without an attempt. */
function tooLarge({ rowNo, attempts }: LeavingRow): RowOutcome {
  return {
    rowNo,
    state: 'failed',
    attempts,
    statusCode: null,
    fault: 'too_large',
    retryAt: null,
    attemptedAt: null,
  };
}

/**
 * Writes a row as one JSON object, with members in the order of the columns. It is written member by member, because a
 * JavaScript object would put names such as `2019` first and lose one called `__proto__`. Undefined if it exceeds the
 * octets that a row may have.
 */
export function writeRowBody(
  columns: readonly string[],
  values: readonly ExportedValue[],
): string | undefined {
  const members = columns.map((name, at) => `${JSON.stringify(name)}:${JSON.stringify(values[at] ?? null)}`);
  const body = `{${members.join(',')}}`;
  return Buffer.byteLength(body) <= limits.webhookBodyBytesMax ? body : undefined;
}

/** The id by which a receiver knows a row: the same for every attempt, sender, and destination. */
function webhookIdOf(exportId: ExportId, rowNo: number): string {
  return `${exportId}_${rowNo}`;
}
