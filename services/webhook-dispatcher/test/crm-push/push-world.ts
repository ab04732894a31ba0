import { openTestDatabase } from '@mailproof/dev-house';
import {
  type CrmFieldPolicy,
  type CrmObject,
  type CrmProperty,
  type ExportedValue,
  type ExportSource,
  newId,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createCrmRowStore, createUndoStore } from '../../src/adapters/postgres/crm-row-store.ts';
import { createExportStore } from '../../src/adapters/postgres/export-store.ts';
import { openDatabase } from '../../src/adapters/postgres/open.ts';
import { createCrmDelivery } from '../../src/domain/crm/push/crm-delivery.ts';
import { preparePush } from '../../src/domain/crm/push/prepare-push.ts';
import { advanceUndo, beginUndo, type UndoPorts } from '../../src/domain/crm/push/undo-push.ts';
import { createKeptCrm, type KeptCrm, property } from '../../src/domain/crm/testing/kept-crm.ts';
import { advanceExport, takeOver } from '../../src/domain/exports/advance-export.ts';
import type { Export } from '../../src/domain/exports/export.ts';
import type { ExportPorts, ExportStore } from '../../src/domain/exports/export-ports.ts';

export const columns = ['name', 'title', 'score', 'email'];
export type Cells = readonly [name: string, title: string | null, score: ExportedValue, email: string | null];
export const person = (no: number): Cells => [`Person ${no}`, 'CEO', no, `person.${no}@ordinary.example`];
export const people = (count: number) => Array.from({ length: count }, (_, at) => person(at + 1));

export const properties: CrmProperty[] = [
  property('email'),
  property('lastname', { is_required: true }),
  property('jobtitle'),
  property('score', { type: 'number' }),
];

export const job: ExportSource = { kind: 'validation_job', job_id: newId('validationJob') };

interface PushOptions {
  readonly dryRun?: boolean;
  readonly creates?: boolean;
  readonly policy?: CrmFieldPolicy;
  readonly object?: CrmObject;
  readonly recordIdColumn?: string;
  readonly pausedMsMax?: number;
}

interface Ground {
  readonly store: ExportStore;
  readonly pool: Pool;
}

/** Pushes to a CRM on real tables. The CRM is in memory; each test decides which calls fail. */
export interface CrmPushes extends Ground {
  /** A push with its clock, rows, and CRM. */
  world(
    rows: readonly (readonly ExportedValue[])[],
    crm: KeptCrm,
    options?: PushOptions,
  ): ReturnType<typeof createWorld>;
  close(): Promise<void>;
}

export async function openCrmPushes(): Promise<CrmPushes> {
  const { pool, close } = await openTestDatabase('webhook-dispatcher', openDatabase);
  const ground = { store: createExportStore(pool), pool };
  return {
    ...ground,
    world: (rows, crm, options) => createWorld(ground, rows, crm, options),
    close,
  };
}

