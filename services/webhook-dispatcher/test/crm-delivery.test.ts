import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import {
  type CrmFieldPolicy,
  type CrmObject,
  type CrmProperty,
  type ExportedValue,
  type ExportSource,
  newId,
} from '@mailproof/shared-types';
import { createCrmRowStore } from '../src/adapters/postgres/crm-row-store.ts';
import { createExportStore } from '../src/adapters/postgres/export-store.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { createUndoStore } from '../src/adapters/postgres/undo-store.ts';
import { ownKeyProperty } from '../src/domain/crm/crm.ts';
import { CrmFault } from '../src/domain/crm/crm-fault.ts';
import { createCrmDelivery } from '../src/domain/crm/push/crm-delivery.ts';
import { preparePush } from '../src/domain/crm/push/prepare-push.ts';
import { advanceUndo, beginUndo, noteUndoFault, type UndoPorts } from '../src/domain/crm/push/undo-push.ts';
import { createKeptCrm, type KeptCrm, property } from '../src/domain/crm/testing/kept-crm.ts';
import { advanceExport, takeOver } from '../src/domain/exports/advance-export.ts';
import type { Export } from '../src/domain/exports/export.ts';
import type { ExportPorts } from '../src/domain/exports/export-ports.ts';
import type { ExportStore } from '../src/domain/exports/export-store.ts';

/* Pushes to a CRM on real tables. The CRM is kept in memory; what its calls do wrong is up to each test. */

let database: TestDatabase;
let opened: ReturnType<typeof openDatabase>;
let store: ExportStore;

beforeAll(async () => {
  database = await createTestDatabase('webhook-dispatcher');
  opened = openDatabase({
    url: database.databaseUrl,
    connectionsMax: 5,
    onIdleError: error => {
      throw error;
    },
  });
  store = createExportStore(opened.pool);
});

afterAll(async () => {
  await opened?.close();
  await database?.drop();
});

const columns = ['name', 'title', 'score', 'email'];
type Cells = readonly [name: string, title: string | null, score: ExportedValue, email: string | null];
const person = (no: number): Cells => [`Person ${no}`, 'CEO', no, `person.${no}@ordinary.example`];
const people = (count: number) => Array.from({ length: count }, (_, at) => person(at + 1));

const properties: CrmProperty[] = [
  property('email'),
  property('lastname', { is_required: true }),
  property('jobtitle'),
  property('score', { type: 'number' }),
];

const job: ExportSource = { kind: 'validation_job', job_id: newId('validationJob') };

interface PushOptions {
  readonly dryRun?: boolean;
  readonly creates?: boolean;
  readonly policy?: CrmFieldPolicy;
  readonly object?: CrmObject;
  readonly recordIdColumn?: string;
  readonly pausedMsMax?: number;
}

/** A push with the clock, the rows and the CRM that are around it. */
async function world(rows: readonly (readonly ExportedValue[])[], crm: KeptCrm, options: PushOptions = {}) {
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
      rows: createCrmRowStore(opened.pool),
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
    events: { exportBegun: () => undefined, exportEnded: () => undefined },
    sources: {
      list: async () => ({ columns, total: rows.length, keys, isLast: true }),
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
    undos: createUndoStore(opened.pool),
    connected,
    sources: ports.sources,
    isSourceGone: ports.isSourceGone,
    events: { undoBegun: () => undefined, undoEnded: () => undefined },
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
    /** One step, as a worker takes it; time passes where it waits. */
    async step() {
      if (runner === '') {
        runner = newId('request');
        await takeOver(ports, exportId, runner);
      }
      return advanceExport(ports, exportId, runner, signal);
    },
    /** What a process that was killed leaves to the next: nothing that it knew. */
    dies() {
      runner = '';
      ports.delivery = newDelivery();
      clock.ms += 11_000;
    },
    /** Until it has ended, or waits for somebody. */
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
      throw new Error('It goes on for ever.');
    },
    rows: (filter: { action?: 'created' | 'updated' | 'skipped'; state?: 'failed' } = {}) =>
      store.listRows(exportNo, { ...filter, afterRowNo: 0, limit: 1_000 }),
    async undo() {
      const begun = await beginUndo(undoing, accountId, exportId);
      const trouble = { awayInARow: 0, throttledInARow: 0 };
      while ((await advanceUndo(undoing, exportId, trouble, signal)) !== 'ended') {
        clock.ms += 1_000;
      }
      return { begun, undo: (await find()).undo };
    },
    marks: async () =>
      (
        await opened.pool.query('SELECT count(*)::int AS n FROM export_row_mark WHERE export_no = $1', [
          exportNo,
        ])
      ).rows[0].n,
  };
}

