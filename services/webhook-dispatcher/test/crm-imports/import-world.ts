import { openTestDatabase } from '@mailproof/dev-house';
import { createFairTurns, Problem } from '@mailproof/service-kit';
import { type AccountId, newId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createImportStore } from '../../src/adapters/postgres/crm-import-store.ts';
import { openDatabase } from '../../src/adapters/postgres/open.ts';
import { CrmFault } from '../../src/domain/crm/crm.ts';
import { createImport } from '../../src/domain/crm/imports/create-import.ts';
import type { CrmImport } from '../../src/domain/crm/imports/crm-import.ts';
import type {
  ImportPorts,
  ImportStore,
  ListAddition,
  WriteBackBeginning,
  WriteBackState,
} from '../../src/domain/crm/imports/import-ports.ts';
import { createKeptJobs } from '../../src/domain/crm/imports/testing/kept-jobs.ts';
import { createPagedCrm } from '../../src/domain/crm/imports/testing/paged-crm.ts';
import { runCrmImportHandler } from '../../src/workers/run-crm-import.ts';

export const startedAtMs = Date.parse('2026-11-22T10:00:00Z');
export const hourMs = 3_600_000;

type Body = Partial<Parameters<typeof createImport>[1]['request']>;

/** The part of a request that asks for results to be written back. */
export const writeBack = {
  write_back: {
    fields: [{ column: 'result_status' as const, property: 'mail_status', policy: 'overwrite' as const }],
  },
};

interface Ground {
  readonly store: ImportStore;
  readonly pool: Pool;
}

/**
 * Imports on real tables, with a simulated CRM, which returns records page by page, and a simulated engine, which
 * accepts rows into jobs.
 */
export interface Imports extends Ground {
  /** An account with a CRM of this many contacts, and everything that its imports need. */
  world(records?: number): ReturnType<typeof createWorld>;
  close(): Promise<void>;
}

export async function openImports(): Promise<Imports> {
  const { pool, close } = await openTestDatabase('webhook-dispatcher', openDatabase);
  const ground = { store: createImportStore(pool), pool };
  return {
    ...ground,
    world: (records = 250) => createWorld(ground, records),
    close,
  };
}