async function createWorld(
  { store, pool }: Ground,
  rows: readonly (readonly ExportedValue[])[],
  crm: KeptCrm,
  options: PushOptions = {},
) {
  const clock = { ms: Date.parse('2026-11-22T10:00:00Z') };
  const connection = { isThere: true };
  const connected = { open: async () => (connection.isThere ? crm : undefined) };
  const now = () => new Date(clock.ms);
  const { pausedMsMax = 3_600_000, policy = 'overwrite' } = options;
  const pauses: string[] = [];
  const gone = new Set<string>();
  const newDelivery = () =>
    createCrmDelivery({
      connected,
      rows: createCrmRowStore(pool),
      events: {
        crmRowsPushed: () => undefined,
        pushPaused: (_record, reason) => {
          pauses.push(reason);
        },
      },
      now,
      random: () => 0.5,
      pausedMsMax,
    });
  const keys = rows.map((_row, at) => String(at + 1));
  const ports = {
    exports: store,
    now,
    isSourceGone: () => false,
    claimMs: 10_000,
    events: { exportStarted: () => undefined, exportEnded: () => undefined },
    sources: {
      list: async () => ({ columns, total: rows.length, open: 0, openTotal: 0, keys, isLast: true }),
      read: async (_account: unknown, _source: unknown, asked: readonly string[]) => ({
        columns,
        rows: asked.filter(key => !gone.has(key)).map(key => ({ key, values: rows[Number(key) - 1] ?? [] })),
        keysRead: asked.length,
      }),
    },
    delivery: newDelivery(),
  } satisfies ExportPorts & { delivery: unknown };
  const settings = {
    connection_id: newId('crmConnection'),
    object: options.object ?? ('contact' as const),
    fields: [
      { column: 'name', property: 'lastname', policy },
      { column: 'title', property: 'jobtitle', policy },
      { column: 'score', property: 'score', policy },
      { column: 'email', property: 'email', policy },
    ],
    ...(options.dryRun !== undefined && { dry_run: options.dryRun }),
    ...(options.creates !== undefined && { creates: options.creates }),
    ...(options.recordIdColumn !== undefined && { record_id_column: options.recordIdColumn }),
  };
  const accountId = newId('account');
  await preparePush({ connected }, accountId, { source: job, columns, options: settings });
  const created = await store.create(
    {
      exportId: newId('export'),
      accountId,
      createdBy: newId('user'),
      requestId: null,
      name: 'A push',
      source: job,
      target: 'crm',
      options: settings,
      columns,
      rowsTotal: rows.length,
      rowsOpen: 0,
      createdAt: now(),
      deletedAt: new Date(clock.ms + 1e9),
    },
    5,
  );
  if (created.kind !== 'created') {
    throw new Error(created.kind);
  }
  const { exportId, exportNo } = created.record;
  const { signal } = new AbortController();
  const undoing: UndoPorts = {
    undos: createUndoStore(pool),
    connected,
    sources: ports.sources,
    isSourceGone: ports.isSourceGone,
    events: { undoStarted: () => undefined, undoEnded: () => undefined },
    now,
  };
  const find = async (): Promise<Export> => {
    const record = await store.find(exportId);
    if (!record) {
      throw new Error('The export is gone.');
    }
    return record;
  };
  let runner = '';
  return {
    clock,
    connection,
    pauses,
    gone,
    exportId,
    accountId,
    undoing,
    find,
    /** Takes one step as a worker does; time passes while it waits. */
    async step() {
      if (runner === '') {
        runner = newId('request');
        await takeOver(ports, exportId, runner);
      }
      return advanceExport(ports, exportId, runner, signal);
    },
    /** Kills the process: the next one has none of its memory. */
    dies() {
      runner = '';
      ports.delivery = newDelivery();
      clock.ms += 11_000;
    },
    /** Takes steps until the push has ended or waits for a user. */
    async run(): Promise<Export> {
      for (let steps = 0; steps < 5_000; steps++) {
        const advance = await this.step();
        const record = await find();
        if (advance === 'ended' || (record.pauseReason !== null && record.resumesAt === null)) {
          return record;
        }
        if (advance === 'waits') {
          clock.ms = Math.max(clock.ms + 1_000, record.resumesAt?.getTime() ?? 0);
        }
      }
      throw new Error('It never ends.');
    },
    rows: (filter: { action?: 'created' | 'updated' | 'skipped'; state?: 'failed' } = {}) =>
      store.listRows(exportNo, { ...filter, afterRowNo: 0, limit: 1_000 }),
    async undo() {
      const started = await beginUndo(undoing, accountId, exportId);
      const trouble = { unavailableInARow: 0, throttledInARow: 0 };
      while ((await advanceUndo(undoing, exportId, trouble, signal)) !== 'ended') {
        clock.ms += 1_000;
      }
      return { started, undo: (await find()).undo };
    },
    marks: async () =>
      (await pool.query('SELECT count(*)::int AS n FROM export_row_mark WHERE export_no = $1', [exportNo]))
        .rows[0].n,
  };
}

export const actionsOf = ({ rowsCreated, rowsUpdated, rowsSkipped, rowsFailed }: Export) => ({
  created: rowsCreated,
  updated: rowsUpdated,
  skipped: rowsSkipped,
  failed: rowsFailed,
});

/** The contents of the CRM, without ids. */
export const content = (crm: KeptCrm) =>
  structuredClone([...crm.records.values()].map(({ values }) => values));

/** A CRM that already has some of the people: 1 with the same values, 2 with other values, 3 with blanks. */
export function crmWithThree(): KeptCrm {
  const crm = createKeptCrm(properties);
  crm.add({ email: 'person.1@ordinary.example', lastname: 'Person 1', jobtitle: 'CEO', score: '1' });
  crm.add({ email: 'Person.2@Ordinary.example', lastname: 'Other', jobtitle: 'CTO', score: '2' });
  crm.add({ email: 'person.3@ordinary.example', lastname: 'Person 3', jobtitle: null, score: null });
  return crm;
}
