import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import { createFairTurns, Problem } from '@mailproof/service-kit';
import { type AccountId, type crmImportFailures, limits, newId } from '@mailproof/shared-types';
import { createImportStore } from '../src/adapters/postgres/crm-import-store.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { CrmFault, type CrmFaultKind } from '../src/domain/crm/crm-fault.ts';
import { createImport } from '../src/domain/crm/imports/create-import.ts';
import type { CrmImport } from '../src/domain/crm/imports/crm-import.ts';
import {
  type ImportPorts,
  RowsRefused,
  type WriteBackBeginning,
  type WriteBackState,
} from '../src/domain/crm/imports/import-ports.ts';
import type { ImportStore } from '../src/domain/crm/imports/import-store.ts';
import { cancelImport } from '../src/domain/crm/imports/steer-import.ts';
import { createKeptJobs } from '../src/domain/crm/imports/testing/kept-jobs.ts';
import { createPagedCrm } from '../src/domain/crm/imports/testing/paged-crm.ts';
import { runCrmImportHandler } from '../src/workers/run-crm-import.ts';

/*
 * Imports on real tables. Beyond them stand a CRM, which has records page by page, and an engine, which takes rows into jobs.
 */

let database: TestDatabase;
let opened: ReturnType<typeof openDatabase>;
let store: ImportStore;

beforeAll(async () => {
  database = await createTestDatabase('webhook-dispatcher');
  opened = openDatabase({
    url: database.databaseUrl,
    connectionsMax: 5,
    onIdleError: error => {
      throw error;
    },
  });
  store = createImportStore(opened.pool);
});

afterAll(async () => {
  await opened?.close();
  await database?.drop();
});

const startedAtMs = Date.parse('2026-11-22T10:00:00Z');
const hourMs = 3_600_000;
const away = () => new Problem('service_unavailable');

type Body = Partial<Parameters<typeof createImport>[1]['request']>;

const writeBack = {
  write_back: {
    fields: [{ column: 'result_status' as const, property: 'mail_status', policy: 'overwrite' as const }],
  },
};