const actionsOf = ({ rowsCreated, rowsUpdated, rowsSkipped, rowsFailed }: Export) => ({
  created: rowsCreated,
  updated: rowsUpdated,
  skipped: rowsSkipped,
  failed: rowsFailed,
});

/** What stands in the CRM, without ids. */
const content = (crm: KeptCrm) => structuredClone([...crm.records.values()].map(({ values }) => values));

/** A CRM in which some of the people are already: 1 with the same values, 2 with others, 3 with blanks. */
function crmWithThree(): KeptCrm {
  const crm = createKeptCrm(properties);
  crm.add({ email: 'person.1@ordinary.example', lastname: 'Person 1', jobtitle: 'CEO', score: '1' });
  crm.add({ email: 'Person.2@Ordinary.example', lastname: 'Other', jobtitle: 'CTO', score: '2' });
  crm.add({ email: 'person.3@ordinary.example', lastname: 'Person 3', jobtitle: null, score: null });
  return crm;
}

describe('a push to a CRM', () => {
  it('creates, updates and skips, and a second push of the same rows has nothing to do', async () => {
    const crm = crmWithThree();
    const first = await (await world(people(250), crm)).run();
    expect(first).toMatchObject({ status: 'succeeded', rowsDelivered: 250 });
    expect(actionsOf(first)).toEqual({ created: 247, updated: 2, skipped: 1, failed: 0 });
    expect(crm.records.size).toBe(250);
    const before = content(crm);
    const second = await (await world(people(250), crm)).run();
    expect(actionsOf(second)).toEqual({ created: 0, updated: 0, skipped: 250, failed: 0 });
    expect(content(crm)).toEqual(before);
  });

  it.each<CrmFieldPolicy>(['overwrite', 'fill_blank', 'never'])(
    'does by policy %s what its dry run said it would',
    async policy => {
      const rows = [...people(20), person(4), ['X', 'CEO', 'ten', 'x@x.example'] as Cells, [...person(1)]];
      const crm = crmWithThree();
      const before = content(crm);
      const dry = await world(rows, crm, { dryRun: true, policy });
      const would = await dry.run();
      expect(content(crm)).toEqual(before);
      expect(crm.calls.some(({ call }) => call === 'write' || call === 'ensureOwnKey')).toBe(false);
      const real = await world(rows, crm, { policy });
      expect(actionsOf(await real.run())).toEqual(actionsOf(would));
      const said = (await dry.rows()).map(({ action, fault }) => [action, fault]);
      expect((await real.rows()).map(({ action, fault }) => [action, fault])).toEqual(said);
      expect(would.rowsCreated).toBe(17);
      expect(would.rowsFailed).toBe(1);
    },
  );

  it('writes each thing once where rows mean the same, whatever they say', async () => {
    const twin = (title: string): Cells => ['Person 1', title, 1, ' PERSON.1@ordinary.example'];
    const rows = [...people(120), twin('CTO'), twin('CFO')];
    const crm = createKeptCrm(properties);
    const push = await world(rows, crm);
    expect(actionsOf(await push.run())).toEqual({ created: 120, updated: 0, skipped: 2, failed: 0 });
    expect(crm.records.size).toBe(120);
    const [skipped] = await push.rows({ action: 'skipped' });
    expect(skipped).toMatchObject({ rowNo: 121, fault: 'crm_same_record' });
    expect(await push.marks()).toBe(0);
  });

  it('takes the second of two rows that mean the same when the first is given up', async () => {
    const crm = createKeptCrm(properties);
    crm.refuses = ({ rowNo }) =>
      rowNo === 1
        ? {
            rowNo,
            outcome: 'failed',
            fault: { code: 'invalid_value', property: 'score' },
            isTransient: false,
          }
        : undefined;
    const push = await world([person(1), ['Person 1', 'CTO', 2, 'person.1@ordinary.example']], crm);
    expect(actionsOf(await push.run())).toEqual({ created: 1, updated: 0, skipped: 0, failed: 1 });
    expect(content(crm)).toMatchObject([{ jobtitle: 'CTO' }]);
    expect((await push.rows({ state: 'failed' }))[0]?.fault).toBe('crm_invalid_value: score');
  });

  it('gives up what cannot be written, row by row, and says what and why', async () => {
    const crm = createKeptCrm([
      ...properties.slice(0, 2),
      property('jobtitle', { characters_max: 3 }),
      properties[3] as CrmProperty,
    ]);
    const rows: Cells[] = [
      person(1),
      ['', 'CEO', 1, 'a@ordinary.example'],
      ['A', 'Chief', 1, 'b@ordinary.example'],
      ['B', 'CEO', 'many', 'c@ordinary.example'],
      ['C', 'CEO', 1, 'no address'],
      ['D', 'CEO', 1, null],
    ];
    const push = await world(rows, crm);
    expect(actionsOf(await push.run())).toEqual({ created: 1, updated: 0, skipped: 0, failed: 5 });
    expect((await push.rows({ state: 'failed' })).map(({ fault }) => fault)).toEqual([
      'crm_missing_value: lastname',
      'crm_too_long: jobtitle',
      'crm_invalid_value: score',
      'crm_no_key',
      'crm_no_key',
    ]);
  });

  it('creates none where it is not to', async () => {
    const crm = crmWithThree();
    const push = await world(people(10), crm, { creates: false });
    expect(actionsOf(await push.run())).toEqual({ created: 0, updated: 2, skipped: 8, failed: 0 });
    expect(crm.records.size).toBe(3);
    expect((await push.rows({ action: 'skipped' }))[1]?.fault).toBe('crm_no_record');
  });

  it('matches rows by the ids that an import brought along, and by nothing else', async () => {
    const crm = createKeptCrm(properties);
    const { recordId } = crm.add({ email: 'old@ordinary.example', lastname: 'Old' });
    const rows: Cells[] = [
      ['New', recordId, 1, 'new@ordinary.example'],
      ['New', '999', 1, 'old@ordinary.example'],
      ['New', null, 1, 'old@ordinary.example'],
    ];
    const push = await world(rows, crm, { recordIdColumn: 'title' });
    expect(actionsOf(await push.run())).toEqual({ created: 0, updated: 1, skipped: 0, failed: 2 });
    expect(content(crm)).toMatchObject([{ email: 'new@ordinary.example', lastname: 'New' }]);
    expect((await push.rows({ state: 'failed' })).map(({ fault }) => fault)).toEqual([
      'crm_gone',
      'crm_no_key',
    ]);
  });
});

