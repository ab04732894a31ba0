import {
  createFairTurns,
  createServiceGuard,
  type OutboxJob,
  outboxJob,
  type Recurring,
  type Route,
} from '@mailproof/service-kit';
import {
  type AccountId,
  forwarded,
  limits,
  type Operation,
  suggestCrmMapping,
  undoExport,
  undoExportJob,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createCrmRowStore } from '../adapters/postgres/crm-row-store.ts';
import { createUndoStore } from '../adapters/postgres/undo-store.ts';
import type { Config } from '../config.ts';
import type { ConnectedCrms } from '../domain/crm/crm-access.ts';
import { createCrmDelivery } from '../domain/crm/push/crm-delivery.ts';
import { type PushToPrepare, preparePush, suggestMappingFor } from '../domain/crm/push/prepare-push.ts';
import { beginUndo, type UndoPorts } from '../domain/crm/push/undo-push.ts';
import type { RowDelivery } from '../domain/exports/row-delivery.ts';
import type { RowSources } from '../domain/exports/row-sources.ts';
import type { Events } from '../events.ts';
import { suggestCrmMappingRoute } from '../http/suggest-crm-mapping.ts';
import { undoExportRoute } from '../http/undo-export.ts';
import { undoExportHandler } from '../workers/undo-export.ts';
import { isAway, startSweeps, stillMs, sweepEveryMs } from './sweeps.ts';

export interface CrmPushesOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly connected: ConnectedCrms;
  readonly sources: RowSources;
  readonly isSourceGone: (error: unknown) => boolean;
  readonly events: Events;
  readonly now: () => Date;
}

/** Rows that become records of CRMs, and taking those records away again. */
export interface CrmPushes {
  readonly delivery: RowDelivery;
  /** Throws `NoSuchConnection`, `MappingFault` and `CrmFault`. */
  prepare(accountId: AccountId, push: PushToPrepare): Promise<void>;
  routes(): Route[];
  readonly jobs: readonly OutboxJob[];
  start(): void;
  markStopping(): void;
  close(): Promise<void>;
}

/** Undos that one process works on at once; steps that it takes at the same moment, and those of one account. */
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
    routes() {
      const guardOf = createServiceGuard('webhook-dispatcher', config.SERVICE_PEER_KEYS);
      const guard = (operation: Operation) => guardOf(forwarded(operation));
      return [
        suggestCrmMappingRoute(guard(suggestCrmMapping), (...which) =>
          suggestMappingFor({ connected, sources }, ...which),
        ),
        undoExportRoute(guard(undoExport), (...which) => beginUndo(undoing, ...which)),
      ];
    },
    jobs: [
      outboxJob(
        undoExportJob,
        undosAtOnceMax,
        undoExportHandler({
          ports: undoing,
          turns: createFairTurns(stepsAtOnceMax, limits.activeExportsMax, 'take undo on'),
          isAway,
          stopping: stopping.signal,
        }),
      ),
    ],
    start() {
      sweeping = startSweeps([
        {
          everyMs: sweepEveryMs,
          work: () => undoing.undos.sweep(new Date(now().getTime() - stillMs)),
          told: events.exportsSwept,
          onFailed: events.exportSweepFailed,
        },
      ]);
    },
    markStopping: () => stopping.abort(),
    async close() {
      stopping.abort();
      await sweeping?.close();
    },
  };
}