/** An account with a CRM of so many contacts, and all that is around its imports. */
function world(records = 250) {
  const clock = { ms: startedAtMs };
  const crm = createPagedCrm();
  const jobs = createKeptJobs();
  const state = {
    isConnected: true,
    writeBack: { kind: 'begun', exportId: newId('export'), rows: records } as WriteBackBeginning | CrmFault,
    export: { status: 'under_way', rows: records, done: 0 } as WriteBackState | undefined,
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
    now: () => new Date(clock.ms),
    wait: async ms => {
      clock.ms += ms;
    },
    connected: {
      open: async asking => (state.isConnected && asking === accountId ? crm : undefined),
    },
    events: {
      importBegun: () => undefined,
      importRead: () => undefined,
      importPaused: () => undefined,
      importEnded: ({ state: how }) => void state.ended.push(how),
    },
    writeBacks: {
      async begin() {
        if (state.writeBack instanceof CrmFault) {
          throw state.writeBack;
        }
        return state.writeBack;
      },
      find: async () => state.export,
      cancel: async () => {
        state.exportCancelled += 1;
      },
    },
  };
  const wanted = (request: Body = {}, more: { keyHash?: Uint8Array; accountId?: AccountId } = {}) => ({
    accountId,
    userId: newId('user'),
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
      isAway: error => error instanceof Problem && error.code === 'service_unavailable',
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
    state,
    ports,
    accountId,
    wanted,
    begin,
    find,
    handlerOf,
    create: (request: Body = {}, more = {}) => createImport(ports, wanted(request, more), signal),
    /** What a worker does with a job that it got from the queue. */
    async work(record: CrmImport): Promise<CrmImport> {
      await takeJobs(record);
      await handlerOf(ports)({ importId: record.importId });
      return find(record);
    },
    /** What happens when its next job is due. */
    async workWhenDue(record: CrmImport): Promise<CrmImport> {
      const dueAt = await takeJobs(record);
      if (!dueAt) {
        throw new Error('Nothing is due.');
      }
      clock.ms = dueAt.getTime();
      await handlerOf(ports)({ importId: record.importId });
      return find(record);
    },
    /** The job that the import has made. */
    jobOf(record: CrmImport) {
      const job = record.jobId === null ? undefined : jobs.jobs.get(record.jobId);
      if (!job) {
        throw new Error('There is no job.');
      }
      return job;
    },
  };
}

/** Takes the jobs of an import from the outbox, as the relay does; answers when the last of them was due. */
async function takeJobs({ importId }: CrmImport): Promise<Date | undefined> {
  const { rows } = await opened.pool.query<{ due_at: Date }>(
    `UPDATE outbox SET enqueued_at = now(), done_at = now()
     WHERE payload->>'importId' = $1 AND done_at IS NULL RETURNING due_at`,
    [importId],
  );
  return rows.map(row => row.due_at).toSorted((one, other) => other.getTime() - one.getTime())[0];
}

describe('an import that is asked for', () => {
  it('counts the records ahead of any work, and names its columns', async () => {
    const { begin, crm } = world(3);
    crm.lists.set('7', new Set(['1000', '1002']));
    const record = await begin({
      selection: { segment_id: '7', filters: [{ property: 'firstname', operator: 'is_known' }] },
      properties: ['email', 'unnamed', 'firstname'],
    });
    expect(record).toMatchObject({
      state: 'queued',
      recordsTotal: 2,
      columns: ['crm_record_id', 'E-mail', 'unnamed', 'First name'],
      name: 'Contacts of a CRM',
      jobId: null,
    });
    expect(crm.asked).toEqual([]);
  });

  it('is refused where a property is not there, cannot be written, or no such record is there', async () => {
    const { create, crm, state } = world(2);
    const field = (property: string) => ({ column: 'valid', property, policy: 'overwrite' }) as const;
    const faults = await create({
      properties: ['email', 'nowhere'],
      selection: { filters: [{ property: 'nothing', operator: 'is_known' }] },
      write_back: { fields: [field('mail_status'), field('created'), field('none')] },
    });
    expect(faults).toMatchObject({
      kind: 'notValid',
      faults: [
        { pointer: '/properties/1' },
        { pointer: '/selection/filters/0/property' },
        { pointer: '/write_back/fields/1/property' },
        { pointer: '/write_back/fields/2/property' },
      ],
    });
    expect(await create({ object: 'lead' })).toMatchObject({
      kind: 'notValid',
      faults: [{ pointer: '/object' }],
    });
    expect(await create({ selection: { segment_id: '9' } })).toEqual({ kind: 'noSuchSegment' });
    expect(
      await create({ selection: { filters: [{ property: 'email', operator: 'is', values: ['x'] }] } }),
    ).toEqual({ kind: 'nothingToImport' });
    crm.fails = () => new CrmFault('revoked');
    await expect(create()).rejects.toMatchObject({ kind: 'revoked' });
    state.isConnected = false;
    expect(await create()).toEqual({ kind: 'noConnection' });
  });

  it('is refused beyond what one import takes, and sooner where results are written back', async () => {
    const { create, crm } = world(0);
    crm.count = async () => limits.crmImportRecordsMax + 1;
    expect(await create()).toEqual({ kind: 'tooLarge', recordsMax: limits.crmImportRecordsMax });
    crm.count = async () => limits.crmValidationRecordsMax + 1;
    expect(await create(writeBack)).toEqual({ kind: 'tooLarge', recordsMax: limits.crmValidationRecordsMax });
    expect((await create()).kind).toBe('created');
  });

  it('is found again under its key, and is no other', async () => {
    const { create, ports, wanted } = world(1);
    const keyHash = new Uint8Array(32).fill(7);
    const first = wanted({}, { keyHash });
    const signal = new AbortController().signal;
    const [made, again] = [
      await createImport(ports, first, signal),
      await createImport(ports, first, signal),
    ];
    expect([made.kind, again.kind]).toEqual(['created', 'repeated']);
    expect('record' in made && 'record' in again && made.record.importId === again.record.importId).toBe(
      true,
    );
    expect(await createImport(ports, { ...first, name: 'Other' }, signal)).toEqual({ kind: 'keyReused' });
    expect((await create()).kind).toBe('created');
  });

  it('is refused where the account has as many that read as it may', async () => {
    const { create, begin, work } = world(1);
    const first = await begin();
    await begin();
    await begin();
    expect(await create()).toEqual({ kind: 'tooMany' });
    await work(first);
    expect((await create()).kind).toBe('created');
  });
});

describe('records that are read', () => {
  it('become rows in their order, and the import has succeeded', async () => {
    const { begin, work, jobOf, jobs, crm } = world(250);
    const record = await work(await begin({ properties: ['firstname', 'email'] }));
    expect(record).toMatchObject({
      state: 'succeeded',
      isIn: true,
      recordsTotal: 250,
      recordsRead: 250,
      recordsShortened: 0,
      addresses: 250,
      costMax: 250,
    });
    const job = jobOf(record);
    expect([job.header, job.addressColumn]).toEqual([['crm_record_id', 'First name', 'E-mail'], 2]);
    expect(job.rows).toEqual(
      crm.records.map(({ recordId, values }) => [recordId, values['firstname'], values['email']]),
    );
    expect([jobs.jobs.size, crm.asked]).toEqual([1, [null, '1099', '1199']]);
  });

  it('are asked for no sooner than the rows of the page before were taken', async () => {
    const { begin, work, jobs, crm } = world(250);
    const ahead: number[] = [];
    jobs.taken = async lines => void ahead.push(crm.asked.length - Math.ceil((lines - 1) / 100));
    await work(await begin());
    expect([ahead.length, Math.max(...ahead)]).toEqual([252, 0]);
  });

  it('are as they are in the CRM, but for what no text can hold', async () => {
    const { begin, work, jobOf, crm } = world(0);
    const values = ['<p>Ada, "first"</p>\r\nline\u2028', 'a\0b', '\ud800', '=1+1', ' spaces '];
    crm.records.push({ recordId: '1', values: { email: 'a@b.example' } });
    values.forEach((notes, at) => void crm.records.push({ recordId: `${at + 2}`, values: { notes } }));
    const record = await work(await begin({ properties: ['email', 'notes'] }));
    expect(jobOf(record).rows.slice(1)).toEqual(
      [values[0], 'ab', '\ufffd', ...values.slice(3)].map((notes, at) => [`${at + 2}`, '', notes]),
    );
  });

  it('are cut where a value is longer than a cell may be, or all of them than a row, and that is counted', async () => {
    const { begin, work, jobOf, crm } = world(1);
    const names = Array.from({ length: limits.jobColumnsMax - 2 }, (_, at) => `long_${at}`);
    const known = await crm.properties('contact', new AbortController().signal);
    const [first] = known;
    if (!first) {
      throw new Error('There is a property.');
    }
    crm.properties = async () => [...known, ...names.map(name => ({ ...first, name, label: name }))];
    crm.records.push({ recordId: '1', values: { email: 'a@b.example', long_0: `${'x'.repeat(32_766)}😀` } });
    const all = Object.fromEntries(names.map(name => [name, 'é'.repeat(30_000)]));
    crm.records.push({ recordId: '2', values: { ...all, email: 'a@b.example' } });
    const record = await work(await begin({ properties: ['email', ...names] }));
    expect(record).toMatchObject({ state: 'succeeded', recordsShortened: 2 });
    const [, cut, long = []] = jobOf(record).rows;
    expect([cut?.length, cut?.[2]]).toEqual([limits.jobColumnsMax, 'x'.repeat(32_766)]);
    expect(Buffer.byteLength(long.join(''))).toBeLessThan(limits.rowBytesMax);
    expect(long.slice(0, 2)).toEqual(['2', 'a@b.example']);
  });

  it('that are more by now than one import takes end it, without a job', async () => {
    const { begin, work, jobs, crm } = world(150);
    const record = await begin();
    crm.page = async (_object, _selection, { after }) => ({
      records: Array.from({ length: 30_000 }, () => ({ recordId: '1', values: { email: 'a@b.example' } })),
      next: `${after}+`,
    });
    expect(await work(record)).toMatchObject({ state: 'failed', failure: 'too_many_records' });
    expect(jobs.jobs.size).toBe(0);
  });

  it.each(['no_addresses_found', 'too_much_text'] as const)(
    'that the engine does not take end it: %s',
    async failure => {
      const { begin, work, jobs } = world(1);
      jobs.refuses = () => new RowsRefused(failure);
      expect(await work(await begin())).toMatchObject({
        state: 'failed',
        failure,
        jobId: expect.any(String),
      });
      expect(jobs.jobs.size).toBe(0);
    },
  );

  it('wait where too many jobs wait for their start, and go on when there is room', async () => {
    const { begin, work, workWhenDue, jobs } = world(1);
    jobs.refuses = () => new RowsRefused('too_many_unstarted_jobs');
    const record = await work(await begin());
    expect(record).toMatchObject({ state: 'reading', pauseReason: 'too_many_unstarted_jobs' });
    jobs.refuses = () => undefined;
    expect(await workWhenDue(record)).toMatchObject({
      state: 'succeeded',
      pauseReason: null,
      resumesAt: null,
    });
  });
});

describe('a CRM', () => {
  it('that asks us to wait a little is waited for with the rows on their way', async () => {
    const { begin, work, jobs, crm, clock } = world(250);
    const faults = [undefined, undefined, new CrmFault('throttled', 10_000), new CrmFault('away'), undefined];
    crm.fails = () => faults.shift();
    expect(await work(await begin())).toMatchObject({ state: 'succeeded', recordsRead: 250 });
    expect([crm.asked, jobs.jobs.size]).toEqual([[null, '1099', '1099', '1099', '1199'], 1]);
    // Ten seconds that it asked for, and one of our own, doubled since it was the second in a row.
    expect(clock.ms - startedAtMs).toBe(12_000);
  });

  it.each([
    ['throttled', 'crm_asked'],
    ['exhausted', 'crm_exhausted'],
  ] as const)('that asks us to wait long (%s) has us begin anew at its time', async (kind, reason) => {
    const { begin, work, workWhenDue, jobs, crm, clock } = world(250);
    const faults = [undefined, undefined, new CrmFault(kind, hourMs)];
    crm.fails = () => faults.shift();
    const paused = await work(await begin());
    expect(paused).toMatchObject({ state: 'reading', pauseReason: reason, recordsRead: 100 });
    expect([paused.resumesAt?.getTime(), jobs.jobs.size]).toEqual([clock.ms + hourMs, 0]);
    // A worker that comes too soon does nothing.
    expect(await work(paused)).toMatchObject({ state: 'reading', pauseReason: reason });
    expect(crm.asked).toHaveLength(2);
    expect(await workWhenDue(paused)).toMatchObject({
      state: 'succeeded',
      recordsRead: 250,
      pauseReason: null,
    });
    expect(jobs.jobs.size).toBe(1);
  });

  it('that says nothing of when it goes on is asked less and less often, for two days', async () => {
    const { begin, work, workWhenDue, crm, clock } = world(1);
    let record = await begin();
    crm.fails = () => new CrmFault('exhausted');
    record = await work(record);
    const pauses: number[] = [];
    while (record.endedAt === null && pauses.length < 1_000) {
      expect(record.pauseReason).toBe('crm_exhausted');
      pauses.push((record.resumesAt?.getTime() ?? 0) - clock.ms);
      record = await workWhenDue(record);
    }
    expect(record.failure).toBe('crm_away_too_long');
    expect([pauses[0], pauses[1], pauses.at(-1)]).toEqual([900_000, 1_800_000, 3_600_000]);
    expect((clock.ms - startedAtMs) / hourMs).toBeGreaterThan(46);
    expect((clock.ms - startedAtMs) / hourMs).toBeLessThanOrEqual(48);
  });

  it.each([
    ['revoked', 'access_revoked'],
    ['not_permitted', 'not_permitted'],
    ['not_found', 'selection_gone'],
    ['refused', 'refused_by_crm'],
  ] as const satisfies readonly (readonly [CrmFaultKind, keyof typeof crmImportFailures])[])(
    'that does not let us read on ends the import: %s',
    async (kind, failure) => {
      const { begin, work, jobs, crm } = world(250);
      const faults = [undefined, undefined, new CrmFault(kind)];
      crm.fails = () => faults.shift();
      expect(await work(await begin())).toMatchObject({ state: 'failed', failure, isStopping: false });
      expect(jobs.jobs.size).toBe(0);
    },
  );

  it('that was disconnected ends it too', async () => {
    const { begin, work, state } = world(1);
    const record = await begin();
    state.isConnected = false;
    expect(await work(record)).toMatchObject({ state: 'failed', failure: 'connection_gone' });
  });

  it('that answers the same page again and again is given up', async () => {
    const { begin, work, find, crm } = world(1);
    const record = await begin();
    crm.page = async () => ({ records: [], next: 'same' });
    for (let tries = 0; tries < 5; tries += 1) {
      await expect(work(record)).rejects.toThrow('the same page');
    }
    expect(await find(record)).toMatchObject({ state: 'failed', failure: 'could_not_continue' });
  });
});

/** Ports under which a worker dies at its n-th step outside of its memory, ahead of it or behind it. */
function mortal(ports: ImportPorts, dies: { readonly at: number; readonly isBehind: boolean }): ImportPorts {
  let steps = 0;
  const guarded = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        return typeof member !== 'function'
          ? member
          : async (...args: unknown[]) => {
              steps += 1;
              if (steps > dies.at || (steps === dies.at && !dies.isBehind)) {
                throw new Error('killed');
              }
              const result: unknown = await Reflect.apply(member, target, args);
              if (steps >= dies.at) {
                throw new Error('killed');
              }
              return result;
            };
      },
    });
  const { imports, jobs, writeBacks } = ports;
  return { ...ports, imports: guarded(imports), jobs: guarded(jobs), writeBacks: guarded(writeBacks) };
}