function createWorld({ store, pool }: Ground, records: number) {
  const clock = { ms: startedAtMs };
  const crm = createPagedCrm();
  const jobs = createKeptJobs();
  /** The domains of the account's only list, with the import that has added each. */
  const list = { listId: newId('savedList'), domains: new Map<string, string | null>(), domainsMax: 100 };
  const state = {
    isConnected: true,
    list: 'added' as ListAddition['kind'],
    writeBack: { kind: 'started', exportId: newId('export'), rows: records } as WriteBackBeginning | CrmFault,
    export: { status: 'under_way', rows: records, done: 0 } as WriteBackState | undefined,
    isExportStarted: false,
    exportCancelled: 0,
    killsAfter: Number.POSITIVE_INFINITY,
    ended: [] as string[],
  };
  for (let at = 0; at < records; at += 1) {
    crm.records.push({
      recordId: `${1_000 + at}`,
      values: { email: `p${at}@many.example`, firstname: `P ${at}` },
    });
  }
  const accountId = newId('account');
  const ports: ImportPorts & { keptMs: number } = {
    keptMs: 1e9,
    imports: store,
    jobs,
    lists: {
      async add({ accountId: asking, listId, importId }, domains) {
        if (asking !== accountId || listId !== list.listId) {
          return { kind: 'gone' };
        }
        if (state.list !== 'added') {
          return { kind: state.list };
        }
        const fresh = domains.filter(domain => !list.domains.has(domain));
        if (list.domains.size + fresh.length > list.domainsMax) {
          return { kind: 'full' };
        }
        for (const domain of fresh) {
          list.domains.set(domain, importId);
        }
        const added = domains.filter(domain => list.domains.get(domain) === importId).length;
        return { kind: 'added', added, present: domains.length - added };
      },
    },
    now: () => new Date(clock.ms),
    wait: async ms => {
      clock.ms += ms;
    },
    connected: {
      open: async asking => (state.isConnected && asking === accountId ? crm : undefined),
    },
    events: {
      importStarted: () => undefined,
      importRead: () => undefined,
      importPaused: () => undefined,
      importEnded: ({ state: how }) => void state.ended.push(how),
    },
    writeBacks: {
      async begin() {
        if (state.writeBack instanceof CrmFault) {
          throw state.writeBack;
        }
        state.isExportStarted = state.writeBack.kind === 'started';
        return state.writeBack;
      },
      find: async () => state.export,
      cancel: async () => {
        state.exportCancelled += state.isExportStarted ? 1 : 0;
      },
    },
  };
  const wanted = (request: Body = {}, more: { keyHash?: Uint8Array; accountId?: AccountId } = {}) => ({
    accountId,
    creatorId: newId('user'),
    requestId: newId('request'),
    keyHash: null,
    connectionId: newId('crmConnection'),
    name: undefined,
    request: {
      object: 'contact' as const,
      selection: {},
      properties: ['firstname', 'email'],
      address_property: 'email',
      ...request,
    },
    ...more,
  });
  const signal = new AbortController().signal;
  async function begin(request: Body = {}): Promise<CrmImport> {
    const outcome = await createImport(ports, wanted(request), signal);
    if (outcome.kind !== 'created') {
      throw new Error(JSON.stringify(outcome));
    }
    return outcome.record;
  }
  const handlerOf = (of: ImportPorts) =>
    runCrmImportHandler({
      ports: of,
      turns: createFairTurns(1),
      isUnavailable: error => error instanceof Problem && error.code === 'service_unavailable',
      stopping: signal,
    });
  const find = async ({ importId }: Pick<CrmImport, 'importId'>) => {
    const record = await store.find(importId);
    if (!record) {
      throw new Error('The import is gone.');
    }
    return record;
  };
  return {
    clock,
    crm,
    jobs,
    list,
    /** The part of a request that adds companies to the list. */
    intoList: { list_id: list.listId, properties: ['email'] },
    state,
    ports,
    accountId,
    wanted,
    begin,
    find,
    handlerOf,
    create: (request: Body = {}, more = {}) => createImport(ports, wanted(request, more), signal),
    /** Acts as a worker that got a job from the queue. */
    async work(record: CrmImport): Promise<CrmImport> {
      await takeJobs(pool, record);
      await handlerOf(ports)({ importId: record.importId });
      return find(record);
    },
    /** Advances the clock to the next job and runs it. */
    async workWhenDue(record: CrmImport): Promise<CrmImport> {
      const waitMs = await takeJobs(pool, record);
      if (waitMs === undefined) {
        throw new Error('Nothing is due.');
      }
      clock.ms += waitMs;
      await handlerOf(ports)({ importId: record.importId });
      return find(record);
    },
    /** The job that the import has created. */
    jobOf(record: CrmImport) {
      const job = record.jobId === null ? undefined : jobs.jobs.get(record.jobId);
      if (!job) {
        throw new Error('There is no job.');
      }
      return job;
    },
  };
}

/** Takes the jobs of an import from the outbox, as the relay does; returns the delay of the last one. */
async function takeJobs(pool: Pool, { importId }: CrmImport): Promise<number | undefined> {
  const { rows } = await pool.query<{ waitMs: number }>(
    `UPDATE outbox SET enqueued_at = now(), done_at = now()
     WHERE payload->>'importId' = $1 AND done_at IS NULL
     RETURNING ceil(extract(epoch FROM due_at - created_at) * 1000)::float AS "waitMs"`,
    [importId],
  );
  return rows.length === 0 ? undefined : Math.max(...rows.map(({ waitMs }) => waitMs));
}
