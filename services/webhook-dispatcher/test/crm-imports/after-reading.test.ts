import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Problem } from '@mailproof/service-kit';
import { CrmFault } from '../../src/domain/crm/crm.ts';
import { cancelImport } from '../../src/domain/crm/imports/end-import.ts';
import { type Imports, openImports, writeBack } from './import-world.ts';

let imports: Imports;

beforeAll(async () => {
  imports = await openImports();
});

afterAll(() => imports?.close());

describe('what follows the reading', () => {
  const startsItself = { start_when_ready: true, credits_max: 1_000 };

  it('starts automatically, if that was requested and costs no more than allowed', async () => {
    const { begin, work, jobOf } = imports.world(20);
    const record = await work(await begin(startsItself));
    expect([record.state, jobOf(record).state]).toEqual(['succeeded', 'running']);
  });

  it('waits for the customer if it costs more, and continues when they have started it', async () => {
    const { begin, work, workWhenDue, jobOf } = imports.world(20);
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
      const { begin, work, workWhenDue, jobs } = imports.world(20);
      const { starts } = jobs;
      jobs.starts = () => reason;
      const record = await work(await begin(startsItself));
      expect(record).toMatchObject({ state: 'ready', pauseReason: reason });
      jobs.starts = starts;
      expect(await workWhenDue(record)).toMatchObject({ state: 'succeeded' });
    },
  );

  it('polls a job that waits for its start less and less often, regardless of what else is away for a while', async () => {
    const { begin, work, workWhenDue, find, clock, jobs, jobOf, state } = imports.world(20);
    let record = await work(await begin(writeBack));
    const waits: number[] = [];
    for (let looks = 0; looks < 30; looks += 1) {
      const before = clock.ms;
      record = await workWhenDue(record);
      waits.push(clock.ms - before);
    }
    expect(record).toMatchObject({ state: 'ready', pauseReason: 'not_started' });
    expect([Math.min(...waits) >= 2_000, waits.at(-1)]).toEqual([true, 300_000]);
    jobs.fails = () => new Problem('service_unavailable');
    await expect(work(record)).rejects.toBeInstanceOf(Problem);
    expect((await find(record)).state).toBe('ready');
    jobs.fails = () => undefined;
    jobOf(record).state = 'succeeded';
    state.export = { status: 'succeeded', rows: 20, done: 20 };
    expect(await work(record)).toMatchObject({ state: 'succeeded' });
  });

  it('is the way back: the job is watched, its results are written back, and then it has succeeded', async () => {
    const { begin, work, workWhenDue, jobOf, state } = imports.world(20);
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
    const { begin, work, workWhenDue, jobs, jobOf, state } = imports.world(20);
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
    const { begin, work, workWhenDue, jobOf, state } = imports.world(20);
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
      const { begin, work, workWhenDue, jobOf, state } = imports.world(20);
      const record = await work(await begin({ ...writeBack, ...startsItself }));
      jobOf(record).state = 'succeeded';
      state.export = how;
      expect(await workWhenDue(record)).toMatchObject({ state: 'failed', failure: 'write_back_failed' });
    }
  });

  it('is stopped with the import: a running job, an export, but not a job that waits for its start', async () => {
    const cancelled = async (how: 'ready' | 'validating' | 'writing_back') => {
      const { begin, work, workWhenDue, jobOf, ports, accountId, state } = imports.world(20);
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

  it.each([{}, writeBack])(
    'is stopped even if it was being started when the import was canceled: %j',
    async more => {
      const { begin, find, handlerOf, ports, jobs, jobOf, accountId } = imports.world(20);
      const record = await begin({ ...more, ...startsItself });
      const start: typeof jobs.start = async (...asked) => {
        await cancelImport(ports, accountId, record.importId);
        await handlerOf(ports)(record);
        expect(await find(record)).toMatchObject({ state: 'cancelled', isStopping: false });
        return jobs.start(...asked);
      };
      await handlerOf({ ...ports, jobs: { ...jobs, start } })(record);
      // The first worker finishes it; the other has left.
      await handlerOf(ports)(record);
      const after = await find(record);
      expect(after).toMatchObject({ state: 'cancelled', isStopping: false });
      expect(jobOf(after).state).toBe('cancelled');
    },
  );

  it('is stopped also where the answer to a start was lost', async () => {
    const { begin, find, handlerOf, ports, jobs, jobOf, accountId } = imports.world(20);
    const record = await begin(startsItself);
    const start: typeof jobs.start = async (...asked) => {
      await cancelImport(ports, accountId, record.importId);
      await handlerOf(ports)(record);
      await jobs.start(...asked);
      throw new Problem('service_unavailable');
    };
    const broken = handlerOf({ ...ports, jobs: { ...jobs, start } })(record);
    await expect(broken).rejects.toBeInstanceOf(Problem);
    await handlerOf(ports)(record);
    expect(jobOf(await find(record)).state).toBe('cancelled');
  });

  it('is stopped even if the export was being started when the import was canceled', async () => {
    const { begin, work, find, handlerOf, ports, jobOf, accountId, state } = imports.world(20);
    const record = await work(await begin({ ...writeBack, ...startsItself }));
    jobOf(record).state = 'succeeded';
    const { writeBacks } = ports;
    const late: typeof writeBacks.begin = async of => {
      await cancelImport(ports, accountId, record.importId);
      await handlerOf(ports)(record);
      return writeBacks.begin(of);
    };
    await handlerOf({ ...ports, writeBacks: { ...writeBacks, begin: late } })(record);
    await handlerOf(ports)(record);
    expect(await find(record)).toMatchObject({ state: 'cancelled', isStopping: false, exportId: null });
    expect(state.exportCancelled).toBe(1);
  });
});