describe('an import', () => {
  it('goes on from any step at which its worker died, and leaves one job', async () => {
    for (let at = 1, isOver = false; !isOver; at += 1) {
      for (const isBehind of [false, true]) {
        const { begin, ports, handlerOf, work, jobs, jobOf } = world(120);
        const record = await begin();
        const died = await handlerOf(mortal(ports, { at, isBehind }))({ importId: record.importId }).then(
          () => false,
          () => true,
        );
        const after = await work(record);
        expect([at, isBehind, after.state, after.recordsRead]).toEqual([at, isBehind, 'succeeded', 120]);
        expect([jobs.jobs.size, jobOf(after).rows.length]).toEqual([1, 120]);
        isOver = !died;
      }
      expect(at).toBeLessThan(50);
    }
  });

  it('has one worker: the first stops at its next page when a second one comes', async () => {
    const { begin, work, handlerOf, ports, jobs, crm } = world(350);
    const record = await begin();
    let second: Promise<unknown> | undefined;
    const page = crm.page;
    crm.page = async (...args) => {
      if (second === undefined && args[2].after === '1099') {
        second = handlerOf(ports)({ importId: record.importId });
        await second;
      }
      return page(...args);
    };
    const after = await work(record);
    expect([after.state, jobs.jobs.size, after.recordsRead]).toEqual(['succeeded', 1, 350]);
    // Two pages by the first, four by the second.
    expect(crm.asked).toHaveLength(6);
  });

  it('waits for an engine that is away, and is given up after a day', async () => {
    const { begin, work, find, jobs, clock } = world(1);
    const record = await begin();
    jobs.fails = () => away();
    for (let tries = 0; tries < 8; tries += 1) {
      await expect(work(record)).rejects.toBeInstanceOf(Problem);
    }
    expect((await find(record)).endedAt).toBeNull();
    clock.ms += 25 * hourMs;
    await expect(work(record)).rejects.toBeInstanceOf(Problem);
    expect(await find(record)).toMatchObject({
      state: 'failed',
      failure: 'could_not_continue',
      isStopping: true,
    });
    // What it had under way is stopped as soon as that can be.
    jobs.fails = () => undefined;
    expect(await work(record)).toMatchObject({ isStopping: false });
  });

  it('that is cancelled while it reads stops at its next page, and leaves no job', async () => {
    const { begin, find, handlerOf, ports, jobs, crm, accountId } = world(350);
    const record = await begin();
    const page = crm.page;
    crm.page = async (...args) => {
      if (args[2].after === '1099') {
        await cancelImport(ports, accountId, record.importId);
      }
      return page(...args);
    };
    await handlerOf(ports)({ importId: record.importId });
    expect(await find(record)).toMatchObject({ state: 'cancelled', isStopping: false, failure: null });
    expect([jobs.jobs.size, crm.asked.length]).toEqual([0, 2]);
  });

  it('that is cancelled before it reads never does, and stays so', async () => {
    const { begin, work, ports, crm, accountId, state } = world(1);
    const record = await begin();
    await cancelImport(ports, accountId, record.importId);
    expect(await cancelImport(ports, accountId, record.importId)).toMatchObject({ state: 'cancelled' });
    expect(await cancelImport(ports, newId('account'), record.importId)).toBeUndefined();
    expect(await work(record)).toMatchObject({ state: 'cancelled' });
    expect([crm.asked.length, state.ended]).toEqual([0, ['cancelled']]);
  });
});