describe('a process that dies', () => {
  it.each(['ahead', 'behind'] as const)(
    '%s of a write leaves neither a duplicate nor a wrong count',
    async moment => {
      const crm = crmWithThree();
      let writes = 0;
      crm.fails = (call, when) => {
        if (call === 'write' && when === moment && ++writes === 1) {
          throw new Error('killed');
        }
        return undefined;
      };
      const push = await world(people(150), crm);
      await expect(push.run()).rejects.toThrow('killed');
      push.dies();
      const ended = await push.run();
      expect(actionsOf(ended)).toEqual({ created: 147, updated: 2, skipped: 1, failed: 0 });
      expect(crm.records.size).toBe(150);
      const { undo } = await push.undo();
      expect(undo).toMatchObject({ status: 'succeeded', records: 147, removed: 147, failed: 0 });
      expect([...crm.records.keys()]).toEqual(['101', '102', '103']);
    },
  );
});

describe('a CRM that does not do what it is asked for', () => {
  it('is tried three times for a row that may go well later, and the row is then given up', async () => {
    const crm = createKeptCrm(properties);
    const tried = new Map<number, number>();
    crm.refuses = ({ rowNo }) => {
      tried.set(rowNo, (tried.get(rowNo) ?? 0) + 1);
      const isLocked = rowNo === 2 || (rowNo === 3 && tried.get(3) === 1);
      const fault = { code: 'locked', property: null } as const;
      return isLocked ? { rowNo, outcome: 'failed', fault, isTransient: true } : undefined;
    };
    const push = await world(people(4), crm);
    expect(actionsOf(await push.run())).toEqual({ created: 3, updated: 0, skipped: 0, failed: 1 });
    expect(Object.fromEntries(tried)).toEqual({ 1: 1, 2: 3, 3: 2, 4: 1 });
    expect((await push.rows({ state: 'failed' }))[0]).toMatchObject({ attempts: 3, fault: 'crm_locked' });
  });

  it('is waited for when it is asked too much, which is no attempt of any row', async () => {
    const crm = createKeptCrm(properties);
    const answers = [new CrmFault('throttled', 7_000), new CrmFault('throttled'), new CrmFault('exhausted')];
    crm.fails = (call, when) => (call === 'write' && when === 'ahead' ? answers.shift() : undefined);
    const push = await world(people(150), crm);
    const from = push.clock.ms;
    const ended = await push.run();
    expect(ended).toMatchObject({ status: 'succeeded', rowsCreated: 150, throttled: 3 });
    expect(push.clock.ms - from).toBeGreaterThanOrEqual(7_000 + 2_000 + 900_000);
    expect(push.pauses).toEqual(['receiver_asked', 'receiver_asked', 'receiver_asked']);
    expect((await push.rows()).every(({ attempts }) => attempts === 1)).toBe(true);
  });

  it('is not hammered while it is away, and no row is lost by it', async () => {
    const crm = createKeptCrm(properties);
    let awayUntilMs = 0;
    const push = await world(people(150), crm);
    crm.fails = () => (push.clock.ms < awayUntilMs ? new CrmFault('away') : undefined);
    await push.step();
    await push.step();
    awayUntilMs = push.clock.ms + 60_000;
    const calls = crm.calls.length;
    const ended = await push.run();
    expect(ended).toMatchObject({ status: 'succeeded', rowsCreated: 150, rowsFailed: 0 });
    expect(push.pauses.length).toBeLessThanOrEqual(5);
    expect(crm.calls.length - calls).toBeLessThan(30);
  });

  it('that is away for a single row alone does not hold up the others for good', async () => {
    const crm = createKeptCrm(properties);
    crm.fails = (call, when, writes) =>
      call === 'write' && when === 'ahead' && writes.some(({ rowNo }) => rowNo === 5)
        ? new CrmFault('away')
        : undefined;
    const ended = await (await world(people(150), crm)).run();
    expect(actionsOf(ended)).toEqual({ created: 149, updated: 0, skipped: 0, failed: 1 });
  });

  it('that refuses a call as a whole is asked for less, down to the row that it refuses', async () => {
    const crm = createKeptCrm(properties);
    crm.fails = (call, when, writes) =>
      call === 'write' && when === 'ahead' && writes.some(({ rowNo }) => rowNo === 42)
        ? new CrmFault('refused')
        : undefined;
    const push = await world(people(100), crm);
    expect(actionsOf(await push.run())).toEqual({ created: 99, updated: 0, skipped: 0, failed: 1 });
    expect((await push.rows({ state: 'failed' }))[0]).toMatchObject({ rowNo: 42, fault: 'crm_refused' });
    expect(crm.calls.filter(({ call }) => call === 'write').length).toBeLessThan(16);
  });

  it('that refuses row after row ends the push', async () => {
    const crm = createKeptCrm(properties);
    crm.fails = (call, when) => (call === 'write' && when === 'ahead' ? new CrmFault('refused') : undefined);
    const ended = await (await world(people(300), crm)).run();
    expect(ended).toMatchObject({ status: 'failed', failure: 'mapping_not_valid', rowsFailed: 100 });
  });

  it('that takes our access away is waited for until somebody connects it again', async () => {
    const crm = createKeptCrm(properties);
    let isRevoked = false;
    crm.fails = () => (isRevoked ? new CrmFault('revoked') : undefined);
    const push = await world(people(150), crm);
    await push.step();
    await push.step();
    isRevoked = true;
    for (let looks = 0; looks < 500; looks++) {
      if ((await push.step()) === 'waits') {
        push.clock.ms += 300_001;
      }
    }
    const paused = await push.find();
    expect(paused).toMatchObject({ status: 'running', rowsCreated: 100, rowsFailed: 0, pausedMs: 0 });
    expect(new Set(push.pauses)).toEqual(new Set(['access_revoked']));
    isRevoked = false;
    expect(await push.run()).toMatchObject({ status: 'succeeded', rowsCreated: 150 });
  });

  it('that is disconnected ends the push, and so does a property that is gone', async () => {
    const disconnected = await world(people(5), createKeptCrm(properties));
    disconnected.connection.isThere = false;
    expect(await disconnected.run()).toMatchObject({ status: 'failed', failure: 'connection_gone' });
    const crm = createKeptCrm(properties);
    const push = await world(people(5), crm);
    crm.properties = async () => properties.slice(1);
    expect(await push.run()).toMatchObject({ status: 'failed', failure: 'mapping_not_valid' });
    expect(crm.records.size).toBe(0);
  });

  it('that makes the push wait for too long in all ends it', async () => {
    const crm = createKeptCrm(properties);
    const push = await world(people(5), crm, { pausedMsMax: 60_000 });
    crm.fails = () => new CrmFault('throttled', 30_000);
    expect(await push.run()).toMatchObject({ status: 'failed', failure: 'paused_too_long' });
  });
});

