import { type ExportId, limits } from '@mailproof/shared-types';
import type { RowOutcome } from '../exports/export.ts';
import type { LeavingRow } from '../exports/row-delivery.ts';
import { type Answer, type Judgement, judgeAnswer } from './answer.ts';
import type { PushState } from './push-state.ts';
import { retryDelayMs } from './retry-delay.ts';
import { writeRowBody } from './row-body.ts';
import { webhookIdOf } from './webhook-id.ts';

/** A row as it is sent. */
export interface SentRow {
  readonly webhookId: string;
  readonly body: string;
}

/** Time as the delivery sees it; a test has its own. */
export interface Clock {
  nowMs(): number;
  wait(ms: number): Promise<void>;
}

export interface DeliverBatchOptions {
  readonly exportId: ExportId;
  readonly columns: readonly string[];
  readonly rows: readonly LeavingRow[];
  readonly state: PushState;
  /** Sends one row; never rejects for what a receiver does. */
  readonly send: (row: SentRow) => Promise<Answer>;
  readonly clock: Clock;
  readonly random: () => number;
  /** No row is sent any more once it is aborted. */
  readonly signal: AbortSignal;
}

/** No further row is sent after so long: what became of the others is written down first. In milliseconds. */
const batchMsMax = 4_000;
/** The longest wait without looking whether something has changed, in milliseconds. */
const waitMsMax = 250;

/**
 * Sends rows as fast as their receiver takes them, and answers what became of those that were sent. A row that has to be
 * sent again waits in the store and holds nobody up.
 */
export async function deliverBatch(options: DeliverBatchOptions): Promise<RowOutcome[]> {
  const { rows, state, clock, signal } = options;
  const outcomes: RowOutcome[] = [];
  const onTheirWay = new Set<Promise<void>>();
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
    await untilFree(state, clock, onTheirWay, () => isOver() || fault !== undefined);
    if (isOver() || fault !== undefined) {
      break;
    }
    state.pace.sent(clock.nowMs());
    const delivery = deliverRow(options, row, body)
      .then(outcome => {
        outcomes.push(...outcome);
      })
      .catch((error: unknown) => {
        fault = { error };
      })
      .finally(() => onTheirWay.delete(delivery));
    onTheirWay.add(delivery);
  }
  await Promise.all(onTheirWay);
  if (fault) {
    throw fault.error;
  }
  return outcomes;
}

function isPaused({ pause }: PushState, clock: Clock): boolean {
  return pause !== undefined && pause.untilMs > clock.nowMs();
}

/** Waits until the pace and the requests on their way let another row go, or until nothing more is to be sent. */
async function untilFree(
  state: PushState,
  clock: Clock,
  onTheirWay: ReadonlySet<Promise<void>>,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    if (onTheirWay.size >= state.atOnceMax) {
      await Promise.race(onTheirWay);
      continue;
    }
    const waitMs = state.pace.nextAtMs() - clock.nowMs();
    if (waitMs <= 0) {
      return;
    }
    await clock.wait(Math.min(waitMs, waitMsMax));
  }
}

/** One attempt. What asked us to wait was none, and has no outcome. */
async function deliverRow(
  { exportId, state, send, clock, random }: DeliverBatchOptions,
  row: LeavingRow,
  body: string,
): Promise<RowOutcome[]> {
  const sentAtMs = clock.nowMs();
  const answer = await send({ webhookId: webhookIdOf(exportId, row.rowNo), body });
  const nowMs = clock.nowMs();
  const judgement = judgeAnswer(answer, { preset: state.preset, now: new Date(nowMs) });
  state.learn(judgement, { nowMs, sentAtMs });
  return judgement.kind === 'throttled'
    ? []
    : [outcomeOf(row, judgement, { at: new Date(sentAtMs), nowMs, random })];
}

function outcomeOf(
  { rowNo, attempts: before }: LeavingRow,
  judgement: Exclude<Judgement, { kind: 'throttled' }>,
  { at: attemptedAt, nowMs, random }: { at: Date; nowMs: number; random: () => number },
): RowOutcome {
  const attempts = before + 1;
  const { statusCode } = judgement;
  const made = { rowNo, attempts, statusCode, attemptedAt, retryAt: null };
  if (judgement.kind === 'delivered') {
    return { ...made, state: 'delivered', fault: null };
  }
  const { fault } = judgement;
  if (judgement.kind !== 'retry' || attempts >= limits.webhookAttemptsMax) {
    return { ...made, state: 'failed', fault };
  }
  return { ...made, state: 'pending', fault, retryAt: new Date(nowMs + retryDelayMs(attempts, random)) };
}

/** A row that no attempt is made for: nobody has to be asked to know that it is too large. */
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