describe('what follows the reading', () => {
  const startsItself = { start_when_ready: true, credits_max: 1_000 };

  it('is a start by itself, where that was wanted and costs no more than allowed', async () => {
    const { begin, work, jobOf } = world(20);
    const record = await work(await begin(startsItself));
    expect([record.state, jobOf(record).state]).toEqual(['succeeded', 'running']);
  });

  it('waits for the customer where it costs more, and goes on when they have started it', async () => {
    const { begin, work, workWhenDue, jobOf } = world(20);
    let record = await work(await begin({ ...startsItself, credits_max: 19 }));
    expect(record).toMatchObject({
      state: 'ready',
      pauseReason: 'price_above_limit',
      resumesAt: null,
      costMax: 20,
    });
    record = await workWhenDue(record);
    expect(record).toMatchObject({ state: 'ready', pauseReason: 'price_above_limit' });
    jobOf(record).state = 'running';
    expect(await workWhenDue(record)).toMatchObject({ state: 'succeeded', pauseReason: null });
  });

  it.each(['too_few_credits', 'too_many_jobs'] as const)(
    'starts later where it cannot now: %s',
    async reason => {
      const { begin, work, workWhenDue, jobs } = world(20);
      const { starts } = jobs;
      jobs.starts = () => reason;
      const record = await work(await begin(startsItself));
      expect(record).toMatchObject({ state: 'ready', pauseReason: reason });
      jobs.starts = starts;
      expect(await workWhenDue(record)).toMatchObject({ state: 'succeeded' });
    },
  );

  it('looks at a job that waits for its start less and less often, whatever else is away for a while', async () => {
    const { begin, work, workWhenDue, find, clock, jobs, jobOf, state } = world(20);
    let record = await work(await begin(writeBack));
    const waits: number[] = [];
    for (let looks = 0; looks < 30; looks += 1) {
      const before = clock.ms;
      record = await workWhenDue(record);
      waits.push(clock.ms - before);
    }
    expect(record).toMatchObject({ state: 'ready', pauseReason: 'not_started' });
    expect([Math.min(...waits) >= 2_000, waits.at(-1)]).toEqual([true, 300_000]);
    jobs.fails = () => away();
    await expect(work(record)).rejects.toBeInstanceOf(Problem);
    expect((await find(record)).state).toBe('ready');
    jobs.fails = () => undefined;
    jobOf(record).state = 'succeeded';
    state.export = { status: 'succeeded', rows: 20, done: 20 };
    expect(await work(record)).toMatchObject({ state: 'succeeded' });
  });

  it('is the way back: the job is watched, its results are written back, and then it has succeeded', async () => {
    const { begin, work, workWhenDue, jobOf, state } = world(20);
    let record = await work(await begin({ ...writeBack, ...startsItself }));
    expect(record).toMatchObject({ state: 'validating', pauseReason: null });
    jobOf(record).validated = 7;
    record = await workWhenDue(record);
    expect(record).toMatchObject({ state: 'validating', validated: 7, exportId: null });
    Object.assign(jobOf(record), { validated: 20, state: 'succeeded' });
    record = await workWhenDue(record);
    expect(record).toMatchObject({ state: 'writing_back', validated: 20, exportId: expect.any(String) });
    state.export = { status: 'under_way', rows: 20, done: 5 };
    record = await workWhenDue(record);
    expect(record).toMatchObject({ state: 'writing_back', rowsToWrite: 20, rowsWritten: 5 });
    state.export = { status: 'succeeded', rows: 20, done: 20 };
    expect(await workWhenDue(record)).toMatchObject({ state: 'succeeded', rowsWritten: 20 });
    expect(state.ended).toEqual(['succeeded']);
  });

  it.each([
    ['failed', 'validation_failed'],
    ['cancelled', 'validation_cancelled'],
    [undefined, 'job_gone'],
  ] as const)('writes nothing back of a job that has not succeeded: %s', async (how, failure) => {
    const { begin, work, workWhenDue, jobs, jobOf, state } = world(20);
    const record = await work(await begin({ ...writeBack, ...startsItself }));
    if (how === undefined) {
      jobs.jobs.clear();
    } else {
      jobOf(record).state = how;
    }
    state.writeBack = new CrmFault('refused');
    expect(await workWhenDue(record)).toMatchObject({
      state: 'failed',
      failure,
      isStopping: false,
      exportId: null,
    });
  });

  it('waits for room and for the CRM before it writes back, and ends where there is nothing to write', async () => {
    const { begin, work, workWhenDue, jobOf, state } = world(20);
    let record = await work(await begin({ ...writeBack, ...startsItself }));
    jobOf(record).state = 'succeeded';
    state.writeBack = { kind: 'tooMany' };
    record = await workWhenDue(record);
    expect(record).toMatchObject({ state: 'validating', pauseReason: 'too_many_exports' });
    state.writeBack = new CrmFault('away');
    record = await workWhenDue(record);
    expect(record).toMatchObject({ state: 'validating', pauseReason: 'crm_away' });
    state.writeBack = { kind: 'nothing' };
    expect(await workWhenDue(record)).toMatchObject({
      state: 'succeeded',
      exportId: null,
      pauseReason: null,
    });
  });

  it('has failed where its export has, or was deleted', async () => {
    for (const how of [{ status: 'failed', rows: 20, done: 3 } as const, undefined]) {
      const { begin, work, workWhenDue, jobOf, state } = world(20);
      const record = await work(await begin({ ...writeBack, ...startsItself }));
      jobOf(record).state = 'succeeded';
      state.export = how;
      expect(await workWhenDue(record)).toMatchObject({ state: 'failed', failure: 'write_back_failed' });
    }
  });

  it('is stopped with the import: a job under way, an export, but not a job that waits for its start', async () => {
    const cancelled = async (how: 'ready' | 'validating' | 'writing_back') => {
      const { begin, work, workWhenDue, jobOf, ports, accountId, state } = world(20);
      let record = await work(await begin({ ...writeBack, ...(how !== 'ready' && startsItself) }));
      if (how === 'writing_back') {
        jobOf(record).state = 'succeeded';
        record = await workWhenDue(record);
      }
      expect(record.state).toBe(how);
      await cancelImport(ports, accountId, record.importId);
      const after = await work(record);
      expect(after).toMatchObject({ state: 'cancelled', isStopping: false });
      return [jobOf(after).state, state.exportCancelled];
    };
    expect(await cancelled('ready')).toEqual(['ready', 0]);
    expect(await cancelled('validating')).toEqual(['cancelled', 0]);
    expect(await cancelled('writing_back')).toEqual(['succeeded', 1]);
  });
});