describe('undoing', () => {
  it('leaves what was there before, can be asked for again, and counts each record once', async () => {
    const crm = crmWithThree();
    const ids = [...crm.records.keys()];
    const push = await world(people(230), crm);
    await push.run();
    const { undo } = await push.undo();
    expect(undo).toMatchObject({ status: 'succeeded', records: 227, removed: 227, failed: 0 });
    expect([...crm.records.keys()]).toEqual(ids);
    const calls = crm.calls.length;
    expect((await push.undo()).undo).toEqual(undo);
    expect(crm.calls.length).toBe(calls);
  });

  it('leaves alone what has become part of another record, and tries again what failed', async () => {
    const crm = createKeptCrm(properties);
    const old = crm.add({ email: 'old@ordinary.example' });
    const push = await world(people(3), crm);
    await push.run();
    const [first] = await push.rows();
    crm.merged.set(first?.crmRecordId ?? '', old.recordId);
    expect((await push.undo()).undo).toMatchObject({ status: 'succeeded', removed: 2, failed: 1 });
    expect((await push.rows())[0]).toMatchObject({ undone: 'failed', fault: 'crm_merged' });
    expect(crm.records.has(old.recordId)).toBe(true);
    crm.merged.clear();
    expect((await push.undo()).undo).toMatchObject({ status: 'succeeded', removed: 3, failed: 0 });
  });

  it('goes on where it was broken off, and waits for a CRM that asks it to', async () => {
    const crm = createKeptCrm(properties);
    const push = await world(people(150), crm);
    await push.run();
    const answers: (CrmFault | 'dies' | undefined)[] = [undefined, 'dies', new CrmFault('throttled', 2_000)];
    crm.fails = call => {
      const answer = call === 'remove' ? answers.shift() : undefined;
      if (answer === 'dies') {
        throw new Error('killed');
      }
      return answer;
    };
    await expect(push.undo()).rejects.toThrow('killed');
    expect((await push.find()).undo).toMatchObject({ status: 'running', removed: 100 });
    expect((await push.undo()).undo).toMatchObject({ status: 'succeeded', records: 150, removed: 150 });
    expect(crm.records.size).toBe(0);
  });

  it('finds what a process had created that died before it could write that down, of a push that was cancelled', async () => {
    const crm = crmWithThree();
    const ids = [...crm.records.keys()];
    crm.fails = (call, when) => {
      if (call === 'write' && when === 'behind') {
        throw new Error('killed');
      }
      return undefined;
    };
    const push = await world(people(20), crm);
    await expect(push.run()).rejects.toThrow('killed');
    crm.fails = () => undefined;
    await store.change(await push.find(), { status: 'failed', failure: 'cancelled', endedAt: new Date() });
    expect(crm.records.size).toBe(20);
    // One of them was taken away by somebody else, and one row is not known to its source any more.
    const [removed] = [...crm.records.values()].slice(-1);
    crm.records.delete(removed?.recordId ?? '');
    push.gone.add('19');
    expect((await push.undo()).undo).toMatchObject({
      ...{ status: 'succeeded', records: 16, removed: 15, failed: 1 },
    });
    push.gone.clear();
    expect((await push.undo()).undo).toMatchObject({ status: 'succeeded', removed: 16, failed: 0 });
    expect([...crm.records.keys()]).toEqual(ids);
  });

  it('ends with its reason where our access does not reach, and can be asked for again', async () => {
    const crm = createKeptCrm(properties);
    const push = await world(people(5), crm);
    await push.run();
    crm.fails = call => (call === 'remove' ? new CrmFault('not_permitted') : undefined);
    expect((await push.undo()).undo).toMatchObject({ status: 'failed', failure: 'not_permitted' });
    crm.fails = () => undefined;
    expect((await push.undo()).undo).toMatchObject({ status: 'succeeded', failure: null, removed: 5 });
  });

  it('gets a job again that was lost, and is given up when it goes wrong again and again', async () => {
    const push = await world(people(3), createKeptCrm(properties));
    await push.run();
    const { undos } = push.undoing;
    await beginUndo(push.undoing, push.accountId, push.exportId);
    const jobs = async () => {
      const { rows } = await opened.pool.query(
        "SELECT FROM outbox WHERE job_type = 'webhook-dispatcher.undo-export' AND payload->>'exportId' = $1",
        [push.exportId],
      );
      return rows.length;
    };
    const later = new Date(push.clock.ms + 60_000);
    expect([await jobs(), await undos.sweep(later, later)]).toEqual([1, 0]);
    await opened.pool.query("DELETE FROM outbox WHERE payload->>'exportId' = $1", [push.exportId]);
    expect(await undos.sweep(new Date(push.clock.ms), later)).toBe(0);
    expect([await undos.sweep(later, later), await jobs()]).toEqual([1, 1]);
    for (let faults = 0; faults < 4; faults++) {
      await noteUndoFault(push.undoing, push.exportId, false);
      await noteUndoFault(push.undoing, push.exportId, true);
    }
    expect((await push.find()).undo?.status).toBe('running');
    await noteUndoFault(push.undoing, push.exportId, false);
    expect((await push.find()).undo).toMatchObject({ status: 'failed', failure: 'could_not_continue' });
    expect((await push.undo()).undo).toMatchObject({ status: 'succeeded', removed: 3 });
  });

  it('is refused for a dry run, for what goes on, and for another account', async () => {
    const dry = await world(people(2), createKeptCrm(properties), { dryRun: true });
    await dry.run();
    expect((await beginUndo(dry.undoing, dry.accountId, dry.exportId)).kind).toBe('not_possible');
    const push = await world(people(2), createKeptCrm(properties));
    expect((await beginUndo(push.undoing, push.accountId, push.exportId)).kind).toBe('not_possible');
    expect((await beginUndo(push.undoing, newId('account'), push.exportId)).kind).toBe('not_found');
  });
});

it('records that are found by what they are keep the key that they have, or have none', async () => {
  const crm = crmWithThree();
  await (await world(people(5), crm)).run();
  const keys = content(crm).map(values => values[ownKeyProperty] ?? null);
  expect(keys).toEqual([null, null, null, 'person.4@ordinary.example', 'person.5@ordinary.example']);
});
