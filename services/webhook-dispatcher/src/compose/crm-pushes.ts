import { startSweep } from '@mailproof/durable-work/postgres';
import { createFairTurns, isUnavailable, type Recurring } from '@mailproof/service-kit';
import { type OutboxJob, outboxJob } from '@mailproof/service-kit/jobs';
import { type AccountId, limits, undoExportJob } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createCrmRowStore, createUndoStore } from '../adapters/postgres/crm-row-store.ts';
import type { Config } from '../config.ts';
import type { ConnectedCrms } from '../domain/crm/crm.ts';
import { createCrmDelivery } from '../domain/crm/push/crm-delivery.ts';
import { type PushToPrepare, preparePush, suggestMappingFor } from '../domain/crm/push/prepare-push.ts';
import { beginUndo, type UndoPorts } from '../domain/crm/push/undo-push.ts';
import type { RowDelivery } from '../domain/exports/row-delivery.ts';
import type { RowSources } from '../domain/exports/row-sources.ts';
import type { Events } from '../events.ts';
import { crmPushHandlers } from '../http/crm-pushes.ts';
import { undoExportHandler } from '../workers/run-work.ts';

export interface CrmPushesOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly connected: ConnectedCrms;
  readonly sources: RowSources;
  readonly isSourceGone: (error: unknown) => boolean;
  readonly events: Events;
  readonly now: () => Date;
}

/** Pushes of rows to CRM records, and the undo of those records. */
export interface CrmPushes {
  readonly delivery: RowDelivery;
  /** Throws `NoSuchConnection`, `MappingFault` and `CrmFault`. */
  prepare(accountId: AccountId, push: PushToPrepare): Promise<void>;
  readonly handlers: ReturnType<typeof crmPushHandlers>;
  readonly jobs: readonly OutboxJob[];
  start(): void;
  markStopping(): void;
  close(): Promise<void>;
}

/** How many undos one process works on at once, and how many steps it takes concurrently. */
const undosAtOnceMax = 50;
const stepsAtOnceMax = 8;
const hourMs = 3_600_000;

export function composeCrmPushes(options: CrmPushesOptions): CrmPushes {
  const { config, pool, connected, sources, isSourceGone, events, now } = options;
  const stopping = new AbortController();
  const undoing: UndoPorts = {
    undos: createUndoStore(pool),
    connected,
    sources,
    isSourceGone,
    events,
    now,
  };
  let sweeping: Recurring | undefined;
  return {
    delivery: createCrmDelivery({
      connected,
      rows: createCrmRowStore(pool),
      events,
      now,
      random: Math.random,
      pausedMsMax: config.PUSH_PAUSED_HOURS_MAX * hourMs,
    }),
    prepare: (...push) => preparePush({ connected }, ...push),
    handlers: crmPushHandlers(
      (...which) => suggestMappingFor({ connected, sources }, ...which),
      (...which) => beginUndo(undoing, ...which),
    ),
    jobs: [
      outboxJob(
        undoExportJob,
        undosAtOnceMax,
        undoExportHandler({
          ports: undoing,
          turns: createFairTurns(stepsAtOnceMax, limits.activeExportsMax, 'take undo on'),
          isUnavailable,
          stopping: stopping.signal,
        }),
      ),
    ],
    start() {
      sweeping = startSweep({
        store: undoing.undos,
        now,
        told: events.exportsSwept,
        onFailed: events.exportSweepFailed,
      });
    },
    markStopping: () => stopping.abort(),
    async close() {
      stopping.abort();
      await sweeping?.close();
    },
  };
}