describe('the imports of an account', () => {
  it('are listed page by page, the newest first, by their state and connection, and are nobody else’s', async () => {
    const { begin, work, accountId } = world(1);
    const [first, second, third] = [await work(await begin()), await work(await begin()), await begin()];
    const page = await store.list(accountId, { limit: 2 });
    expect(page.imports.map(({ importId }) => importId)).toEqual([third.importId, second.importId]);
    const rest = await store.list(accountId, { limit: 2, cursor: page.nextCursor });
    expect([rest.imports.map(({ importId }) => importId), rest.nextCursor]).toEqual([
      [first.importId],
      undefined,
    ]);
    const ended = await store.list(accountId, {
      limit: 9,
      state: 'succeeded',
      connectionId: first.connectionId,
    });
    expect(ended.imports.map(({ importId }) => importId)).toEqual([first.importId]);
    expect((await store.list(newId('account'), { limit: 9 })).imports).toEqual([]);
    expect(await store.findOf(newId('account'), first.importId)).toBeUndefined();
  });

  it('are deleted when they have ended, when their time is over, and with the account', async () => {
    const { begin, work, accountId, clock } = world(1);
    const [ended, other] = [await work(await begin()), await begin()];
    expect(await store.delete(newId('account'), ended.importId)).toBe('notFound');
    expect(await store.delete(accountId, other.importId)).toBe('underWay');
    expect(await store.delete(accountId, ended.importId)).toBe('deleted');
    expect(await store.delete(accountId, ended.importId)).toBe('notFound');
    const stranger = world(1);
    const kept = await stranger.begin();
    expect(await store.deleteOfAccount(accountId)).toBe(1);
    expect(await store.find(kept.importId)).toBeDefined();
    expect(await store.deleteOutdated(new Date(clock.ms))).toBe(0);
    await store.deleteOutdated(new Date(clock.ms + 2e9));
    expect(await store.find(kept.importId)).toBeUndefined();
  });

  it('get a job again where they have none and stand still', async () => {
    const { begin, clock } = world(1);
    const record = await begin();
    const later = new Date(clock.ms + 60_000);
    await opened.pool.query(`DELETE FROM outbox WHERE payload->>'importId' <> $1`, [record.importId]);
    await opened.pool.query('UPDATE crm_import SET moved_at = $1 WHERE import_id <> $2', [
      later,
      record.importId,
    ]);
    expect(await store.sweep(later, later)).toBe(0);
    await opened.pool.query('UPDATE outbox SET failed_at = now()');
    expect(await store.sweep(new Date(clock.ms), later)).toBe(0);
    expect(await store.sweep(later, later)).toBe(1);
    expect(await store.sweep(later, later)).toBe(0);
  });
});
