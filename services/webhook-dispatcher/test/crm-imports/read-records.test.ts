import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type crmImportFailures, limits } from '@mailproof/shared-types';
import { CrmFault, type CrmFaultKind } from '../../src/domain/crm/crm.ts';
import { takeOver } from '../../src/domain/crm/imports/advance-import.ts';
import { cancelImport } from '../../src/domain/crm/imports/end-import.ts';
import { RowsRefused } from '../../src/domain/crm/imports/import-ports.ts';
import { readRecords, Superseded } from '../../src/domain/crm/imports/read-records.ts';
import { hourMs, type Imports, openImports, startedAtMs } from './import-world.ts';

let imports: Imports;

beforeAll(async () => {
  imports = await openImports();
});

afterAll(() => imports?.close());

describe('records that are read', () => {
  it('become rows in their order, and the import has succeeded', async () => {
    const { begin, work, jobOf, jobs, crm } = imports.world(250);
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

  it('are counted again as soon as more were read than counted', async () => {
    const { begin, work, find, crm } = imports.world(250);
    crm.count = async () => 20;
    const faults = [undefined, undefined, new CrmFault('throttled', hourMs)];
    const started = await begin();
    crm.fails = () => faults.shift();
    expect(started.recordsTotal).toBe(20);
    await work(started);
    expect(await find(started)).toMatchObject({ state: 'reading', recordsTotal: 200, recordsRead: 200 });
  });

  it('are asked for no sooner than the rows of the page before were taken', async () => {
    const { begin, work, jobs, crm } = imports.world(250);
    const ahead: number[] = [];
    jobs.taken = async lines => void ahead.push(crm.asked.length - Math.ceil((lines - 1) / 100));
    await work(await begin());
    expect([ahead.length, Math.max(...ahead)]).toEqual([252, 0]);
  });

  it('are as they are in the CRM, but for what no text can hold', async () => {
    const { begin, work, jobOf, crm } = imports.world(0);
    const values = ['<p>Ada, "first"</p>\r\nline\u2028', 'a\0b', '\ud800', '=1+1', ' spaces '];
    crm.records.push({ recordId: '1', values: { email: 'a@b.example' } });
    values.forEach((notes, at) => void crm.records.push({ recordId: `${at + 2}`, values: { notes } }));
    const record = await work(await begin({ properties: ['email', 'notes'] }));
    expect(jobOf(record).rows.slice(1)).toEqual(
      [values[0], 'ab', '\ufffd', ...values.slice(3)].map((notes, at) => [`${at + 2}`, '', notes]),
    );
  });

  it('are cut where a value is longer than a cell may be, or all of them than a row, and that is counted', async () => {
    const { begin, work, jobOf, crm } = imports.world(1);
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
    const { begin, work, jobs, crm } = imports.world(150);
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
      const { begin, work, jobs } = imports.world(1);
      jobs.refuses = () => new RowsRefused(failure);
      expect(await work(await begin())).toMatchObject({
        state: 'failed',
        failure,
        jobId: expect.any(String),
      });
      expect(jobs.jobs.size).toBe(0);
    },
  );

  it('wait if too many jobs wait for their start, and continue when there is room', async () => {
    const { begin, work, workWhenDue, jobs } = imports.world(1);
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
    const { begin, work, jobs, crm, clock } = imports.world(250);
    const faults = [undefined, undefined, new CrmFault('throttled', 10_000), new CrmFault('away'), undefined];
    crm.fails = () => faults.shift();
    expect(await work(await begin())).toMatchObject({ state: 'succeeded', recordsRead: 250 });
    expect([crm.asked, jobs.jobs.size]).toEqual([[null, '1099', '1099', '1099', '1199'], 1]);
    // Ten seconds that the CRM asked for, and our one second, doubled because it was the second wait in a row.
    expect(clock.ms - startedAtMs).toBe(12_000);
  });

  it.each([
    ['throttled', 'crm_asked'],
    ['exhausted', 'crm_exhausted'],
  ] as const)('that asks us to wait long (%s) makes us start again at its time', async (kind, reason) => {
    const { begin, work, workWhenDue, jobs, crm, clock } = imports.world(250);
    const faults = [undefined, undefined, new CrmFault(kind, hourMs)];
    crm.fails = () => faults.shift();
    const paused = await work(await begin());
    expect(paused).toMatchObject({ state: 'reading', pauseReason: reason, recordsRead: 100 });
    expect([paused.resumesAt?.getTime(), jobs.jobs.size]).toEqual([clock.ms + hourMs, 0]);
    // A worker that runs too early does nothing.
    expect(await work(paused)).toMatchObject({ state: 'reading', pauseReason: reason });
    expect(crm.asked).toHaveLength(2);
    expect(await workWhenDue(paused)).toMatchObject({
      state: 'succeeded',
      recordsRead: 250,
      pauseReason: null,
    });
    expect(jobs.jobs.size).toBe(1);
  });

  it('that takes long for a page is waited for with keepalive events, and only while the rows are needed', async () => {
    const { begin, ports, crm, accountId } = imports.world(1);
    const { importId } = await begin();
    const record = await takeOver(ports, importId, 'worker');
    if (!record) {
      throw new Error('The import is gone.');
    }
    const [page, slow] = [crm.page, Promise.withResolvers<void>()];
    const asked: AbortSignal[] = [];
    crm.page = async (...request) => {
      asked.push(request[3]);
      await slow.promise;
      return page(...request);
    };
    const read = () => readRecords(ports, crm, record, new AbortController().signal, 5);
    const told: string[] = [];
    for await (const octets of read()) {
      told.push(new TextDecoder().decode(octets));
      if (told.length === 4) {
        slow.resolve();
      }
    }
    expect(told.slice(1, 4)).toEqual(['\n', '\n', '\n']);
    expect(told.filter(line => line !== '\n')).toHaveLength(3);
    crm.page = (...request) => {
      asked.push(request[3]);
      return new Promise(() => undefined);
    };
    const lines = read();
    await lines.next();
    await lines.next();
    await cancelImport(ports, accountId, importId);
    await expect(lines.next()).rejects.toBeInstanceOf(Superseded);
    expect(asked.at(-1)?.aborted).toBe(true);
  });

  it('that does not say when it continues is asked less and less often, for two days', async () => {
    const { begin, work, workWhenDue, crm, clock } = imports.world(1);
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
      const { begin, work, jobs, crm } = imports.world(250);
      const faults = [undefined, undefined, new CrmFault(kind)];
      crm.fails = () => faults.shift();
      expect(await work(await begin())).toMatchObject({ state: 'failed', failure, isStopping: false });
      expect(jobs.jobs.size).toBe(0);
    },
  );

  it('that was disconnected ends it too', async () => {
    const { begin, work, state } = imports.world(1);
    const record = await begin();
    state.isConnected = false;
    expect(await work(record)).toMatchObject({ state: 'failed', failure: 'connection_gone' });
  });

  it('that answers the same page again and again is given up', async () => {
    const { begin, work, find, crm } = imports.world(1);
    const record = await begin();
    crm.page = async () => ({ records: [], next: 'same' });
    for (let tries = 0; tries < 5; tries += 1) {
      await expect(work(record)).rejects.toThrow('the same page');
    }
    expect(await find(record)).toMatchObject({ state: 'failed', failure: 'could_not_continue' });
  });
});
