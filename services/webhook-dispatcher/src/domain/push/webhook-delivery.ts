import { type ExportId, type WebhookOptions, webhookOptions, webhookPresets } from '@mailproof/shared-types';
import type { Export } from '../exports/export.ts';
import type { BatchResult, RowDelivery } from '../exports/row-delivery.ts';
import type { Answer } from './answer.ts';
import { type Clock, deliverBatch, type SentRow } from './deliver-batch.ts';
import { type Destination, type DestinationStore, presetOf } from './destination.ts';
import { createPushState, outcomeCounts, type PushEvents, type PushState } from './push-state.ts';

export interface WebhookDeliveryOptions {
  readonly destinations: Pick<DestinationStore, 'find' | 'forget'>;
  /** Sends one row; never rejects because of a receiver's behavior. */
  readonly send: (destination: Destination, row: SentRow) => Promise<Answer>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly events: Pick<PushEvents, 'batchPushed' | 'pushPaused'>;
  /** How long receivers may make one push wait in total, in milliseconds. */
  readonly pausedMsMax: number;
}

/** How many seconds' worth of rows a batch has, and the fewest and the most rows. */
const batchSeconds = 3;
const batchRowsMin = 10;
const batchRowsMax = 10_000;
/** How long the state of an idle receiver is kept, in milliseconds. */
const keptMs = 900_000;

/** Pushes rows to webhooks (ADR 0037). */
export function createWebhookDelivery(options: WebhookDeliveryOptions): RowDelivery {
  const { destinations, send, clock, random, events, pausedMsMax } = options;
  const states = new Map<
    ExportId,
    { readonly state: PushState; readonly url: string; readonly usedAtMs: number }
  >();

  function stateOf(record: Export, destination: Destination): PushState {
    const nowMs = clock.nowMs();
    for (const [exportId, { usedAtMs }] of states) {
      if (nowMs - usedAtMs > keptMs) {
        states.delete(exportId);
      }
    }
    const pushed = optionsOf(record);
    const preset = presetOf(pushed, destination.url);
    const { url } = destination;
    const known = states.get(record.exportId);
    const isElsewhere = known !== undefined && known.url !== url;
    // The state of another receiver, or of one that had refused us, is no longer valid.
    const state =
      known && !isElsewhere && known.state.preset === preset && known.state.failure === undefined
        ? known.state
        : createPushState({
            preset,
            options: pushed,
            knownPace: isElsewhere ? null : record.pace,
            nowMs,
            random,
          });
    states.set(record.exportId, { state, url, usedAtMs: nowMs });
    return state;
  }

  return {
    rowsAtOnce(record) {
      const pace = record.pace ?? webhookPresets[optionsOf(record).preset ?? 'none'].startPerSecond;
      return Math.min(batchRowsMax, Math.max(batchRowsMin, Math.ceil(pace * batchSeconds)));
    },
    async deliverRows(record, rows, signal) {
      const destination = await destinations.find(record.exportId);
      if (!destination) {
        return { outcomes: [], change: {}, failure: 'destination_lost' };
      }
      const state = stateOf(record, destination);
      const throttledBefore = state.throttled;
      const outcomes = await deliverBatch({
        exportId: record.exportId,
        columns: record.columns,
        rows,
        state,
        send: row => send(destination, row),
        clock,
        random,
        signal,
      });
      const throttled = state.throttled - throttledBefore;
      events.batchPushed(record, { rows: outcomeCounts(outcomes), throttled, pace: state.pace.perSecond });
      const end = endOf(record, state, {
        nowMs: clock.nowMs(),
        pausedMsMax,
        throttled: record.throttled + throttled,
      });
      if (end.change.pauseReason && end.change.pausedMs !== undefined) {
        events.pushPaused(record, end.change.pauseReason, end.change.pausedMs - record.pausedMs);
      }
      return { outcomes, ...end };
    },
    async forget(exportId) {
      states.delete(exportId);
      await destinations.forget(exportId);
    },
  };
}

/** The consequences of the receiver's answers for the push. */
function endOf(
  record: Export,
  { pace, pause, failure }: PushState,
  {
    nowMs,
    pausedMsMax,
    throttled,
  }: { readonly nowMs: number; readonly pausedMsMax: number; readonly throttled: number },
): Omit<BatchResult, 'outcomes'> {
  const change = { pace: pace.perSecond, throttled };
  if (failure !== undefined) {
    return { change, failure };
  }
  if (pause === undefined || pause.untilMs <= nowMs) {
    return { change };
  }
  const pausedMs = record.pausedMs + Math.ceil(pause.untilMs - nowMs);
  // A pause that would end too late is not started, so that it does not block the destination for nothing.
  return pausedMs > pausedMsMax
    ? { change, failure: 'paused_too_long' }
    : {
        change: { ...change, pausedMs, pauseReason: pause.reason, resumesAt: new Date(pause.untilMs) },
      };
}

function optionsOf({ options }: Export): WebhookOptions {
  return webhookOptions.parse(options);
}
